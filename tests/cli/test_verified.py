"""Administrators see what people kept, end it, and take it along as cases of an evaluation."""

import io
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from rich.console import Console

from bot.cli.administration import Administration, administering, show_choices
from bot.cli.forget import forget
from bot.cli.knowledge import verified
from bot.errors import SettingsError
from bot.evals.outcomes import read_expectations
from bot.settings import Settings
from tests.support.databases import as_app

KEEP = """
    INSERT INTO verified_answers (workspace, origin, asked_as, question, text, sources, writer, writer_name, place,
                                  kept_at, valid_until, retired_at)
    VALUES ('default', %(origin)s, 'C0:1', %(question)s, 'It is 145 EUR [1].',
            '[{"source_id": 1, "path": "travel.md"}]', 'UADA', 'Ada', 'channel:C1', now(), %(until)s, %(retired)s)
"""


@pytest.fixture
def kept(database_url: str) -> str:
    """A database with an answer that is told, one that has expired, and one that was retired."""
    now = datetime.now(UTC)
    later, before = now + timedelta(days=90), now - timedelta(days=1)
    with psycopg.connect(database_url, autocommit=True) as owner:
        for question, until, retired in (
            ("What is the limit?", later, None),
            ("What was it?", before, None),
            ("What else?", later, now),
        ):
            owner.execute(KEEP, {"origin": question, "question": question, "until": until, "retired": retired})
    return as_app(database_url)


async def done(url: str, do: Callable[[Administration], Awaitable[None]]) -> str:
    """Run a command, and return what it prints."""
    console = Console(file=io.StringIO(), width=200)
    async with administering(Settings(), url, console) as here:
        await do(here)
    shown = console.file
    assert isinstance(shown, io.StringIO)
    return shown.getvalue()


async def test_all_are_listed_with_their_state(kept: str) -> None:
    said = await done(kept, lambda here: verified.list_verified(here, is_json=False))
    as_json = json.loads(await done(kept, lambda here: verified.list_verified(here, is_json=True)))

    assert ["retired", "expired", "told"] == [line.split()[1] for line in said.splitlines()[1:]]
    assert "channel:C1" in said
    assert ["It is 145 EUR [1]."] * 3 == [one["text"] for one in as_json]


async def test_as_json_an_answer_has_the_fields_that_programs_read_and_no_other(kept: str) -> None:
    listed = json.loads(await done(kept, lambda here: verified.list_verified(here, is_json=True)))

    fields = "id question text writer writer_name place kept_at valid_until retired_at used paths"
    assert [fields.split()] * 3 == [list(one) for one in listed]
    assert [["travel.md"]] * 3 == [one["paths"] for one in listed]


async def test_one_is_retired_once(kept: str) -> None:
    async def twice(here: Administration) -> None:
        (told,) = [one.id for one in await verified._all(here) if one.question == "What is the limit?"]
        assert await verified.retire_verified(here, told)
        assert not await verified.retire_verified(here, told)

    said = await done(kept, twice)

    assert "is retired." in said
    assert "There is no verified answer" in said


async def test_what_is_told_is_exported_as_a_case_that_the_evaluation_reads(kept: str, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"

    said = await done(kept, lambda here: verified.export_verified(here, file, folder="handbook"))
    (case,) = read_expectations(file)

    assert "1 written" in said
    assert ("What is the limit?", "answer", "handbook") == (case.question, case.expect, case.folder)
    assert (["145"], ["travel.md"]) == ([*case.needs], [*case.sources])


async def test_a_file_that_cannot_be_written_is_told_in_one_sentence(kept: str, tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "cases.jsonl"

    with pytest.raises(SettingsError, match=r"cases\.jsonl cannot be written: No such file or directory\."):
        await done(kept, lambda here: verified.export_verified(here, file))


async def test_an_empty_list_of_choices_says_so(database_url: str) -> None:
    said = await done(as_app(database_url), show_choices)

    assert said == "No choice is remembered yet.\n"


async def test_nobody_is_asked_before_nothing_is_forgotten(database_url: str) -> None:
    async def forgotten(here: Administration) -> None:
        assert await forget(here, "the channel C0", lambda it: it.channel("C0"), is_dry=False, is_sure=False)

    said = await done(as_app(database_url), forgotten)

    assert "This would go with the channel C0: nothing." in said
    assert "Forget it?" not in said
