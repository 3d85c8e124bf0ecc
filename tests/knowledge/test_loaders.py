"""Document loaders of LangChain run in a limited child, and only those that the operator named."""

import asyncio
import json
import platform
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from pathlib import Path
from shutil import copy
from typing import Any

import psutil
import pytest
from docx import Document as WordDocument
from pydantic import SecretStr

from bot.errors import KnowledgeError, SettingsError
from bot.knowledge.connectors.connector import Changes
from bot.knowledge.connectors.kinds import guessed
from bot.knowledge.connectors.loader.loader import Loader
from bot.knowledge.connectors.loader.pages import Loaded, page_of, path_of
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import sync
from bot.knowledge.syncing.tally import Ingested
from bot.knowledge.upkeep import Job
from bot.postgres.pool import Database
from bot.settings import LoaderSettings, Settings
from tests.knowledge.test_connectors import known

FOLDER = Path(__file__).parents[1] / "examples/loaders"
TOKEN = "tok_1234567890"  # pragma: allowlist secret
PATIENCE = 120.0
"""Timeout in seconds of a wait that takes one; only a failing test waits so long."""
linux = pytest.mark.skipif(platform.system() != "Linux", reason="Other kernels have neither seccomp nor Landlock.")


@pytest.fixture(autouse=True)
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example package is installed."""
    monkeypatch.syspath_prepend(FOLDER)


def write(file: Path, **texts: str) -> None:
    """Write pages by their addresses."""
    file.write_text(json.dumps({f"https://x.example/{name}": text for name, text in texts.items()}))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with two pages."""
    file = tmp_path / "pages.json"
    write(file, leave="Everybody has 28 days of leave.", cellar="The code opens the cellar.")
    return file


def settings_for(
    loader: str, arguments: Mapping[str, Any], packages: str = "example_loaders", **more: Any
) -> SourceSettings:
    given = LoaderSettings(name=loader, arguments=dict(arguments), **more)
    return SourceSettings(
        loaders={"pages": given}, loader_packages=frozenset(packages.split(",")), secrets={"PAGES_TOKEN": TOKEN}
    )


def loader_of(name: str, file: Path, **more: Any) -> Loader:
    given = settings_for(f"example_loaders.{name}", {"file": str(file)}, files=[str(file)], **more)
    return Loader("loader:pages", given)


async def run(given: SourceSettings) -> Changes:
    """Run the loader, without storing anything."""
    async with aclosing(Loader("loader:pages", given)) as one:
        return await one.changes("")


async def read(database: Database, embedder: Embedder, one: Loader) -> Ingested:
    return await sync(database, embedder, "one", [one])


async def test_what_a_loader_loads_is_known_and_only_what_differs_is_embedded_again(
    database: Database, embedder: Embedder, file: Path, embedded: list[str]
) -> None:
    assert 2 == (await read(database, embedder, loader_of("Pages", file))).added
    embedded.clear()
    write(file, leave="Everybody has 30 days of leave.")

    outcome = await read(database, embedder, loader_of("Pages", file))

    assert (0, 1, 1, 1) == (outcome.added, outcome.changed, outcome.removed, len(embedded))
    assert {"https://x.example/leave.md": "Everybody has 30 days of leave."} == await known(database)
    outcome = await read(database, embedder, loader_of("Pages", file))
    assert (0, 0, 0, 1) == (outcome.added, outcome.changed, outcome.removed, len(embedded))


def write_thread(file: Path) -> list[str]:
    """Write a thread as Comment Scraper exports it; return its texts."""
    record = {
        "parent_id": None,
        "depth": 0,
        "score": 1,
        "score_hidden": False,
        "edited_utc": None,
        "is_op": False,
        "created_utc": "2026-03-02T09:00:00Z",
        "permalink": "https://x.example/1",
        "comment_state": "normal",
        "subreddit": None,
    }
    post = {**record, "record_type": "post", "comment_id": None, "body": "Which door leads to the cellar?"}
    comment = {**record, "record_type": "comment", "comment_id": "c1", "body": "The green one."}
    meta = {
        "source": "hn",
        "thread_id": "1",
        "thread_title": "Doors",
        "permalink": "https://x.example/1",
        "fetched_at": "2026-03-03T09:00:00Z",
    }
    file.write_text(
        json.dumps({"generator": "Comment Scraper", "threads": [{"meta": meta, "records": [post, comment]}]})
    )
    return ["Doors\n\nWhich door leads to the cellar?", "The green one."]


def write_word(file: Path) -> list[str]:
    """Write a Word document; return its text."""
    document = WordDocument()
    document.add_paragraph("The code opens the cellar.")
    document.save(str(file))
    return ["The code opens the cellar."]


