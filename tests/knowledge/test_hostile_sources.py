"""Hostile folders, repositories and sites: what is good in them is read, the rest has a line, and nothing is harmed."""

import asyncio
import io
import os
import platform
import subprocess
import threading
import zipfile
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from ctypes import CDLL
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PosixPath
from tempfile import TemporaryDirectory, gettempdir

import pytest
from docx import Document as WordDocument
from PIL import Image

from bot.cli.demo import HANDBOOK
from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Connector
from bot.knowledge.connectors.files import Files, files_at
from bot.knowledge.connectors.git import Git
from bot.knowledge.connectors.kinds import connector_of
from bot.knowledge.connectors.source_settings import WebRules
from bot.knowledge.connectors.web.web import Web
from bot.knowledge.documents import Embedder, Matrix, ReadDocument
from bot.knowledge.ingest import IngestOptions, ingest, sync
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.syncing.reading import SourceReader
from bot.knowledge.syncing.tally import Ingested
from bot.postgres.pool import Database
from bot.settings import Settings
from tests.knowledge.readers import making
from tests.knowledge.site import serving
from tests.knowledge.test_connectors import git, known
from tests.permissions.world import Vectors

OUTSIDE = Path(gettempdir(), "evil-of-a-test.md")
LIMITS = Limits(text_mb=1, file_mb=1, seconds=120)
LEAVE = "# Leave\n\nEverybody has 28 days of leave.\n"
MOST_MEMORY = 100_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one good document."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "leave.md").write_text(LEAVE)
    return folder


async def read(database: Database, embedder: Embedder, *connectors: Files | Git | Web) -> Ingested:
    """Read sources, and check that this process stays small."""
    # The first document loads the models.
    await ingest(database, embedder, "two", [HANDBOOK / "offices/porto/guest-wifi.txt"])
    with small():
        return await sync(database, embedder, "one", connectors, IngestOptions(limits=LIMITS))


@contextmanager
def small() -> Generator[None]:
    """Check that the most memory of this process grows by no more than `MOST_MEMORY`, where the kernel tells it."""
    if platform.system() != "Linux":
        yield
        return
    Path("/proc/self/clear_refs").write_text("5")
    before = highest_memory()
    yield
    assert highest_memory() - before < MOST_MEMORY


