"""Meters what a question takes, by the record of its runs."""

from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import ParamSpec

from bot.conversation.traces.recorder import Recording, recording
from bot.evals.answers import Told
from bot.evals.effort import Effort
from graph.trace import rounds

P = ParamSpec("P")


def metered(tell: Callable[P, Awaitable[Told]]) -> Callable[P, Awaitable[tuple[Told, Effort]]]:
    """Return the same, which also tells the effort. A failure becomes a result, so that it stops no evaluation."""

    async def told(*args: P.args, **kwargs: P.kwargs) -> tuple[Told, Effort]:
        began = perf_counter()
        with recording(keeps=True) as record:
            try:
                result = await tell(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - A failing question must not stop the run.
                result = Told(outcome="failed", text=f"{type(error).__name__}: {error}")
        return result, _effort(record, perf_counter() - began)

    return told


def _effort(record: Recording, seconds: float) -> Effort:
    calls = [*record.calls, *(call for step in record.steps for call in step["calls"])]
    return Effort(
        seconds=seconds,
        calls=len(calls),
        tokens=sum(call["tokens_in"] + call["tokens_out"] for call in calls),
        searches=len(record.searches) + sum(int(str(step["facts"].get("searches", 0))) for step in record.steps),
        retries=max(0, len(rounds(record.steps)) - 1),
    )
