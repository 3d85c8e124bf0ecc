"""Evaluates how a message is understood in its thread: its route, and the question that it stands for.

It reads `tests/evals/routing.jsonl` (a route), `tests/evals/conversations.jsonl` (a route and a stand-alone question),
and TREC CAsT (a question rewritten by a person).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bot.evals.measures import Figures, mean, share, token_f1
from bot.evals.tasks import RIGHT, Bench, Evaluation, Measured, Task, TaskOutcome, evaluation_of, groups_of
from graph.asking.facets import find_facets
from graph.context import Case, Context
from graph.search import find
from graph.state import Exchange, Memory
from graph.text.words import words


@dataclass(frozen=True, kw_only=True)
class LabelledMessage:
    """A message in a thread, and how to understand it."""

    question: str
    earlier: tuple[Exchange, ...]
    route: str = ""
    """The right route; empty if nobody has said it."""
    standalone: str = ""
    """The question as it would stand alone; empty if nobody has said it."""
    addressed: bool = True
    mentions_others: bool = False
    people: int = 1
    """Who have written in the thread."""


async def understood(said: LabelledMessage, context: Context) -> tuple[str, str]:
    """Return a message's route and its stand-alone question, with what its first search finds. Nothing is answered."""
    if said.mentions_others and not said.addressed:
        # The graph asks nobody about it: see `graph.routing`.
        return "stay_silent", said.question
    understanding = await context.understander.understand(await _case(said, context))
    return understanding["route"], understanding["standalone"]


class Rewriter:
    """Makes the messages of a thread stand alone as the bot does: with its own words for those before."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: dict[tuple[str, ...], str] = {}

    async def standalone(self, question: str, before: Sequence[tuple[str, str]]) -> str:
        """Return a question as it would stand alone. `before` are the earlier questions, with their answers."""
        exchanges = list[Exchange]()
        asked: tuple[str, ...] = ()
        for said, answer in (*before, (question, "")):
            asked = (*asked, said)
            if asked not in self._known:
                _, self._known[asked] = await understood(
                    LabelledMessage(question=said, earlier=tuple(exchanges)), self._context
                )
            exchanges.append(_exchange({"question": said, "standalone": self._known[asked], "answer": answer}))
        return self._known[asked]


async def _measure(said: LabelledMessage, bench: Bench) -> TaskOutcome:
    route, standalone = await understood(said, bench.context)
    numbers = dict[str, float]()
    if said.standalone:
        numbers["left as it is"] = standalone == said.question
        numbers["F1"], numbers["F1 as asked"] = (
            token_f1(words(one), words(said.standalone)) for one in (standalone, said.question)
        )
    is_right = route == said.route if said.route else numbers["F1"] == 1
    told = {
        "route": route,
        "right route": said.route,
        "stands alone": standalone,
        "should stand alone": said.standalone,
    }
    return TaskOutcome(verdict="right" if is_right else "wrong" if said.route else "partly", numbers=numbers, told=told)


def figures(results: Sequence[Measured]) -> Figures:
    """Return the share of right routes, and the agreement of follow-ups with a person's words."""
    rewritten = [one for one in results if one.told.get("should stand alone")]
    follow_ups, alone = (
        [one for one in rewritten if (one.asked[-1] == one.told["should stand alone"]) is alone]
        for alone in (False, True)
    )
    return {
        "right_route": share(one.verdict == RIGHT for one in results if "route" in one.groups),
        "follow-ups": len(follow_ups) or None,
        "F1_with_a_person's_words": mean(one.numbers["F1"] for one in follow_ups),
        "F1_as_asked": mean(one.numbers["F1 as asked"] for one in follow_ups),
        "stand-alone_left_as_they_are": share(one.numbers["left as it is"] for one in alone),
    }


async def _case(said: LabelledMessage, context: Context) -> Case:
    found = await find(context, [said.question])
    people = [f"person {number}" for number in range(1, said.people + 1)]
    return Case(
        question=said.question,
        memory=Memory(exchanges=list(said.earlier), overheard=[], people=people),
        passages=found,
        facets=find_facets(said.question, found),
        topics=await context.retriever.topics(),
        languages=await context.retriever.languages(),
        addressed=said.addressed,
        may_ask=True,
        candidates=[],
        kinds=[],
        tools=[],
        today=context.clock.now().date().isoformat(),
    )


def read_understanding(file: Path) -> Evaluation:
    """Return the evaluation of a JSON-lines file, in any of the three forms."""
    return evaluation_of(file, _tasks, figures)


def _tasks(id_: str, row: dict[str, Any]) -> Iterator[Task]:
    for turn, said in enumerate(messages(row), 1):
        yield Task(
            id=f"{id_}, turn {turn}" if "turns" in row else id_,
            asked=(*(exchange["question"] for exchange in said.earlier), said.question),
            groups={**groups_of({**row, "folder": ""}), **({"route": said.route} if said.route else {})},
            measure=partial(_measure, said),
        )


def messages(row: dict[str, Any]) -> Iterator[LabelledMessage]:
    """Yield the messages of a row."""
    if "turns" in row:
        turns = row["turns"]
        for place, turn in enumerate(turns):
            earlier = tuple(map(_exchange, turns[:place]))
            yield LabelledMessage(
                question=turn["question"], earlier=earlier, route=turn["route"], standalone=turn["standalone"]
            )
    elif "rewrite_human" in row:
        earlier = tuple(_exchange({"question": one["user"], "answer": one["answer"]}) for one in row["history"])
        yield LabelledMessage(question=row["question"], earlier=earlier, standalone=row["rewrite_human"])
    else:
        yield LabelledMessage(
            question=row["text"],
            earlier=tuple(map(_exchange, row.get("earlier", []))),
            route=row["route"],
            addressed=row["addressed"],
            mentions_others=row["mentions_others"],
            people=row["people"],
        )


def _exchange(row: dict[str, Any]) -> Exchange:
    return Exchange(
        asker="person 1",
        question=row["question"],
        standalone=row.get("standalone", row["question"]),
        answer=row["answer"] or "",
        sources=row.get("sources", []),
        passages=[],
        key="",
    )