def highest_memory() -> int:
    """Return the most bytes of memory since it was last cleared."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def failures(outcome: Ingested) -> dict[str, str]:
    return {failure.path: failure.reason for failure in outcome.failed}


async def test_of_a_document_full_of_pictures_only_the_text_is_read(
    database: Database, embedder: Embedder, folder: Path
) -> None:
    document = WordDocument()
    document.add_paragraph("The plan of the office.")
    pixel = io.BytesIO()
    Image.new("RGB", (1, 1)).save(pixel, "PNG")
    document.add_paragraph().add_run().add_picture(pixel)
    document.save(str(folder / "plan.docx"))
    with zipfile.ZipFile(folder / "plan.docx") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    begin, end = (parts["word/document.xml"].rindex(tag) for tag in (b"<w:p>", b"<w:sectPr"))
    picture = parts["word/document.xml"][begin:end]
    parts["word/document.xml"] = parts["word/document.xml"].replace(picture, picture * 1_000)
    (folder / "plan.docx").write_bytes(making.zipped(parts))
    (folder / "plan.html").write_text(
        "<p>The way to the office.</p>" + "<img src='data:image/png;base64,iVBO'>" * 5_000
    )

    outcome = await read(database, embedder, Files(str(folder)))

    assert {} == failures(outcome)
    assert ["The plan of the office.", "The way to the office."] == [
        text for path, text in sorted((await known(database)).items()) if path.startswith("plan")
    ]


async def test_among_twenty_thousand_files_the_documents_are_read(
    database: Database, embedder: Embedder, folder: Path
) -> None:
    (folder / "parts").mkdir()
    (folder / "parts/0.dat").write_bytes(b"0")
    for number in range(1, 20_000):
        os.link(folder / "parts/0.dat", folder / f"parts/{number}.dat")

    outcome = await read(database, embedder, Files(str(folder)))

    assert (1, {".dat": 20_000}) == (outcome.added, outcome.skipped)


@dataclass
class Watched(Files):
    """A folder that counts how many of its files are read at the same time."""

    location: str
    now: int = 0
    most: int = 0
    reads: int = 0

    def __post_init__(self) -> None:
        super().__init__(self.location)

    async def content(self, path: str, limits: Limits) -> bytes:
        self.reads += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            # Let the others begin, if they may.
            await asyncio.sleep(0)
            return await super().content(path, limits)
        finally:
            self.now -= 1


class Counting(Vectors):
    """An embedder that counts its texts."""

    texts: int = 0

    def embed_passages(self, texts: list[str]) -> Matrix:
        self.texts += len(texts)
        return super().embed_passages(texts)


async def test_of_twenty_thousand_small_documents_each_is_read_once_and_a_few_at_a_time(folder: Path) -> None:
    for number in range(1, 20_000):
        # The same file, because the kernel makes a link sooner.
        os.link(folder / "leave.md", folder / f"leave-{number}.md")
    source = Watched(str(folder))
    paths = (await source.changes("")).paths
    outcomes = [one async for _, one in reading_of(source).read_ahead(paths[:1])]
    (document,) = [one for one in outcomes if isinstance(one, ReadDocument)]
    # Most are known by their content, because parsing and splitting each of them takes half a minute.
    hashes = dict.fromkeys(paths[200:], document.hash)

    count = 0
    async for _, outcome in reading_of(source, hashes).read_ahead(paths):
        count += isinstance(outcome, ReadDocument)

    assert (200, 1 + 20_000, LIMITS.at_once) == (count, source.reads, source.most)


def reading_of(connector: Connector, hashes: Mapping[str, str] | None = None) -> SourceReader:
    """Return what reads documents, of which these hashes are known."""
    return SourceReader(connector=connector, limits=LIMITS, count_tokens=len, hashes=hashes or {}, oldest="")


async def test_many_small_documents_are_embedded_once_each_and_not_again(database: Database, folder: Path) -> None:
    for number in range(300):
        (folder / f"{number}.md").write_text(f"Part {number}.")
    source, embedder = Watched(str(folder)), Counting()

    for added in (301, 0):
        outcome = await sync(database, embedder, "one", [source], IngestOptions(limits=LIMITS))

        assert (added, 301, {}) == (outcome.added, embedder.texts, failures(outcome))
    assert 2 * 301 == source.reads


@pytest.mark.parametrize("at_once", [1, 2, 5])
async def test_as_many_files_are_read_at_a_time_as_the_setting_says(
    database: Database, folder: Path, at_once: int
) -> None:
    for number in range(20):
        (folder / f"{number}.md").write_text(f"Part {number}.")
    limits = Limits.of(Settings.model_validate({"ASKBACK_READERS_AT_ONCE": at_once}))
    source = Watched(str(folder))

    await sync(database, Vectors(), "one", [source], IngestOptions(limits=limits))

    assert at_once == source.most


def meddled(folder: Path, happens: Callable[[], object]) -> Path:
    """Return the folder, in which something happens between the opening of a file and its reading."""

    class Meddled(PosixPath):
        def resolve(self, strict: bool = False) -> Path:
            happens()
            return Path(self).resolve(strict=strict)

    return Meddled(folder)


@pytest.mark.parametrize(
    ("after", "told", "failed"),
    [
        ("# Leave\n\nEverybody has 30 days", {"leave.md": "Everybody has 30 days"}, 0),
        ("", {}, 1),
        ("All of it is new. " * 60_000, {}, 1),
    ],
    ids=["cut off", "emptied", "grown too large"],
)
async def test_a_file_that_is_rewritten_while_it_is_read_counts_as_it_is_then_and_is_read_again(
    database: Database, folder: Path, after: str, told: dict[str, str], failed: int
) -> None:
    source = Files(str(folder))
    source._root = meddled(folder, lambda: (folder / "leave.md").write_text(after))
    (folder / "other.md").write_text("The office is open.")

    # One after the other, because what happens to this file must not happen while another one is opened.
    limits = replace(LIMITS, at_once=1)
    first = await sync(database, Vectors(), "one", [source], IngestOptions(limits=limits))

    assert {**told, "other.md": "The office is open."} == await known(database)
    assert failed == len(first.failed)

    (folder / "leave.md").write_text(LEAVE)
    await sync(database, Vectors(), "one", [Files(str(folder))], IngestOptions(limits=LIMITS))

    assert "Everybody has 28 days of leave." == (await known(database))["leave.md"]


async def test_a_file_of_a_gigabyte_is_refused_before_it_fills_the_memory(
    database: Database, embedder: Embedder, folder: Path
) -> None:
    for name in ("log.txt", "scan.pdf"):
        with (folder / name).open("wb") as file:
            file.truncate(1_000_000_000)

    outcome = await read(database, embedder, Files(str(folder)))

    assert 1 == outcome.added
    assert {
        "log.txt": "The file is larger than 1 MB (ASKBACK_LARGEST_FILE_MB): split it.",
        "scan.pdf": "The file is larger than 1 MB (ASKBACK_LARGEST_FOREIGN_FILE_MB): split it.",
    } == failures(outcome)


@contextmanager
def growing(file: Path) -> Generator[None]:
    """Let a thread write to a file that is too large already, without end."""
    is_over = threading.Event()

    def grow() -> None:
        with file.open("ab") as end:
            while not is_over.wait(0.001):
                end.write(b"One more line.\n")
                end.flush()

    file.write_bytes(b"A line.\n" * 200_000)
    writer = threading.Thread(target=grow)
    writer.start()
    try:
        yield
    finally:
        is_over.set()
        writer.join()


async def test_a_file_that_grows_while_it_is_read_does_not_hold_up_the_others(
    database: Database, embedder: Embedder, folder: Path
) -> None:
    with growing(folder / "growing.txt"):
        outcome = await read(database, embedder, Files(str(folder)))

    assert (1, {"growing.txt"}) == (outcome.added, failures(outcome).keys())


async def test_links_in_a_circle_are_followed_nowhere(database: Database, embedder: Embedder, folder: Path) -> None:
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/up").symlink_to("../..")
    (folder / "a/itself.md").symlink_to("itself.md")
    (folder / "a/one.md").symlink_to("two.md")
    (folder / "a/two.md").symlink_to("one.md")

    outcome = await read(database, embedder, Files(str(folder)))

    assert (1, {}) == (outcome.added, failures(outcome))
    assert ["leave.md"] == [*await known(database)]


def tree(folder: Path, **entries: str) -> str:
    """Write a tree that Git itself would refuse to make, and return its hash."""
    raw = b"".join(
        f"{'40000' if name == '..' else '100644'} {name}\0".encode() + bytes.fromhex(of) for name, of in entries.items()
    )
    made = ["git", "-C", str(folder), "hash-object", "-t", "tree", "-w", "--stdin", "--literally"]
    return subprocess.run(made, input=raw, check=True, capture_output=True).stdout.decode().strip()


async def test_a_name_in_a_repository_that_leads_out_of_it_leads_nowhere(
    database: Database, embedder: Embedder, folder: Path
) -> None:
    git(folder, "init", "--quiet")
    (folder / "evil.md").write_text("# Evil\n\nThis lies outside.\n")
    evil, leave = (git(folder, "hash-object", "-w", name) for name in ("evil.md", "leave.md"))
    above = tree(folder, **{"evil.md": evil})
    root = tree(folder, **{"..": above, "leave.md": leave})
    commit = git(folder, "commit-tree", root, "-m", "Odd.")
    git(folder, "update-ref", "refs/heads/main", commit)
    git(folder, "symbolic-ref", "HEAD", "refs/heads/main")

    outcome = await read(database, embedder, Git(str(folder)))

    assert (1, {}) == (outcome.added, failures(outcome))
    assert ["leave.md"] == [*await known(database)]


@pytest.mark.parametrize("kind", ["files", "git"])
async def test_a_name_that_is_not_utf_8_stops_no_other(
    database: Database, embedder: Embedder, tmp_path: Path, kind: str
) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("# Coffee\n\nThe coffee is free.\n")
    (tmp_path / "tea.md").write_text("# Tea\n\nSo is the tea.\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "Drinks.")

    outcome = await sync(database, embedder, "one", [connector_of(kind, str(tmp_path))])

    assert (2, []) == (outcome.added, outcome.failed)
    assert {"caf\\udce9.md", "tea.md"} == (await known(database)).keys()
    again = await sync(database, embedder, "one", [connector_of(kind, str(tmp_path))])
    assert (0, 0) == (again.added, again.removed)


@pytest.mark.parametrize(("name", "why"), [(b"caf\xe9", "not named in UTF-8"), (b"x" * 300, "File name too long")])
def test_a_source_that_cannot_be_named_or_asked_for_is_refused(tmp_path: Path, name: bytes, why: str) -> None:
    place = tmp_path / os.fsdecode(name)
    if why == "not named in UTF-8":
        place.mkdir()

    with pytest.raises(KnowledgeError, match=why):
        files_at([place])


@pytest.fixture
def open_to_all() -> Generator[Path]:
    """A folder with one good document that everybody may enter; pytest's own are only for its account."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "closed").mkdir()
        (folder / "leave.md").write_text(LEAVE)
        (folder / "closed/leave.md").write_text(LEAVE)
        yield folder


