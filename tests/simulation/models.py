"""Scripted models: a question carries a tag, and each answer repeats the tag.

`c17` marks a clear question, `a18` an ambiguous one, `l19` one with a long answer, `u20` one whose answer is unsure,
`p21` words that may answer one, `s22` a message that is not for the bot, `t23` an order for a tool that writes.
"""

import asyncio
import re
from collections.abc import AsyncIterator

from graph.context import Brief, Case, Clock, Context, Hints, Verdict
from graph.passages import DocumentFilter, Passage, Topics
from graph.state import Understanding
from graph.tools import PlannedChange, ToolCall
from tests.support.fakes import NoTools, context, passage, understanding

READINGS = ("desk", "pine")
LENGTH = "abcdefghijklmnopqrstuvwxyz"
"""The paragraphs of a long answer, in order."""
CONFIDENT = 0.7
_TAG = re.compile(r"\b[aclpstu]\d+\b")
_DAYS = re.compile(r"\d+ days")
_PARAGRAPH = re.compile(r"Paragraph ([a-z]) ")


def tags_in(text: str) -> list[str]:
    """Return the tags in a text."""
    return list(dict.fromkeys(_TAG.findall(text)))


def paragraphs_in(text: str) -> str:
    """Return the paragraphs of a long answer in a text."""
    return "".join(_PARAGRAPH.findall(text))


class Shelf:
    """A retriever with two passages about anything, in two folders."""

    by_words = False

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        said = " ".join(tags_in(query))
        return [
            passage(
                number, f"The answer to {said} is {25 + number} days.", path=f"products/{reading}/days.md", title="Days"
            )
            for number, reading in enumerate(READINGS, 1)
        ]

    async def still_there(self, ids: list[int]) -> set[int]:
        return set(ids)

    async def topics(self) -> Topics:
        return Topics(["Days"])

    async def languages(self) -> list[str]:
        return ["en"]


class Reader:
    """An understander that asks back once about ambiguous questions."""

    async def understand(self, case: Case) -> Understanding:
        question, tags = case["question"], tags_in(case["question"])
        if not tags or (not case["addressed"] and any(tag.startswith("s") for tag in tags)):
            reply = "" if not case["addressed"] else "Hello."
            return understanding(question, route="converse" if reply else "stay_silent", reply=reply)
        if any(tag.startswith("t") for tag in tags):
            return understanding(question, change=change_of(" and ".join(tags)))
        if not case["may_ask"]:
            choice = case.get("choice")
            return understanding(f"{question} ({choice['label']})" if choice else question)
        options = [facet["id"] for facet in case["facets"] if facet["label"].lower() in READINGS]
        if any(tag.startswith("a") for tag in tags) and len(options) > 1:
            asked = {"question": f"Which one for {' and '.join(tags)}?", "options": options}
            return understanding(question, route="clarify", clarification=asked)
        return understanding(question)


TOOL = "Tracker: create"
"""The tool that writes."""


def change_of(title: str) -> PlannedChange:
    """Return the planned call for an order. Its title holds the tags, so that each outcome and card names them."""
    return PlannedChange(tool="tracker.create", title=f"{TOOL} {title}", arguments={"title": title})


class Tracker(NoTools):
    """A tool that writes, and takes whatever it is given."""

    def takes(self, call: ToolCall) -> bool:
        return True


class Repeater:
    """A writer that repeats the question's tags and its first passage, at length if asked to."""

    note = ""
    judges = False

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        tags = tags_in(brief["question"])
        days = _DAYS.findall(brief["passages"][0]["text"])[0]
        yield f"The answer to {' and '.join(tags)} "
        yield f"is {days} [1]."
        if any(tag.startswith("l") for tag in tags):
            for letter in LENGTH:
                await asyncio.sleep(0)
                yield f"\n\nParagraph {letter} of the answer: {f'the answer is {days}, ' * 25}indeed [1]."


class Doubter:
    """A validator that doubts answers to questions tagged as unsure."""

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        is_unsure = any(tag.startswith("u") for tag in tags_in(question))
        return Verdict(
            faithful=0.2 if is_unsure else 1.0, responsive=1.0, issues=["It may be so."] if is_unsure else []
        )


def scripted_context(clock: Clock, *, has_reviewers: bool = False) -> Context:
    """Return the context of every run."""
    return context(
        retriever=Shelf(),
        understander=Reader(),
        writers=(Repeater(),),
        validator=Doubter(),
        clock=clock,
        tools=Tracker(),
        has_reviewer=has_reviewers,
        review_below=CONFIDENT if has_reviewers else 0.0,
    )
