"""Measures tasks one after the other: what each comes to, and what it takes by the record of its runs."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from time import perf_counter
from typing import TypeVar

from bot.conversation.traces.recorder import Recording, recording
from bot.evals.tasks import Bench, Effort, Measured, Task, TaskOutcome, failed_row
from graph.trace import rounds

T = TypeVar("T")
F = TypeVar("F")


async def measured(tasks: Iterable[Task], bench: Bench) -> AsyncIterator[Measured]:
    """Yield the result of each task. A task that fails is a result too, and stops no other."""
    for task in tasks:
        found, effort = await metered(task.measure(bench), lambda why: why)
        if isinstance(found, TaskOutcome):
            yield Measured(
                id=task.id,
                asked=task.asked,
                groups=task.groups,
                verdict=found.verdict,
                numbers=found.numbers,
                told=found.told,
                effort=effort,
            )
        else:
            yield failed_row(task.id, task.asked, task.groups, found)


async def metered(work: Awaitable[T], failed: Callable[[str], F]) -> tuple[T | F, Effort]:
    """Await something, and return its result with its effort. `failed` makes a result of an error."""
    began = perf_counter()
    with recording(keeps=True) as record:
        try:
            result = await work
        except Exception as error:  # noqa: BLE001 - A failing question must not stop the run.
            result = failed(f"{type(error).__name__}: {error}")
    return result, _effort(record, perf_counter() - began)


def _effort(record: Recording, seconds: float) -> Effort:
    calls = [*record.calls, *(call for step in record.steps for call in step["calls"])]
    looks = rounds(record.steps)
    judged = [float(str(one["faithful"])) for one in looks if "faithful" in one]
    return Effort(
        seconds=seconds,
        calls=len(calls),
        tokens=sum(call["tokens_in"] + call["tokens_out"] for call in calls),
        searches=len(record.searches) + sum(int(str(step["facts"].get("searches", 0))) for step in record.steps),
        retries=max(0, len(looks) - 1),
        faithful=judged[-1] if judged else None,
    )
