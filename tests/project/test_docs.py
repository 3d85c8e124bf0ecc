"""The documents match the code."""

import importlib
import re
from functools import cache, reduce
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot import secret_files
from bot.app import CONNECTIONS
from bot.conversation.items import Attempt
from bot.conversation.workers.worker import WorkerLimits
from bot.postgres.requirements import OLDEST_PGVECTOR, OLDEST_POSTGRESQL
from bot.receiver import RECEIVER_CONNECTIONS
from bot.settings import Settings
from bot.slack.api.pace import STREAMS_PER_MINUTE
from docs.generated import PARTS, ROOT, commands, filled_in

DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
each_document = pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.relative_to(ROOT).as_posix())

SECRETS_AS_FILES = {f"{name}{secret_files.SUFFIX}" for name in secret_files.names_of(Settings.model_fields)}
VARIABLES = {str(field.validation_alias): field.default for field in Settings.model_fields.values()}


@each_document
def test_generated_parts_are_as_the_code_has_them(file: Path) -> None:
    assert filled_in(file.read_text(), PARTS) == file.read_text(), "`make docs` writes it anew"


def test_every_generated_part_stands_somewhere() -> None:
    marked = {name for file in DOCUMENTS for name in re.findall(r"<!-- generated: (\w+) -->", file.read_text())}

    assert set(PARTS) == marked


def test_only_what_stands_between_markers_is_written_anew() -> None:
    before = "ours\n<!-- generated: settings -->\nold\n<!-- end -->\nours, too\n<!-- end -->"

    after = "ours\n<!-- generated: settings -->\nnew\n<!-- end -->\nours, too\n<!-- end -->"
    assert after == filled_in(before, {"settings": lambda: "new"})


def test_a_marker_of_an_unknown_part_is_refused() -> None:
    with pytest.raises(KeyError):
        filled_in("<!-- generated: nothing -->\n<!-- end -->", PARTS)


def test_the_example_of_an_environment_names_every_setting_with_its_default_and_nothing_else() -> None:
    lines = [line for line in (ROOT / ".env.example").read_text().splitlines() if line and not line.startswith("#")]
    example = dict(line.split("=", 1) for line in lines)

    defaults = {name: "" if default in (None, frozenset(), {}) else str(default) for name, default in VARIABLES.items()}
    assert {**defaults, **dict.fromkeys(_variables_of_compose(), "")} == example


@each_document
def test_every_name_of_code_is_there(file: Path) -> None:
    names = _in_code_style(file, r"(?:bot|graph|prompts)(?:\.\w+)+")

    assert [] == [name for name in names if not _is_there(name)]


@each_document
def test_every_named_test_is_there(file: Path) -> None:
    assert set() == set(_in_code_style(file, r"test_\w+")) - _tests()


