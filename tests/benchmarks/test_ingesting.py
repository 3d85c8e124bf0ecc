"""Beside the plain way: counts only, because times mean nothing on a shared machine."""

import asyncio
from collections.abc import Generator

import pytest
from rich.console import Console

from benchmarks.arena.arena import Arena
from benchmarks.documents.ingesting import NAMES, STEPS, measure
from benchmarks.documents.ingesting_report import Results, markdown
from bot.cli.demo import HANDBOOK
from tests.conftest import cloned
from tests.support.fork_server import WARM

_, NOTHING, *_ = STEPS


@pytest.fixture(scope="module")
def results(server_url: str, template_url: str) -> Generator[Results]:
    """What reading a part of the handbook takes, with made-up vectors."""
    with cloned(server_url, template_url) as url, pytest.MonkeyPatch.context() as patch:
        # Loading takes most of the time of a process that is killed.
        patch.setattr("benchmarks.documents.ingesting.RUN", WARM)
        arena = Arena(server_url=server_url, template=url.rsplit("/", 1)[1])
        yield asyncio.run(measure(arena, HANDBOOK / "people", Console(quiet=True), rounds=0))


def test_only_what_changed_is_embedded_and_the_plain_way_embeds_everything(results: Results) -> None:
    ours, theirs = ([results.steps[name][step].reading.embedded for step in STEPS] for name in NAMES)

    assert ours[0] > 0
    assert [0, 1, 0] == ours[1:]
    assert theirs[0] == theirs[1] > theirs[3] > 0


def test_an_unchanged_folder_costs_the_database_next_to_nothing(results: Results) -> None:
    ours, theirs = (results.steps[name][NOTHING] for name in NAMES)

    assert ours.written.commits <= 2
    assert 0 < 10 * ours.written.size < theirs.written.size
    assert 0 < ours.statements < theirs.statements


def test_a_deleted_document_is_gone_and_the_plain_way_still_finds_it(results: Results) -> None:
    assert 0 == results.left["Askback"] < results.left["plain"]


def test_a_kill_in_the_middle_loses_nothing_halves_nothing_and_what_was_stored_is_not_embedded_again(
    results: Results,
) -> None:
    ours, theirs = (results.killed[name] for name in NAMES)

    assert (0, 0, 0) == (ours.halved, ours.missing, ours.twice)
    assert 0 < ours.there
    assert 0 < ours.embedded_again < ours.pieces
    assert theirs.embedded_again == theirs.pieces


def test_the_tables_show_every_step(results: Results) -> None:
    shown = markdown(results)

    assert all(f"| {step} | {name} |" in shown for step in STEPS for name in NAMES)
    assert "Killed in the middle" in shown
