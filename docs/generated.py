"""Makes parts of the documents from the code, and writes them between their markers."""

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import typer.main

from bot.cli.commands import app
from bot.settings import Settings
from graph.builder import compiled_graph

ROOT: Final = Path(__file__).parent.parent
PACKAGES: Final = ("prompts", "graph", "bot", "playground", "docs")
"""In the order of reading: an imported package comes before the packages that import it."""
NO_PACKAGES: Final = {
    "alembic": "The database's migrations.",
    "tests": "They mirror the packages; `journeys` go from a Slack payload to the Slack calls; `support` serves all.",
    "benchmarks": "Measurements, side by side with a plain bot.",
}
"""Folders that are not packages and so have no docstring."""
TREE_DEPTH: Final = 2
"""Levels of folders in the tree: the README shows subjects; a folder's docstring explains what is below it."""
HELP_WIDTH: Final = 100


def filled_in(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Replace each generated part of the document. Raises `KeyError` if a marker names an unknown part."""

    def between(marked: re.Match[str]) -> str:
        return f"{marked['begin']}\n{parts[marked['name']]()}\n{marked['end']}"

    pattern = r"(?P<begin><!-- generated: (?P<name>\w+) -->)\n.*?(?P<end><!-- end -->)"
    return re.sub(pattern, between, text, flags=re.DOTALL)


def settings_table() -> str:
    """Return a row for each setting: its variable, its default, its description."""
    rows = [
        (f"`{field.validation_alias}`", _default(field.default), field.description or "")
        for field in Settings.model_fields.values()
    ]
    return _table(("variable", "default", "description"), rows)


def command_help() -> str:
    """Return the help of every command, as the terminal shows it."""
    return "\n\n".join(f"```\n$ {path} --help\n{text}\n```" for path, text in _helps(typer.main.get_command(app)))


def commands() -> list[str]:
    """Return every command that a person can type, such as `askback eval retrieval`."""
    return [path for path, _ in _helps(typer.main.get_command(app))]


def graph_diagram() -> str:
    """Return the compiled graph as Mermaid."""
    return f"```mermaid\n{compiled_graph().get_graph().draw_mermaid().strip()}\n```"


def package_tree() -> str:
    """Return a row for each folder of code down to `TREE_DEPTH`, with the first sentence of its docstring."""
    packages = [
        (_depth(folder) * "&emsp;" + f"[`{folder.name}/`]({folder.as_posix()})", _first_sentence(folder))
        for folder in _folders()
    ]
    others = [(f"[`{name}/`]({name})", sentence) for name, sentence in NO_PACKAGES.items()]
    return _table(("folder", "what it holds"), [*packages, *others])


def decisions() -> str:
    """Return a line for each decision, with its number and title."""
    files = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    titles = [file.read_text().split("\n", 1)[0].removeprefix("# ") for file in files]
    return "\n".join(f"- [{title}]({file.name})" for title, file in zip(titles, files, strict=True))


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "settings": settings_table,
    "commands": command_help,
    "graph": graph_diagram,
    "packages": package_tree,
    "decisions": decisions,
}


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _default(value: object) -> str:
    return "" if value in (None, frozenset(), {}) else f"`{value}`"


def _helps(command: Any, path: str = "askback") -> Iterator[tuple[str, str]]:
    # Typer carries its own Click, whose types are not public.
    context = command.make_context(path, [], resilient_parsing=True, max_content_width=HELP_WIDTH)
    context.terminal_width = HELP_WIDTH
    yield path, command.get_help(context).strip()
    for name, below in getattr(command, "commands", {}).items():
        yield from _helps(below, f"{path} {name}")


def _folders() -> Iterator[Path]:
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("__init__.py")):
            folder = file.parent.relative_to(ROOT)
            if len(folder.parts) <= TREE_DEPTH:
                yield folder


def _depth(folder: Path) -> int:
    return len(folder.parts) - 1


def _first_sentence(folder: Path) -> str:
    module: ModuleType = importlib.import_module(".".join(folder.parts))
    return (module.__doc__ or "").split("\n", 1)[0]
