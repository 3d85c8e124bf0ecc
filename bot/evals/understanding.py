"""Evaluates how a message is understood in its thread: its route, and the question that it stands for.

It reads `tests/evals/routing.jsonl` (a route), `tests/evals/conversations.jsonl` (a route and a stand-alone question),
and TREC CAsT (a question rewritten by a person).
"""

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from bot.evals.measures import token_f1, wilson
from graph.asking.facets import find_facets
from graph.context import Case, Context
from graph.search import find
from graph.state import Exchange, Memory
from graph.text.words import words


@dataclass(frozen=True, kw_only=True)
class Said:
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


@dataclass(frozen=True, kw_only=True)
class Understood:
    """How a message was understood."""

    said: Said
    route: str
    standalone: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """How messages were understood."""

    results: tuple[Understood, ...]

    def table(self) -> str:
        """Return both measures as Markdown, each if there is something to measure."""
        parts = [self._routes(), self._rewriting()]
        return "\n\n".join(part for part in parts if part)

    def _routes(self) -> str:
        told = [one for one in self.results if one.said.route]
        routes = list(dict.fromkeys(one.said.route for one in told))
        groups = [(route, [one for one in told if one.said.route == route]) for route in routes]
        rows = [_row(name, own) for name, own in [("all", told), *groups] if own]
        return "\n".join(["| route | messages | right | 95 % |", "|---|---:|---:|---:|", *rows]) if rows else ""

    def _rewriting(self) -> str:
        told = [one for one in self.results if one.said.standalone]
        changed = [one for one in told if one.said.standalone != one.said.question]
        alone = [one for one in told if one.said.standalone == one.said.question]
        figures = [
            f"| follow-ups: agreement with a person's words (F1) | {len(changed)} | {_f1(changed, 'standalone')} |",
            f"| … of the question as it was asked | {len(changed)} | {_f1(changed, 'question')} |",
            f"| stand-alone questions: left as they are | {len(alone)} | {_left(alone)} |",
        ]
        return "\n".join(["| | messages | |", "|---|---:|---:|", *figures]) if told else ""


def _row(name: str, own: Sequence[Understood]) -> str:
    right = sum(one.route == one.said.route for one in own)
    low, high = wilson(right, len(own))
    return f"| {name} | {len(own)} | {right / len(own):.0%} | {low:.0%}–{high:.0%} |"


def _f1(changed: Sequence[Understood], of: str) -> str:
    asked = [(one.said.question if of == "question" else one.standalone, one.said.standalone) for one in changed]
    return f"{fmean(token_f1(words(said), words(meant)) for said, meant in asked):.3f}" if asked else "–"


def _left(alone: Sequence[Understood]) -> str:
    return f"{fmean(one.standalone == one.said.question for one in alone):.0%}" if alone else "–"


async def evaluate_understanding(messages: Iterable[Said], context: Context) -> AsyncIterator[Understood]:
    """Yield how each message is understood, with what its first search finds. No answer is written."""
    for said in messages:
        if said.mentions_others and not said.addressed:
            # The graph asks nobody about it: see `graph.routing`.
            yield Understood(said=said, route="stay_silent", standalone=said.question)
            continue
        understanding = await context.understander.understand(await _case(said, context))
        yield Understood(said=said, route=understanding["route"], standalone=understanding["standalone"])


async def _case(said: Said, context: Context) -> Case:
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
        today=context.clock.now().date().isoformat(),
    )


def read_messages(file: Path) -> list[Said]:
    """Read the messages of a JSON-lines file, in any of the three forms."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [said for row in rows for said in _read(row)]


def _read(row: dict[str, Any]) -> Iterator[Said]:
    if "turns" in row:
        turns = row["turns"]
        for place, turn in enumerate(turns):
            earlier = tuple(map(_exchange, turns[:place]))
            yield Said(question=turn["question"], earlier=earlier, route=turn["route"], standalone=turn["standalone"])
    elif "rewrite_human" in row:
        earlier = tuple(_exchange({"question": one["user"], "answer": one["answer"]}) for one in row["history"])
        yield Said(question=row["question"], earlier=earlier, standalone=row["rewrite_human"])
    else:
        yield Said(
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
    )
