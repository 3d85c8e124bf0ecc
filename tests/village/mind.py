"""A mind of which everything is known beforehand: a question carries a tag, and whatever answers it repeats the tag.

`c17` marks a clear question, `a18` an ambiguous one, `p19` words that may answer one, `s20` what is not for the bot.
"""

import re
from collections.abc import AsyncIterator
from functools import cache

from graph.builder import CompiledGraph, build_graph
from graph.context import Brief, Case, Clock, Context
from graph.passages import Passage
from graph.state import Understanding
from tests.fakes import context, passage, understanding

READINGS = ("desk", "pine")
_TAG = re.compile(r"\b[acps]\d+\b")


def tags_in(text: str) -> list[str]:
    """Return the tags that a text carries."""
    return list(dict.fromkeys(_TAG.findall(text)))


class Shelf:
    """Holds two passages about anything, in two folders."""

    async def search(self, query: str, *, limit: int) -> list[Passage]:
        said = " ".join(tags_in(query))
        return [
            passage(
                number, f"The answer to {said} is {25 + number} days.", path=f"products/{reading}/days.md", title="Days"
            )
            for number, reading in enumerate(READINGS, 1)
        ]

    async def still_there(self, ids: list[int]) -> set[int]:
        return set(ids)

    async def topics(self) -> list[str]:
        return ["Days"]


class Reader:
    """Asks back once about whatever is tagged as ambiguous."""

    async def understand(self, case: Case) -> Understanding:
        question, tags = case["question"], tags_in(case["question"])
        if not tags or (not case["addressed"] and any(tag.startswith("s") for tag in tags)):
            reply = "" if not case["addressed"] else "Hello."
            return understanding(question, route="converse" if reply else "stay_silent", reply=reply)
        if not case["may_ask"]:
            choice = case.get("choice")
            return understanding(f"{question} ({choice['label']})" if choice else question)
        options = [facet["id"] for facet in case["facets"] if facet["label"].lower() in READINGS]
        if any(tag.startswith("a") for tag in tags) and len(options) > 1:
            asked = {"question": f"Which one for {' and '.join(tags)}?", "options": options}
            return understanding(question, route="clarify", clarification=asked)
        return understanding(question)


class Repeater:
    """Answers with the tags of the question."""

    note = ""

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        yield f"The answer to {' and '.join(tags_in(brief['question']))} "
        yield "is 26 days [1]."


def mind(clock: Clock) -> Context:
    """Return the context of every run."""
    return context(retriever=Shelf(), understander=Reader(), writers=(Repeater(),), clock=clock)


@cache
def graph() -> CompiledGraph:
    """Return the graph, compiled once."""
    return build_graph().compile()