@each_document
def test_every_path_and_link_leads_somewhere(file: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", file.read_text())
    paths = _in_code_style(file, r"(?:bot|graph|prompts|playground|tests|docs|alembic|benchmarks)/[\w./-]*")
    lost = [link for link in links if not (file.parent / link).exists()]

    assert [] == [*lost, *(path for path in paths if not (ROOT / path).exists())]


@each_document
def test_every_link_to_a_heading_finds_it(file: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", file.read_text())
    pages = [(file.parent / page if page else file, anchor) for page, anchor in links]

    assert [] == [f"{page.name}#{anchor}" for page, anchor in pages if anchor not in _anchors_of(page)]


@each_document
def test_every_command_can_be_typed(file: Path) -> None:
    typed = re.findall(r"(?:`|bin/|^)(askback(?: [a-z]+)+)(?=[` ]|$)", file.read_text(), re.MULTILINE)
    words = re.findall(r"(?:`|^)make ([a-z-]+)", file.read_text(), re.MULTILINE)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert [] == [line for line in typed if not f"{line} ".startswith(_known_commands())]
    assert set() == set(words) - set(targets)


@each_document
def test_every_variable_is_a_setting(file: Path) -> None:
    named = set(re.findall(r"\b(?:ASKBACK|SLACK|GROQ|DATABASE|POSTGRES)_[A-Z_]+\b", file.read_text()))

    assert set() == named - set(VARIABLES) - SECRETS_AS_FILES - _variables_of_compose()


def test_what_the_code_says_of_documents_is_so() -> None:
    sources = [file.read_text() for folder in ("bot", "graph", "playground") for file in (ROOT / folder).rglob("*.py")]
    texts = [*sources, *((ROOT / name).read_text() for name in (".env.example", "Makefile", "compose.yaml"))]
    headings = re.findall(r"^#+ (.+)$", (ROOT / "README.md").read_text(), re.MULTILINE)

    said = "\n".join(texts)
    assert set() == set(re.findall(r"README: ([^)]+)\)", said)) - set(headings)
    assert [] == [path for path in re.findall(r"\bdocs/[\w./-]+\.md", said) if not (ROOT / path).exists()]


def test_the_readme_asks_what_journeys_ask() -> None:
    asked = re.findall(r"^\| ([A-Z][^|]+\?|thanks) \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    journeys = "".join(file.read_text() for file in (ROOT / "tests" / "journeys").rglob("*.py"))

    assert 8 == len(asked)
    assert [] == [question for question in asked if f'"{question}' not in journeys]


def test_only_runs_of_an_item_are_attempts_and_drafts_are_drafts() -> None:
    files = [file for folder in ("graph", "prompts") for file in (ROOT / folder).rglob("*.*") if file.suffix != ".pyc"]

    assert [] == [file for file in files if "attempt" in f"{file.name} {file.read_text()}".casefold()]


def test_queries_for_administrators_run(database_url: str) -> None:
    queries = re.findall(r"^```sql\n(.*?)^```", _operations(), re.DOTALL | re.MULTILINE)

    assert queries
    with psycopg.connect(database_url) as owner:
        for query in queries:
            owner.execute(query.encode())


def test_the_tables_that_row_level_security_binds_are_those_that_are_named(database_url: str) -> None:
    sentence = re.search(r"Row-level security keeps workspaces apart in (.*?)\.\n", _operations(), re.DOTALL)
    with psycopg.connect(database_url) as owner:
        bound = owner.execute("SELECT relname FROM pg_class WHERE relrowsecurity").fetchall()

    assert sentence
    assert {name for (name,) in bound} == set(re.findall(r"`(\w+)`", sentence[1]))


def test_every_event_of_the_log_is_explained_and_no_other() -> None:
    logged = {
        event
        for folder in ("bot", "graph")
        for file in (ROOT / folder).rglob("*.py")
        for event in re.findall(
            r'(?:\.(?:debug|info|warning|error|exception)\(\s*|failure=)"([a-z_]+)"', file.read_text()
        )
    }
    table = (ROOT / "docs" / "operations" / "events.md").read_text()
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", table, re.MULTILINE)

    assert logged == {event for row in rows for event in re.findall(r"\w+", row)}


def test_numbers_are_those_of_the_code() -> None:
    slots = Settings.model_fields["worker_slots"].default
    sentences = (
        f"up to {CONNECTIONS} database connections",
        f"`ASKBACK_WORKER_SLOTS`, {slots} by default); a receiver {RECEIVER_CONNECTIONS}",
        f"PostgreSQL {OLDEST_POSTGRESQL} or newer with pgvector {OLDEST_PGVECTOR} or newer",
        f"{WorkerLimits.patience_seconds:.0f} seconds to end",
        f"{STREAMS_PER_MINUTE} streamed answers a minute",
    )

    text = " ".join(_operations().split())
    assert [] == [sentence for sentence in sentences if sentence not in text]
    assert Attempt(number=3, allowed=3).pause_before_retry is None
    assert Attempt(number=2, allowed=3).pause_before_retry


@cache
def _known_commands() -> tuple[str, ...]:
    return tuple(f"{command} " for command in commands()[1:])


@cache
def _tests() -> frozenset[str]:
    tests = (ROOT / "tests").rglob("test_*.py")
    return frozenset(name for test in tests for name in re.findall(r"def (test_\w+)", test.read_text()))


def _operations() -> str:
    pages = (ROOT / "docs" / "operations.md", *sorted((ROOT / "docs" / "operations").glob("*.md")))
    return "\n".join(page.read_text() for page in pages)


def _in_code_style(file: Path, pattern: str) -> list[str]:
    return re.findall(rf"`({pattern})`", file.read_text())


def _anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.casefold()).replace(" ", "-") for heading in headings}


def _variables_of_compose() -> set[str]:
    return set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "compose.yaml").read_text()))


def _is_there(name: str) -> bool:
    package, *names = name.split(".")
    try:
        reduce(_below, names, importlib.import_module(package))
    except (AttributeError, ImportError):
        return False
    return True


def _below(parent: Any, name: str) -> Any:
    if name in getattr(parent, "__annotations__", {}) and not hasattr(parent, name):
        return parent.__annotations__[name]
    if hasattr(parent, "__path__"):
        return importlib.import_module(f"{parent.__name__}.{name}")
    return getattr(parent, name)
