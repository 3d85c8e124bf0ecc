"""A hostile file costs bounded memory and time, reaches nothing, and stops no other file."""

import asyncio
import json
import os
import platform
import re
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from bot.errors import KnowledgeError
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import IngestOptions, ingest
from bot.knowledge.read import read_foreign
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.sandbox.parent import BOUNDS, bounds_that_hold, end, read_sandboxed, result_of
from bot.postgres.pool import Database
from tests.knowledge.readers import making

PATIENT = Limits(seconds=120)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "ha ha ha ha ha ha ha ha ha ha">'
    + "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True))
    + f']><w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>&i;</w:t></w:r></w:p></w:body></w:document>'
)
OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>Text. &x;</w:t></w:r></w:p></w:body></w:document>'
)
NESTED = (
    f'<?xml version="1.0"?><w:document xmlns:w="{WORD}"><w:body>'
    + "<w:sdt><w:sdtContent>" * 20_000
    + "</w:sdtContent></w:sdt>" * 20_000
    + "</w:body></w:document>"
)
LOOP = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000000/Parent 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
)
HOSTILE = {
    "bomb.docx": making.zipped({"word/document.xml": b"0" * 8_000_000}),
    "crowd.docx": making.zipped({f"{number}.xml": b"" for number in range(11_000)}),
    "laughs.docx": making.word_of(LAUGHS),
    "nested.docx": making.word_of(NESTED),
    "half.docx": making.word()[:-2000],
    "protected.docx": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(5000),
    "picture.docx": b"\x89PNG\r\n\x1a\n" + bytes(500),
    "nothing.docx": b"",
    "bomb.xlsx": making.zipped({"xl/workbook.xml": b"0" * 8_000_000}),
    "half.pptx": making.slides()[:-2000],
    "deep.json": b"[" * 100_000,
    "noise.csv": bytes(range(256)) * 40,
    "loop.pdf": LOOP,
    "half.pdf": making.pdf()[:900],
    "noise.pdf": b"%PDF-1.7\n" + bytes(range(256)) * 40,
    "nothing.pdf": b"",
}
BOMBS = ("bomb.docx", "crowd.docx", "bomb.xlsx")
"""Archives that would fill the memory, and are not unpacked."""
TOGETHER = ("bomb.docx", "half.pptx", "deep.json", "loop.pdf", "nothing.pdf")
"""One for each way to fail: too large unpacked, cut off, nested too deeply, endless, empty."""


@pytest.mark.skipif(platform.system() != "Linux", reason="Other kernels have neither seccomp nor Landlock.")
async def test_a_child_reaches_no_network_no_file_no_program_and_no_other_process() -> None:
    assert list(BOUNDS) == await bounds_that_hold(PATIENT)


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_file_is_one_line(name: str) -> None:
    before = psutil.Process().memory_info().rss

    with pytest.raises(KnowledgeError) as refused:
        await read_foreign(name, HOSTILE[name], PATIENT)

    assert "\n" not in str(refused.value)
    assert (name in BOMBS) == bool(re.search(r"The file unpacks to .* MB in .* parts", str(refused.value)))
    assert psutil.Process().memory_info().rss - before < 100_000_000
    assert [] == children()


async def test_what_lies_outside_a_file_is_not_read() -> None:
    parsed = await read_sandboxed("docx", making.word_of(OUTSIDE), PATIENT)

    assert ["Text."] == [block.text for block in parsed.blocks]


async def test_what_takes_too_much_memory_is_ended_and_the_setting_is_named() -> None:
    with pytest.raises(KnowledgeError, match="ASKBACK_READER_MEMORY_MB"):
        await read_sandboxed("docx", making.long_word(8_000), Limits(seconds=120, memory_mb=60))


async def test_what_takes_too_long_is_ended_and_the_setting_is_named() -> None:
    with pytest.raises(KnowledgeError, match="ASKBACK_READER_SECONDS"):
        await read_sandboxed("docx", making.word(), Limits(seconds=0.02))

    assert [] == children()


async def test_what_says_too_much_is_ended_and_the_setting_is_named() -> None:
    with pytest.raises(KnowledgeError, match="ASKBACK_LARGEST_FILE_MB"):
        await read_sandboxed("docx", making.long_word(2_000), Limits(seconds=120, text_mb=0.01))

    assert [] == children()