@linux
@pytest.mark.parametrize(
    ("name", "path", "write_file", "error"),
    [
        ("langchain_comment_scraper.CommentScraperLoader", "thread.json", write_thread, "PermissionError"),
        ("structured_docx_loader.DocxLoader", "note.docx", write_word, "PackageNotFoundError"),
    ],
)
async def test_loaders_that_others_wrote_are_read_in_the_child_and_get_their_files_only(
    database: Database,
    embedder: Embedder,
    tmp_path: Path,
    *,
    name: str,
    path: str,
    write_file: Callable[[Path], list[str]],
    error: str,
) -> None:
    expected, package = write_file(tmp_path / path), name.partition(".")[0]
    arguments = {"file_path": str(tmp_path / path)}
    given = settings_for(name, arguments, package, files=[*arguments.values()])

    for added in (len(expected), 0):
        outcome = await read(database, embedder, Loader("loader:pages", given))
        assert (added, 0, 0, []) == (outcome.added, outcome.changed, outcome.removed, outcome.failed)
    assert sorted(expected) == sorted(text for _, text in (await known(database)).items())

    refused = await read(database, embedder, Loader("loader:pages", settings_for(name, arguments, package)))

    assert [f"{name} fails with {error}: try it by hand."] == [one.reason for one in refused.failed]
    assert len(expected) == len(await known(database))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Half", "example_loaders.Half fails with RuntimeError: try it by hand."),
        ("Ended", "example_loaders.Ended broke, or took more memory or time than ASKBACK_LOADERS allows."),
    ],
)
async def test_after_an_incomplete_run_everything_stays(
    database: Database, embedder: Embedder, file: Path, name: str, why: str
) -> None:
    await read(database, embedder, loader_of("Pages", file))
    write(file, new="Something new.")

    outcome = await read(database, embedder, loader_of(name, file, secrets={"token": "PAGES_TOKEN"}))

    assert ([why], 0, 2) == ([one.reason for one in outcome.failed], outcome.removed, len(await known(database)))
    assert TOKEN not in f"{outcome}"


@pytest.mark.parametrize(
    ("name", "packages", "why"),
    [
        ("os.system", "example_loaders", "os.system is refused: os is not in ASKBACK_LOADER_PACKAGES."),
        ("os.system", "os", "os.system is no document loader of LangChain."),
        ("example_loaders.no_loader", "example_loaders", "example_loaders.no_loader is no document loader"),
        ("example_loaders.os.system", "example_loaders", "example_loaders.os.system cannot be imported"),
        ("example_loaders.Missing", "example_loaders", "example_loaders.Missing cannot be imported (AttributeError)"),
        ("nowhere.Loader", "nowhere", "nowhere.Loader cannot be imported (ModuleNotFoundError): install its package."),
    ],
)
async def test_only_a_loader_of_a_named_package_runs(name: str, packages: str, why: str, tmp_path: Path) -> None:
    given = settings_for(name, {"command": f"touch {tmp_path}/done"}, packages)

    with pytest.raises(KnowledgeError) as caught:
        await run(given)

    assert why in str(caught.value)
    assert not (tmp_path / "done").exists()


