"""Benches on which tests measure tasks without a database."""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from bot.evals.metering import measured
from bot.evals.rehearsal import Rehearsal
from bot.evals.tasks import Bench, Evaluation, Measured, Told
from bot.evals.understanding import Rewriter
from graph.context import Context
from tests.support.fakes import context


def written(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    """Write a data file."""
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return file


def bench_of(given: Context) -> Bench:
    """Return a bench for a context."""
    rehearsal = Rehearsal(given)
    return _bench(given, rehearsal.ask, rehearsal.converse)


def telling(by_click: dict[str, Told]) -> Bench:
    """Return a bench whose answers are known: the first one's name is "first", the others' are what is clicked."""

    async def ask(_: str, click: str | None) -> Told:
        return by_click[click or "first"]

    async def converse(_: Sequence[str]) -> Told:
        return by_click["first"]

    return _bench(context(), ask, converse)


def _bench(
    given: Context,
    ask: Callable[[str, str | None], Awaitable[Told]],
    converse: Callable[[Sequence[str]], Awaitable[Told]],
) -> Bench:
    return Bench(
        context=given,
        ask=ask,
        converse=converse,
        searching=lambda _: given.retriever,
        candidates=40,
        standalone=Rewriter(given).standalone,
    )


async def results_of(evaluation: Evaluation, bench: Bench) -> list[Measured]:
    """Measure all tasks."""
    return [*evaluation.failed, *[one async for one in measured(evaluation.tasks, bench)]]


def values(figures: dict[str, Any], *names: str) -> list[float | None]:
    """Return figures by their names, shares as numbers (0–1)."""
    return [getattr(figures[name], "value", figures[name]) for name in names]


def verdicts(results: Iterable[Measured]) -> list[str]:
    """Return the verdicts."""
    return [one.verdict for one in results]
