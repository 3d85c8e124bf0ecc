"""Measures the cost of a single question, of each bot in turn, so that all meet the same load."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.arena.arena import Arena
from benchmarks.arena.contestants import Contestant, Name
from benchmarks.arena.model import Model
from benchmarks.arena.questions import plain
from benchmarks.arena.write_ahead import Written


@dataclass
class Cost:
    """The cost of a number of questions."""

    questions: int = 0
    written: Written = field(default_factory=Written)
    model_calls: int = 0
    tokens: int = 0
    slack_calls: int = 0
    seconds: list[float] = field(default_factory=list[float])
    """From each question's post to its answer."""


async def count(arena: Arena, contestants: Sequence[Contestant], model: Model, *, rounds: int) -> dict[Name, Cost]:
    """Ask every bot one question in each round, after a warm-up; return the cost by bot."""
    for contestant in contestants:
        await contestant.answers(await contestant.ask(plain(0)))
    costs: dict[Name, Cost] = {contestant.name: Cost() for contestant in contestants}
    for number in range(rounds):
        for contestant in contestants:
            await _count_one(arena, contestant, model, plain(number), costs[contestant.name])
    return costs


async def _count_one(arena: Arena, contestant: Contestant, model: Model, question: str, cost: Cost) -> None:
    start = await arena.log.position()
    before = (model.calls, model.tokens, len(contestant.playground.calls()))
    began = time.perf_counter()
    await contestant.answers(await contestant.ask(question))
    cost.seconds.append(time.perf_counter() - began)
    cost.written += await arena.log.written(contestant.database_url, start, await arena.log.position())
    cost.questions += 1
    cost.model_calls += model.calls - before[0]
    cost.tokens += model.tokens - before[1]
    cost.slack_calls += len(contestant.playground.calls()) - before[2]