def lose_roots_rights() -> None:
    """Look at files in threads of nobody's, because root may read them whatever their permissions are."""
    executor = ThreadPoolExecutor(initializer=partial(CDLL(None).setfsuid, 65534))
    asyncio.get_running_loop().set_default_executor(executor)


async def test_a_folder_that_was_closed_loses_no_document_and_keeps_no_other_from_being_read(
    database: Database, embedder: Embedder, open_to_all: Path
) -> None:
    source = Files(str(open_to_all))
    await sync(database, embedder, "one", [source])
    await asyncio.to_thread((open_to_all / "closed").chmod, 0)
    (open_to_all / "leave.md").rename(open_to_all / "rest.md")
    lose_roots_rights()

    outcome = await sync(database, embedder, "one", [source])

    assert {"rest.md", "closed/leave.md"} == (await known(database)).keys()
    assert ([], {"closed to us": 1}) == (outcome.failed, outcome.skipped)


async def test_a_folder_whose_files_are_only_listed_stops_no_other(
    database: Database, embedder: Embedder, open_to_all: Path
) -> None:
    source = Files(str(open_to_all))
    await sync(database, embedder, "one", [source])
    await asyncio.to_thread((open_to_all / "closed").chmod, 0o444)
    (open_to_all / "leave.md").rename(open_to_all / "rest.md")
    lose_roots_rights()

    outcome = await sync(database, embedder, "one", [source])

    assert ["closed/leave.md"] == [one.path for one in outcome.failed]
    assert {"rest.md", "closed/leave.md"} == (await known(database)).keys()


