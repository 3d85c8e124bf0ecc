"""The comparison of presets counts what each contestant asked for a question, and prints a row for each."""

from benchmarks.answers.presets import Asked, asked, chosen, contestants, table
from bot.app import open_bot
from bot.cli.demo import HANDBOOK
from bot.evals.outcomes import Expectation
from bot.evals.tasks import Effort, Told
from bot.knowledge.ingest import ingest
from bot.settings import Settings
from tests.support.databases import as_app

LISBON = "handbook-041"


async def test_all_presets_and_one_pass_are_asked_the_same_and_pay_for_themselves(database_url: str) -> None:
    (expected,) = [one for one in chosen(["multi_hop"], "") if one.id == LISBON]
    settings = Settings(workspace="evaluation", embedding="english")
    async with open_bot(settings, as_app(database_url)) as bot:
        await ingest(bot.database, bot.embedder, "evaluation", [HANDBOOK])
        racing = contestants(bot)
        results = [await asked(name, one, expected) for name, one in racing.items()]

    assert ["linear", "balanced"] == [one.by for one in results]
    assert [(0, 0)] * 2 == [(one.effort.calls, one.effort.tokens) for one in results]
    assert all(one.effort.searches >= 1 for one in results)
    assert "failed" not in [one.told.outcome for one in results]


def test_a_table_has_a_row_for_each_contestant_with_its_means() -> None:
    (expected, other) = chosen(["multi_hop"], "")[:2]
    rows = [told(expected, calls=2), told(other, calls=3)]

    lines = table("all", rows).splitlines()

    assert 3 == len(lines)
    assert "| linear | 0 of 2 |" in lines[2]
    assert "| 2.5 |" in lines[2]


def told(expected: Expectation, *, calls: int) -> Asked:
    effort = Effort(seconds=0.1, calls=calls, tokens=10, searches=1)
    return Asked(by="linear", expected=expected, told=Told(outcome="admitted"), verdict="nothing", effort=effort)