async def test_a_reading_that_is_cancelled_ends_its_child_and_no_other() -> None:
    other = asyncio.create_task(read_sandboxed("docx", making.long_word(3_000), PATIENT))
    beside = psutil.Process(await child_that(lambda _: True))
    beside.suspend()  # It would have read everything before the next one has begun.
    stopped = asyncio.create_task(read_sandboxed("docx", making.long_word(3_000), PATIENT))
    await child_that(lambda child: child != beside.pid and has_begun(child))

    stopped.cancel()
    # A child that is not ended waits for ever for somebody to read what it has read.
    async with asyncio.timeout(60):
        await asyncio.gather(stopped, return_exceptions=True)

    assert stopped.cancelled()
    assert [beside.pid] == children()
    beside.resume()
    assert 3_000 == len((await other).blocks)
    assert [] == children()


async def test_hostile_files_stop_no_other_and_each_has_its_line(
    database: Database, embedder: Embedder, tmp_path: Path
) -> None:
    for name in TOGETHER:
        (tmp_path / name).write_bytes(HOSTILE[name])
    (tmp_path / "zoo.docx").write_bytes(making.word())

    result = await ingest(database, embedder, "one", [tmp_path], IngestOptions(limits=PATIENT))

    assert (1, sorted(TOGETHER)) == (result.added, [failure.path for failure in result.failed])


def children() -> list[int]:
    """Return the child processes that read files."""
    found = psutil.Process(os.getpid()).children()
    return [child.pid for child in found if "bot.knowledge.sandbox" in " ".join(_command(child))]


async def child_that(holds: Callable[[int], bool]) -> int:
    """Wait for a child process for which this holds."""
    async with asyncio.timeout(60):
        while not (found := [*filter(holds, children())]):  # noqa: ASYNC110 - No event tells it.
            await asyncio.sleep(0.01)
    return found[0]


def has_begun(child: int) -> bool:
    """Tell whether a child works: it is there before the task that starts it goes on, and ends with that task then."""
    return psutil.Process(child).cpu_times().user > 0.1


def _command(child: psutil.Process) -> list[str]:
    try:
        return child.cmdline()
    except psutil.Error:
        return []


NOISY = """
import os, sys, types
from bot.knowledge.blocks import Block, Parsed

def read(content):
    print("A warning of a library.", flush=True)
    os.write(1, b"7\\n")
    return Parsed(blocks=[Block(text=content.decode())])

sys.modules["bot.knowledge.readers.noisy"] = types.SimpleNamespace(read=read)
sys.argv = ["", "noisy", "2000", "60", "0"]
from bot.knowledge.sandbox.child import main
main()
"""


async def test_what_a_library_prints_is_no_result() -> None:
    async with python(NOISY) as child:
        said = await result_of(child, b"Text.", PATIENT)

    assert ["Text."] == [block["text"] for block in json.loads(said)["blocks"]]


@asynccontextmanager
async def python(code: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Start a child that runs some code, and end it."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield child
    finally:
        await end(child)


@pytest.mark.parametrize("says", ["", "print('{}', end='')", "print(1)"])
async def test_a_child_that_does_not_end_before_its_result_is_too_slow(says: str) -> None:
    """A hostile file that took over its reader keeps no other file waiting for longer than its own seconds."""
    async with python(f"{says}\nimport sys, time; sys.stdout.flush(); time.sleep(60)") as child:
        with pytest.raises(KnowledgeError, match=r"takes longer than 0\.5 s"):
            await asyncio.wait_for(result_of(child, b"", Limits(seconds=0.5), pages=1), 30)


async def test_a_child_that_goes_on_after_its_result_is_not_waited_for() -> None:
    async with python("import sys\nprint('{}', flush=True)\nwhile True: sys.stdout.write('x' * 65536)") as child:
        assert b"{}\n" == await result_of(child, b"", PATIENT)
        # Long enough to fill the buffer, which must not keep the child from being ended.
        await asyncio.sleep(0.5)


@pytest.mark.parametrize("says", ["print(1); print(2)", "print('1' * 5_000)"])
async def test_more_numbers_than_pages_or_huge_ones_are_a_result(says: str) -> None:
    async with python(says) as child:
        said = await result_of(child, b"", PATIENT, pages=1)

    assert said.strip().isdigit()


async def test_an_error_of_who_is_told_of_pages_is_not_the_files() -> None:
    def tell(_: int) -> None:
        raise ValueError("ours")

    async with python("print(1)") as child:
        with pytest.raises(ValueError, match="ours"):
            await result_of(child, b"", PATIENT, pages=1, tell=tell)
