"""What is promised of imports in `pyproject.toml` is promised of all that could keep it."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from grimp import ImportGraph, build_graph

ROOT: Final = Path(__file__).parent.parent
READS_THE_CLOCK: Final = {"bot.clock"}
"""By an import that most pure modules need for the type."""


def test_every_module_that_does_no_io_is_promised_to_do_none() -> None:
    listed = set(_contract()["source_modules"])

    assert listed == {module for module in _modules() if not _does_io(module)} - READS_THE_CLOCK


def test_the_promise_is_listed_in_order() -> None:
    for modules in (_contract()["source_modules"], _contract()["forbidden_modules"]):
        assert sorted(set(modules)) == modules


def _modules() -> set[str]:
    """The modules of the bot and the playground that are files; a folder's own is empty."""
    return {name for name in _imports().modules if _is_ours(name) and not _imports().find_children(name)}


def _does_io(module: str) -> bool:
    within = {module, *_imports().find_upstream_modules(module)}
    return bool(within & set(_contract()["forbidden_modules"])) or any(_touches_files(name) for name in within)


@cache
def _touches_files(module: str) -> bool:
    """Whether it knows paths that can be opened; `PurePath` is only a way to write names."""
    lines = _imports().get_import_details(importer=module, imported="pathlib")
    return any(re.search(r"\bPath\b", line["line_contents"]) for line in lines)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in ("bot", "playground")


@cache
def _contract() -> dict[str, Any]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = settings["tool"]["importlinter"]["contracts"]
    return next(each for each in contracts if each["name"].endswith("is worked out without I/O"))


@cache
def _imports() -> ImportGraph:
    return build_graph("bot", "graph", "prompts", "playground", include_external_packages=True, cache_dir=None)
