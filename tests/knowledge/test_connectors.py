"""Sources of each kind: only changes are read, deleted documents are deleted, and a failure changes nothing."""

import asyncio
import os
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from bot.audience import ALL
from bot.cli.knowledge import sources
from bot.errors import KnowledgeError
from bot.knowledge import source_store
from bot.knowledge.audience_store import read_as
from bot.knowledge.connectors.connector import Changes, Connector, NoTextError
from bot.knowledge.connectors.files import Files
from bot.knowledge.connectors.git import Git
from bot.knowledge.connectors.kinds import connector_of, guessed
from bot.knowledge.documents import Embedder, Matrix
from bot.knowledge.ingest import IngestOptions, sync
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.source_store import ListedSource
from bot.knowledge.syncing.tally import Ingested
from bot.models.embedding import Embedding
from bot.postgres.pool import Database
from tests.knowledge.conftest import NotingEmbedder
from tests.knowledge.readers import making, scanning
from tests.knowledge.test_sources import Desk, at


def git(folder: Path, *arguments: str, day: str = "2026-01-01") -> str:
    """Run Git as an author of documents, on a day."""
    named = ["-c", "user.name=Ada", "-c", "user.email=ada@lumenpine.example", "-c", "init.defaultBranch=main"]
    on = {**os.environ, "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
    run = subprocess.run(
        ["git", "-C", str(folder), *named, *arguments], check=True, capture_output=True, text=True, env=on
    )
    return run.stdout.strip()


def commit(folder: Path, *, day: str = "2026-01-01", **texts: str | None) -> str:
    """Write documents, or remove those without a text, and commit; return the commit."""
    for name, text in texts.items():
        page = folder / f"{name}.md"
        if text is None:
            page.unlink()
        else:
            page.write_text(f"# {name.title()}\n\n{text}\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "A change.", day=day)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two pages, and with files that are skipped."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / ".github").mkdir()
    (folder / ".github/hidden.md").write_text("# Hidden\n\nNobody reads this.\n")
    (folder / "logo.svg").write_text("<svg/>")
    (folder / "link.md").symlink_to("leave.md")
    commit(folder, leave="Everybody has 28 days of leave.", office="The code opens the cellar.")
    return folder


async def known(database: Database) -> dict[str, str]:
    """Return the texts of all documents, by path."""
    async with database.transaction("one") as connection:
        await read_as(connection, ALL)
        cursor = await connection.execute(
            "SELECT path, text FROM passages JOIN documents ON documents.id = document_id"
        )
        return {row["path"]: row["text"] for row in await cursor.fetchall()}


async def dates(database: Database) -> dict[str, date | None]:
    """Return the dates of all documents, by path."""
    async with database.transaction("one") as connection:
        await read_as(connection, ALL)
        cursor = await connection.execute("SELECT path, dated FROM documents")
        return {row["path"]: row["dated"] for row in await cursor.fetchall()}


async def source(database: Database) -> ListedSource:
    """Return the one source."""
    async with database.transaction("one") as connection:
        await read_as(connection, ALL)
        (only,) = await source_store.all_sources(connection)
        return only


async def synced(database: Database, embedder: Embedder, *connectors: Connector) -> Ingested:
    return await sync(database, embedder, "one", connectors)


async def test_of_a_repository_only_what_differs_from_the_last_commit_is_read(
    database: Database, embedder: Embedder, repository: Path, embedded: list[str]
) -> None:
    first = await synced(database, embedder, Git(str(repository)))
    assert (2, {".svg": 1}) == (first.added, first.skipped)
    assert {"leave.md", "office.md"} == (await known(database)).keys()

    embedded.clear()
    commit(repository, leave="Everybody has 30 days of leave.", office=None, travel="Trains are booked by Ben.")
    later = await synced(database, embedder, Git(str(repository)))

    assert (1, 1, 1, 0) == (later.added, later.changed, later.removed, later.unchanged)
    assert {"leave.md": "Everybody has 30 days of leave.", "travel.md": "Trains are booked by Ben."} == await known(
        database
    )
    assert 2 == len(embedded)
    same = await synced(database, embedder, Git(str(repository)))
    assert (0, 0, 0, 0, 2) == (same.added, same.changed, same.removed, same.unchanged, len(embedded))


async def test_a_document_is_as_old_as_its_last_commit_unless_it_says_so_itself(
    database: Database, embedder: Embedder, repository: Path
) -> None:
    commit(repository, day="2026-02-02", travel="Trains.", **{"a \t ü\n:x": "Odd.", "old": "As of 2020-03-04."})
    await synced(database, embedder, Git(str(repository)))
    first = {
        "leave.md": date(2026, 1, 1),
        "office.md": date(2026, 1, 1),
        "travel.md": date(2026, 2, 2),
        "a \\u0009 ü\\u000a:x.md": date(2026, 2, 2),
        "old.md": date(2020, 3, 4),
    }
    assert first == await dates(database)

    git(repository, "switch", "--quiet", "--create", "side")
    commit(repository, day="2026-02-20", office="The code opens the cellar and the attic.")
    git(repository, "switch", "--quiet", "-")
    commit(repository, day="2026-03-03", travel="Trains and ships.")
    git(repository, "merge", "--quiet", "--no-ff", "--message", "Merged.", "side", day="2026-04-04")
    await synced(database, embedder, Git(str(repository)))

    merged = {"travel.md": date(2026, 3, 3), "office.md": date(2026, 4, 4)}
    assert {**first, **merged} == await dates(database)


async def test_where_a_shallow_history_begins_no_document_is_as_old_as_its_commit(
    database: Database, embedder: Embedder, repository: Path, tmp_path: Path
) -> None:
    commit(repository, day="2026-02-02", leave="Everybody has 30 days of leave.")
    commit(repository, day="2026-03-03", travel="Trains.")
    git(tmp_path, "clone", "--quiet", "--depth=2", repository.as_uri(), "shallow")

    await synced(database, embedder, Git(str(tmp_path / "shallow")))

    assert {"leave.md": None, "office.md": None, "travel.md": date(2026, 3, 3)} == await dates(database)


async def test_a_history_that_was_rewritten_is_read_as_a_whole(
    database: Database, embedder: Embedder, repository: Path
) -> None:
    await synced(database, embedder, Git(str(repository)))
    git(repository, "checkout", "--quiet", "--orphan", "other")
    commit(repository, leave=None, office="The cellar is open.")
    git(repository, "branch", "--quiet", "-D", "main")
    git(repository, "branch", "--quiet", "-m", "main")
    git(repository, "reflog", "expire", "--expire=now", "--all")
    git(repository, "gc", "--quiet", "--prune=now")

    outcome = await synced(database, embedder, Git(str(repository)))

    assert (1, 1) == (outcome.changed, outcome.removed)
    assert {"office.md": "The cellar is open."} == await known(database)


async def test_scanned_pages_are_read_once_text_recognition_is_there(
    database: Database, embedder: Embedder, repository: Path
) -> None:
    whole = making.drawn_pdf(making.words("Breakfast is paid."), making.words("Dinner is paid with the room."))
    picture = scanning.pictures_of(whole)[1].crop((0, 0, 800, 320))
    (repository / "meals.pdf").write_bytes(
        making.drawn_pdf(making.words("Breakfast is paid."), scanning.drawn(picture))
    )
    commit(repository)

    async def read(pages: int) -> Ingested:
        options = IngestOptions(limits=Limits(seconds=120, ocr_pages=pages))
        return await sync(database, embedder, "one", [Git(str(repository))], options)

    first, same = await read(0), await read(0)
    assert (3, 0, 0) == (first.added, same.changed, same.unchanged)
    assert "Dinner" not in (await known(database))["meals.pdf"]

    whole_now, again = await read(1), await read(1)

    assert (1, 0, 0) == (whole_now.changed, again.changed, again.unchanged)
    assert "Dinner is paid with the room." in (await known(database))["meals.pdf"]


@pytest.mark.parametrize("kind", ["files", "git"])
async def test_a_source_that_cannot_be_read_keeps_what_it_had_and_others_are_read(
    database: Database, embedder: Embedder, repository: Path, kind: str, tmp_path: Path
) -> None:
    await synced(database, embedder, connector_of(kind, str(repository)))
    before = await known(database)
    shutil.move(repository, tmp_path / "elsewhere")
    (tmp_path / "other.md").write_text("# Other\n\nParking is free.\n")

    outcome = await synced(database, embedder, connector_of(kind, str(repository)), Files(str(tmp_path / "other.md")))

    assert ([str(repository)], 1) == ([one.path for one in outcome.failed], outcome.added)
    assert before | {"other.md": "Parking is free."} == await known(database)
    desk = Desk()
    await sources.show_source(at(desk, database), str(repository))
    assert "Nothing could be read: " in desk.shown.getvalue()


class Whole:
    """A source that lists its documents, in its changes (`gone`) or on request (`ids`)."""

    kind = "whole"
    location = "whole:1"

    def __init__(self, *, listed: list[str], gone: list[str] | None) -> None:
        self.listed = listed
        self._gone = gone

    async def changes(self, cursor: str) -> Changes:
        return Changes(paths=self.listed, gone=self._gone, cursor="1")

    async def ids(self) -> list[str]:
        return self.listed

    async def content(self, path: str, limits: Limits) -> bytes:
        return f"# {path}\n\nThe text of {path}.\n".encode()

    def url_of(self, path: str) -> str | None:
        return None

    async def aclose(self) -> None:
        pass


@pytest.mark.parametrize("gone", [None, []])
async def test_a_source_of_several_documents_that_lists_none_keeps_them_and_says_so(
    database: Database, embedder: Embedder, gone: list[str] | None
) -> None:
    await synced(database, embedder, Whole(listed=["a.md", "b.md"], gone=gone))
    before = await known(database)

    outcome = await synced(database, embedder, Whole(listed=[], gone=gone))

    assert (0, ["whole:1"]) == (outcome.removed, [one.path for one in outcome.failed])
    assert before == await known(database)
    assert "It lists no document any more, so all 2 stay" in (await source(database)).error
    assert 1 == (await synced(database, embedder, Whole(listed=["a.md"], gone=gone))).removed
    assert 1 == (await synced(database, embedder, Whole(listed=[], gone=gone))).removed
    assert {} == await known(database)


async def test_a_source_that_says_of_each_document_that_it_is_gone_is_believed(
    database: Database, embedder: Embedder
) -> None:
    await synced(database, embedder, Whole(listed=["a.md", "b.md"], gone=[]))

    outcome = await synced(database, embedder, Whole(listed=[], gone=["a.md", "b.md"]))

    assert (2, []) == (outcome.removed, outcome.failed)
    assert {} == await known(database)


async def test_a_folder_whose_volume_is_not_mounted_keeps_its_documents_until_it_is_back(
    database: Database, embedder: Embedder, repository: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    await synced(database, embedder, Files(str(repository)))
    before = await known(database)
    volume = shutil.move(repository, tmp_path / "volume")
    shutil.move(tmp_path_factory.mktemp("empty"), repository)

    outcome = await synced(database, embedder, Files(str(repository)))

    assert (0, [str(repository)]) == (outcome.removed, [one.path for one in outcome.failed])
    assert before == await known(database)
    desk = Desk()
    await sources.show_source(at(desk, database), str(repository))
    shown = " ".join(desk.shown.getvalue().split())
    assert "Nothing could be read: It lists no document any more, so all 3 stay" in shown
    assert "is its volume mounted?" in shown
    assert "askback sources remove" in shown
    shutil.rmtree(repository)
    shutil.move(volume, repository)
    assert 3 == (await synced(database, embedder, Files(str(repository)))).unchanged
    assert "" == (await source(database)).error


async def test_a_folder_that_holds_files_of_other_formats_only_is_mounted(
    database: Database, embedder: Embedder, repository: Path
) -> None:
    await synced(database, embedder, Files(str(repository)))
    for path in await known(database):
        shutil.move(repository / path, repository / f"{path}.xyz")

    outcome = await synced(database, embedder, Files(str(repository)))

    assert (3, []) == (outcome.removed, outcome.failed)
    assert {} == await known(database)


async def test_what_failed_is_kept_with_its_reason_and_tried_again_until_it_is_read(
    database: Database, minilm: Embedding, repository: Path
) -> None:
    class Breaking(NotingEmbedder):
        def count_tokens(self, text: str) -> int:
            if "code" in text:
                raise ZeroDivisionError
            return super().count_tokens(text)

    await synced(database, Breaking(minilm, [], []), Git(str(repository)))
    assert (1, ["leave.md"]) == ((await source(database)).failures, [*await known(database)])
    desk = Desk()
    await sources.show_source(at(desk, database), str(repository))
    assert "office.md: Its content cannot be read (ZeroDivisionError)" in desk.shown.getvalue()

    outcome = await synced(database, NotingEmbedder(minilm, [], []), Git(str(repository)))

    assert (1, 0) == (outcome.added, (await source(database)).failures)
    assert {"leave.md", "office.md"} == (await known(database)).keys()


async def test_ended_in_the_middle_it_goes_on_from_the_commit_before(
    database: Database, minilm: Embedding, repository: Path
) -> None:
    class Ended(NotingEmbedder):
        def embed_passages(self, texts: list[str]) -> Matrix:
            raise asyncio.CancelledError

    embedder = NotingEmbedder(minilm, [], [])
    await synced(database, embedder, Git(str(repository)))
    commit(repository, leave="Everybody has 30 days of leave.")
    with pytest.raises(asyncio.CancelledError):
        await synced(database, Ended(minilm, [], []), Git(str(repository)))
    assert "28" in (await known(database))["leave.md"]

    assert 1 == (await synced(database, embedder, Git(str(repository)))).changed
    assert "30" in (await known(database))["leave.md"]


async def test_a_source_is_for_whom_it_is_to_be_before_anything_of_it_is_known(
    database: Database, embedder: Embedder, repository: Path
) -> None:
    desk = Desk()
    added = await sources.add_source(
        at(desk, database), f"file://{repository}", ["C0PEOPLE"], upkeep=sources.UpkeepChange(minutes=60)
    )
    assert ("git", ["channel:C0PEOPLE"], 0, True) == (added.kind, added.names, added.documents, added.is_due)

    await synced(database, embedder, connector_of(added.kind, added.location))

    async with database.transaction("one") as connection:
        await read_as(connection, frozenset({"everyone"}))
        cursor = await connection.execute("SELECT FROM documents")
        assert 0 == len(await cursor.fetchall())
    assert {"leave.md", "office.md"} == (await known(database)).keys()
    assert ["channel:C0PEOPLE"] == (await source(database)).names


async def test_a_source_may_be_for_nobody_from_the_start(database: Database, repository: Path) -> None:
    added = await sources.add_source(at(Desk(), database), f"file://{repository}", ["nobody"])
    again = await sources.add_source(at(Desk(), database), f"file://{repository}", None)

    assert ([], []) == (added.names, again.names)


async def test_what_is_due_is_read_and_what_is_paused_only_if_it_is_named(
    database: Database, embedder: Embedder, repository: Path
) -> None:
    here, name = at(Desk(), database), str(repository)
    await sources.add_source(here, name, ["everyone"], upkeep=sources.UpkeepChange(minutes=60))

    async def wanted(location: str | None = None, *, only_due: bool = False) -> list[str]:
        return [one.location for one in await sources.chosen(here, location, only_due=only_due) or []]

    assert [[name], [name]] == [await wanted(), await wanted(only_due=True)]
    await synced(database, embedder, Files(name))
    assert [[name], []] == [await wanted(), await wanted(only_due=True)]
    await sources.pause_source(here, name, is_paused=True)
    assert [[], [name]] == [await wanted(), await wanted(name)]


async def test_a_source_that_was_removed_meanwhile_does_not_come_back_for_everyone(
    database: Database, embedder: Embedder, repository: Path
) -> None:
    outcome = await sync(database, embedder, "one", [Files(str(repository))], only="known")

    assert (0, {}) == (outcome.added, await known(database))


@pytest.mark.parametrize("location", ["https://ada:secret@git.example/handbook.git", "/nowhere/at/all"])
async def test_what_cannot_be_a_source_is_said_at_once(database: Database, location: str) -> None:
    with pytest.raises(KnowledgeError):
        await sources.add_source(at(Desk(), database), location, ["everyone"])
    assert [] == await sources.chosen(at(Desk(), database), None, only_due=False)


async def test_what_looks_like_an_unknown_kind_is_answered_with_the_kinds(database: Database, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="called foo: give files, git, web, notion, loader, slack"):
        await sources.add_source(at(Desk(), database), "foo:bar", ["everyone"])
    (tmp_path / "foo:bar").write_text("A file may be called so.")

    assert "files" == guessed(str(tmp_path / "foo:bar"))[0] == guessed("What is new: 2026.md")[0]
    assert "git" == guessed("host.example:team/handbook.git")[0]


async def test_no_address_names_a_program(tmp_path: Path) -> None:
    one = Git(f"ext::sh -c touch% {tmp_path}/done.git")
    with pytest.raises(KnowledgeError):
        await one.changes("")
    await one.aclose()

    assert not (tmp_path / "done").exists()
    assert "git" == guessed("git@github.com:lumenpine/handbook.git")[0]


@pytest.mark.parametrize("how", ["a link", "a link in a folder", "a pipe", "another file"])
async def test_what_takes_a_files_place_after_it_was_found_is_not_read_from_elsewhere(tmp_path: Path, how: str) -> None:
    """Who may write into a folder of documents must not learn what else the bot may read."""
    folder, elsewhere = tmp_path / "handbook", tmp_path / "home"
    for place in (folder / "it", elsewhere):
        place.mkdir(parents=True)
        (place / "page.md").write_text(f"The folder is {place.name}.")
    source = Files(str(folder))
    assert ["it/page.md"] == (await source.changes("")).paths

    shutil.rmtree(folder / "it")
    if how == "a link in a folder":
        (folder / "it").symlink_to(elsewhere)
    else:
        (folder / "it").mkdir()
    if how == "a link":
        (folder / "it/page.md").symlink_to(elsewhere / "page.md")
    if how == "a pipe":
        os.mkfifo(folder / "it/page.md")
    if how == "another file":
        (folder / "it/page.md").write_text("It was changed.")
        assert b"It was changed." == await source.content("it/page.md", Limits())
        return

    with pytest.raises(KnowledgeError, match="no file of this source any more"):
        await source.content("it/page.md", Limits())


class Parts:
    """A source that is told in parts. Each part says what it holds, and what is gone."""

    kind = "parts"
    location = "parts:all"

    def __init__(self, *parts: Changes | KnowledgeError, texts: dict[str, str]) -> None:
        self._parts = [*parts]
        self._texts = texts
        self.asked: list[str] = []

    async def changes(self, cursor: str) -> Changes:
        self.asked.append(cursor)
        part = self._parts.pop(0)
        if isinstance(part, KnowledgeError):
            raise part
        return part

    async def content(self, path: str, limits: Limits) -> bytes:
        if not self._texts[path]:
            raise NoTextError
        return self._texts[path].encode()

    def url_of(self, path: str) -> str | None:
        return None

    async def aclose(self) -> None:
        pass


async def test_the_cursor_of_each_part_is_kept_with_its_documents(database: Database, embedder: Embedder) -> None:
    texts = {"a.md": "# A\n\nApples.", "b.md": "# B\n\nBeans.", "c.md": ""}
    first = Changes(paths=["a.md"], gone=None, others=["b.md", "c.md"], cursor="1", has_more=True)
    broken = Parts(first, KnowledgeError("It is away."), texts=texts)

    outcome = await synced(database, embedder, broken)

    assert (1, ["It is away."], ["a.md"]) == (
        outcome.added,
        [one.reason for one in outcome.failed],
        [*await known(database)],
    )
    second = Parts(Changes(paths=["b.md", "c.md"], gone=[], cursor="2"), texts=texts)
    outcome = await synced(database, embedder, second)
    assert (1, {"without text": 1}) == (outcome.added, outcome.skipped)
    assert (["", "1"], ["1"]) == (broken.asked, second.asked)
    third = Parts(Changes(paths=[], gone=None, others=["b.md"], cursor="3"), texts=texts)
    assert 1 == (await synced(database, embedder, third)).removed
    assert (["2"], ["b.md"]) == (third.asked, [*await known(database)])


async def test_what_a_part_stored_goes_if_a_later_part_says_so(database: Database, embedder: Embedder) -> None:
    texts = {"a.md": "# A\n\nApples.", "b.md": "# B\n\nBeans."}
    await synced(database, embedder, Parts(Changes(paths=["a.md"], gone=[], cursor="1"), texts=texts))
    stored = Changes(paths=["a.md", "b.md"], gone=[], cursor="2", has_more=True)
    gone = Changes(paths=[], gone=["a.md", "b.md"], cursor="3")

    outcome = await synced(database, embedder, Parts(stored, gone, texts={**texts, "a.md": "# A\n\nApricots."}))

    assert (2, {}) == (outcome.removed, await known(database))


async def test_what_is_back_in_a_later_part_is_stored_again(database: Database, embedder: Embedder) -> None:
    texts = {"a.md": "# A\n\nApples."}
    await synced(database, embedder, Parts(Changes(paths=["a.md"], gone=[], cursor="1"), texts=texts))
    gone = Changes(paths=[], gone=["a.md"], cursor="2", has_more=True)
    back = Changes(paths=["a.md"], gone=[], cursor="3")

    await synced(database, embedder, Parts(gone, back, texts=texts))

    assert ["a.md"] == [*await known(database)]


async def test_a_last_part_without_documents_is_no_failure(database: Database, embedder: Embedder) -> None:
    stored = Changes(paths=["a.md"], gone=[], cursor="1", has_more=True)
    last = Changes(paths=[], gone=[], cursor="2")

    outcome = await synced(database, embedder, Parts(stored, last, texts={"a.md": "# A\n\nApples."}))

    assert (1, []) == (outcome.added, outcome.failed)


async def test_what_each_part_skips_again_is_counted_once(database: Database, embedder: Embedder) -> None:
    skipped = {"logo.svg": ".svg"}
    first = Changes(paths=["a.md"], gone=[], cursor="1", has_more=True, skipped=skipped)
    last = Changes(paths=[], gone=[], cursor="2", skipped={**skipped, "b.exe": ".exe"})

    outcome = await synced(database, embedder, Parts(first, last, texts={"a.md": "# A\n\nApples."}))

    assert {".svg": 1, ".exe": 1} == outcome.skipped


async def test_a_reason_that_cannot_be_stored_stops_no_other_source(
    database: Database, embedder: Embedder, repository: Path
) -> None:
    class Refused(Parts):
        location = "refused:all"

        async def content(self, path: str, limits: Limits) -> bytes:
            raise KnowledgeError("It leads to caf\udce9.\n\0")

    refused = Refused(Changes(paths=["a.md"], gone=[], cursor="1"), texts={})
    connectors = refused, Parts(KnowledgeError("It is\0 \udce9 away."), texts={}), Files(str(repository))
    outcome = await synced(database, embedder, *connectors)

    assert (3, ["It leads to caf\\udce9.", "It is \\udce9 away."]) == (
        outcome.added,
        [one.reason for one in outcome.failed],
    )


async def test_a_connector_that_does_not_get_on_is_stopped(database: Database, embedder: Embedder) -> None:
    one = Changes(paths=[], gone=[], cursor="1", has_more=True)

    outcome = await synced(database, embedder, Parts(one, one, one, texts={}))

    assert ["does not get on" in failure.reason for failure in outcome.failed] == [True]


async def test_a_connector_that_breaks_concerns_only_its_own_source(
    database: Database, embedder: Embedder, repository: Path
) -> None:
    class Breaking(Parts):
        location = "breaking:all"

        async def changes(self, cursor: str) -> Changes:
            raise ZeroDivisionError

        async def aclose(self) -> None:
            raise ZeroDivisionError

    class Wrong(Parts):
        location = "wrong:all"

        async def changes(self, cursor: str) -> Changes:
            return Changes(paths=["a\0.md"], gone=None, cursor="")

    class Half(Parts):
        location = "half:all"

        async def changes(self, cursor: str) -> Changes:
            return Changes(paths=["\ud800.md"], gone=None, cursor="")

    connectors = Breaking(texts={}), Wrong(texts={}), Half(texts={}), Files(str(repository))
    outcome = await synced(database, embedder, *connectors)

    assert (3, ["ZeroDivisionError", "TypeError", "UnicodeEncodeError"]) == (
        outcome.added,
        [one.reason.partition("(")[2].partition(")")[0] for one in outcome.failed],
    )
