"""Words of people, documents and models cannot control the terminal that shows a run."""

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from bot.cli.runs import tree
from bot.conversation.traces.kept_run import KeptRun
from bot.models.llm.usage import Usage
from bot.settings import Price
from graph.trace import Call, TracedStep, cost_of

HOSTILE = "[/dim] [red]a\x1b[2J\x07\u202eb[/nothing]"
SHOWN = "[/dim] [red]a[2Jb[/nothing]"


def test_what_was_said_is_shown_as_it_is_and_steers_nothing() -> None:
    step = TracedStep(
        node="write", ms=3, facts={"draft": 1, "again": "x"}, words={"draft": [HOSTILE, HOSTILE]}, calls=[]
    )
    run = KeptRun(
        id=1, reference="R", kind="turn", thread_id="t", person="U", ended_at=datetime.now(UTC), outcome="answered",
        calls=1, tokens_in=1, tokens_out=2, ms=3, question=HOSTILE, ratings=["bad (wrong)"],
        objections=[HOSTILE], steps=[step],
    )  # fmt: skip
    said = io.StringIO()

    Console(file=said, width=200, force_terminal=True, color_system=None).print(tree(run))

    assert 4 == said.getvalue().count(SHOWN)
    assert "rated: bad (wrong)" in said.getvalue()
    assert not {"\x1b[2J", "\x07", "\u202e"} & set(said.getvalue())
    assert "1 call, 1 + 2 tokens, 3 ms" in said.getvalue()


def call(**given: float) -> Call:
    return Call(model="large", tokens_in=1, tokens_out=2, ms=3, **given)


@pytest.mark.parametrize(
    ("calls", "cost"), [([call(cost=0.25), call(cost=0.5)], 0.75), ([call(cost=0.25), call()], None), ([], None)]
)
def test_a_run_costs_what_its_calls_cost_if_all_prices_are_known(calls: list[Call], cost: float | None) -> None:
    assert cost == cost_of([TracedStep(node="write", ms=3, facts={}, words={}, calls=calls)])


@pytest.mark.parametrize(("cached_input", "cost"), [(None, 3.0), (0.5, 2.8)])
def test_a_price_is_for_a_million_tokens_and_cached_ones_may_cost_less(cached_input: float | None, cost: float) -> None:
    usage = Usage(
        model="m",
        role="small",
        prompt="write",
        tokens_in=1_000_000,
        tokens_cached=400_000,
        tokens_out=1_000_000,
        seconds=1,
    )

    assert cost == pytest.approx(usage.cost(Price(input=1, output=2, cached_input=cached_input)))