@pytest.mark.parametrize("name", ["system", "os;system", "os.system()", "../x.Y", ""])
def test_what_is_no_dotted_name_is_no_setting(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        LoaderSettings(name=name)


def test_a_row_names_only_what_the_settings_name() -> None:
    for location in ("loader:os.system", "loader:", "loader:example_loaders.Pages"):
        with pytest.raises(KnowledgeError, match="ASKBACK_LOADERS names no loader"):
            Loader(location, settings_for("example_loaders.Pages", {}))
    assert ("loader", "loader:pages") == guessed("loader:pages")


@pytest.fixture
def with_a_secret_beside(tmp_path: Path) -> Path:
    """A folder with the package, and a secret beside it."""
    copy(FOLDER / "example_loaders.py", tmp_path)
    (tmp_path / "secret.txt").write_text("key")
    return tmp_path


@pytest.fixture
async def listener() -> AsyncGenerator[int]:
    """A port that answers."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


@linux
@pytest.mark.parametrize(("network", "said"), [(False, "nothing"), (True, "network")])
async def test_a_loader_reaches_only_what_the_operator_gave_it(
    database: Database,
    embedder: Embedder,
    listener: int,
    with_a_secret_beside: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    network: bool,
    said: str,
) -> None:
    monkeypatch.setenv("NOTION_TOKEN", "ntn_1")
    monkeypatch.syspath_prepend(with_a_secret_beside)
    given = settings_for("example_loaders.Escaping", {"port": listener}, network=network)

    await read(database, embedder, Loader("loader:pages", given))

    assert {"escaping.md": f"It got through with: {said}."} == await known(database)


@linux
async def test_a_file_that_the_operator_did_not_name_cannot_be_read(file: Path) -> None:
    given = settings_for("example_loaders.Pages", {"file": str(file)})

    with pytest.raises(KnowledgeError, match="fails with PermissionError"):
        await run(given)


@pytest.mark.parametrize(
    ("name", "more", "why"),
    [
        ("Endless", {"seconds": 3}, "takes longer than 3 seconds"),
        ("Greedy", {}, "takes more memory than its memory_mb"),
    ],
)
async def test_a_loader_without_measure_is_ended(name: str, more: dict[str, Any], why: str) -> None:
    with pytest.raises(KnowledgeError, match=why):
        await run(settings_for(f"example_loaders.{name}", {}, **more))


async def test_its_time_may_be_over_while_a_document_is_kept(file: Path) -> None:
    is_over = threading.Event()

    class Slow(Loader):
        def _keep(self, path: str, loaded: Loaded) -> str:
            is_over.wait()
            return ""

    given = settings_for("example_loaders.Pages", {"file": str(file)}, files=[str(file)], seconds=3)
    async with aclosing(Slow("loader:pages", given)) as slow:
        try:
            with pytest.raises(KnowledgeError, match="takes longer than 3 seconds"):
                await slow.changes("")
        finally:
            is_over.set()


async def test_what_a_loader_prints_is_dropped() -> None:
    changes = await run(settings_for("example_loaders.Chatty", {}))

    assert 1 == len(changes.paths)


async def test_a_run_is_cancelled_at_once_with_its_child() -> None:
    running = asyncio.create_task(run(settings_for("example_loaders.Endless", {})))
    async with asyncio.timeout(PATIENCE):
        # A process is there before the task that starts it goes on, and ends with that task then: wait until it works.
        while not (children := [*filter(loads, psutil.Process().children())]):  # noqa: ASYNC110 - No event tells it.
            await asyncio.sleep(0.05)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        # The loader has no end of its own.
        async with asyncio.timeout(60):
            await running

    assert not [child for child in children if loads(child)]


def loads(child: psutil.Process) -> bool:
    """Tell whether a process runs a loader, and works."""
    with suppress(psutil.Error):
        return "loading" in " ".join(child.cmdline()) and child.cpu_times().user > 0.1
    return False


def test_settings_say_what_is_wrong_with_a_loader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASKBACK_LOADER_PACKAGES", "example_loaders, langchain_community")
    monkeypatch.setenv("ASKBACK_LOADERS", '{"pages": {"name": "example_loaders.Pages", "files": ["/srv"]}}')
    settings = Settings.read()
    assert (["pages"], {"example_loaders", "langchain_community"}) == ([*settings.loaders], settings.loader_packages)

    for wrong in ("{", "[" * 100_000, '{"pages": {"name": "x"}}', '{"pages": {"name": "a.B", "command": "x"}}'):
        monkeypatch.setenv("ASKBACK_LOADERS", wrong)
        with pytest.raises(SettingsError, match="ASKBACK_LOADERS"):
            Settings.read()


def test_documents_of_one_source_have_paths_of_their_own() -> None:
    taken: dict[str, str] = {}
    metadata = [
        {"source": "/srv/a.csv", "row": "0"},
        {"source": "/srv/a.csv", "row": "1"},
        {"source": "/srv/a.csv"},
        {"source": "/srv/a.csv"},
        {},
        {"source": "x" * 500},
        {"source": "../../etc\x1b[2J"},
    ]
    for one in metadata:
        taken[path_of(Loaded(id="", text="Text.", metadata=one), taken=taken)] = ""
    named = [*taken]

    assert ["srv/a.csv#0.md", "srv/a.csv#1.md", "srv/a.csv.md", "srv/a.csv-2.md"] == named[:4]
    assert 7 == len(taken)
    assert "\x1b" not in "".join(taken)
    assert all(len(path) < 410 for path in taken)


def test_metadata_are_attributes_and_set_no_address() -> None:
    metadata = {
        "source": "https://x.example/a",
        "url": "https://evil.example/",
        "title": "A: b",
        "slack_writers": "U0ADA",
    }
    one = Loaded(id="", text="Text.", metadata=metadata)

    assert "---\nsource: https://x.example/a\ntitle: 'A: b'\n---\n\nText.\n" == page_of(one)
    assert "" == page_of(Loaded(id="", text=" \n", metadata={"title": "A"}))


def test_the_child_that_reads_a_scheduled_source_is_told_of_loaders_and_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = LoaderSettings(name="example_loaders.Pages", arguments={"depth": [1, {"a": None}]})
    settings = Settings(
        loaders={"pages": pages},
        loader_packages=frozenset({"example_loaders"}),
        source_secrets={"PAGES_TOKEN": SecretStr(TOKEN)},
    )

    job = Job.model_validate_json(Job.of(settings, "postgresql://x", 1).model_dump_json())

    assert SourceSettings.of(settings) == job.sources
    assert TOKEN not in repr(job)