async def test_a_source_with_nothing_but_a_closed_folder_loses_no_document(
    database: Database, embedder: Embedder, open_to_all: Path
) -> None:
    (open_to_all / "rest.md").write_text("# Rest\n\nEverybody may rest.\n")
    source = Files(str(open_to_all))
    await sync(database, embedder, "one", [source])
    await asyncio.to_thread((open_to_all / "closed").chmod, 0)
    for name in ("leave.md", "rest.md"):
        (open_to_all / name).unlink()
    lose_roots_rights()

    outcome = await sync(database, embedder, "one", [source])

    assert "It lists no document any more" in outcome.failed[0].reason
    assert {"leave.md", "rest.md", "closed/leave.md"} == (await known(database)).keys()


async def test_a_source_that_is_closed_itself_says_so(
    database: Database, embedder: Embedder, open_to_all: Path
) -> None:
    await asyncio.to_thread(open_to_all.chmod, 0)
    lose_roots_rights()

    outcome = await sync(database, embedder, "one", [Files(str(open_to_all))])

    assert f"{open_to_all} cannot be read: Permission denied. Check its permissions." == outcome.failed[0].reason


async def test_a_name_in_an_archive_or_of_a_page_that_leads_out_of_it_writes_nothing(
    database: Database, embedder: Embedder, folder: Path
) -> None:
    with zipfile.ZipFile(io.BytesIO(making.word())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    (folder / "rules.docx").write_bytes(making.zipped({**parts, "../../evil.md": b"evil", str(OUTSIDE): b"evil"}))
    async with serving() as site:
        site.page("/docs/", "Docs", "All that we know.", "..%2f..%2fevil", "%2e%2e%5cevil", "/docs/../../../evil.md")
        site.page("/docs/..%2f..%2fevil", "Evil", "This lies outside.")
        rules = WebRules(internal_hosts=frozenset({"127.0.0.1"}), pause_seconds=0)
        outcome = await read(database, embedder, Files(str(folder)), Web(f"{site.url}/docs/", rules))

    assert {"leave.md", "rules.docx", "index.html"} == {*await known(database)}
    assert {} == failures(outcome)
    assert all(path.startswith(("/docs/", "/robots.txt")) for path in site.asked), site.asked
    assert (["handbook"], {"leave.md", "rules.docx"}) == (names_in(folder.parent), {*names_in(folder)})
    assert OUTSIDE.name not in names_in(OUTSIDE.parent)


def names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]
