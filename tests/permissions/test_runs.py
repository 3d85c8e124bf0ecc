"""Whole runs, at random: a model that repeats all that it is given tells nobody what they may not read.

Prompts, options, answers, sources, memory, clicks on old cards and what reviewers get are looked at, each for words
that one document alone holds.
"""

import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from langgraph.checkpoint.memory import InMemorySaver

from bot.conversation.address import Address
from graph.builder import build_graph
from graph.context import Brief, Case
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested
from graph.run import Run
from graph.state import Understanding
from graph.turn import Choice, Reply, Turn
from tests.permissions.world import World, let_everybody_read
from tests.support.fakes import Understood, context, understanding

RUNS = int(os.environ.get("PERMISSION_ROUNDS", "300")) // 6
WORD = re.compile(r"\bq([b-z]{4})q\b", re.IGNORECASE)
BODY = re.compile(r"\bb([b-z]{4})b\b", re.IGNORECASE)


@dataclass
class Parrot:
    """A writer that repeats the passages and the conversation in its prompt."""

    note: str = ""
    judges: bool = False
    briefs: list[Brief] = field(default_factory=list)

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        self.briefs.append(brief)
        for number, passage in enumerate(brief["passages"][:5], 1):
            yield f"{passage['text']} [{number}]\n\n"


@dataclass
class Conversation:
    """The thread of one conversation."""

    waiting: list[ClarificationRequested] = field(default_factory=list)
    chosen: set[str] = field(default_factory=set)
    """Labels that people clicked there: a person's own words from then on."""


@dataclass
class Talks:
    """All threads, and the number of leaks."""

    world: World
    threads: dict[str, Conversation] = field(default_factory=dict)
    saver: InMemorySaver = field(default_factory=InMemorySaver)
    clicks: int = 0
    repeated: int = 0
    answered: int = 0

    def __post_init__(self) -> None:
        self.graph = build_graph().compile()

    def decide(self, case: Case) -> Understanding:
        """Ask back, repeat the conversation, or search."""
        does = self.world.chance.random()
        if does < 0.35 and case["may_ask"] and len(case["facets"]) > 1:
            clarification = {"question": "Which?", "options": [facet["id"] for facet in case["facets"][:4]]}
            return understanding(case["question"], route="clarify", clarification=clarification)
        if does < 0.6 and case["memory"]["exchanges"]:
            self.repeated += 1
            said = repr(case["memory"])
            return understanding(case["question"], route="answer_from_conversation", reply=said)
        return understanding(case["question"])

    async def case(self, number: int) -> list[str]:
        """Let a person ask or click; return the words that leaked."""
        address = self.world.address()
        thread = self.threads.setdefault(address.channel, Conversation())
        may = self.world.readable(address)
        understander, writer = Understood(self.decide), Parrot()
        run = Run(
            self.graph,
            self.saver,
            thread_id=address.channel,
            context=context(
                retriever=self.world.search(address), understander=understander, writers=(writer,), has_reviewer=True
            ),
        )
        said = [event async for event in self._events(run, thread, address, number)]
        thread.waiting = [event for event in said if isinstance(event, ClarificationRequested)]
        self.answered += any(isinstance(event, AnswerCompleted) for event in said)
        shown = f"{understander.cases!r}{writer.briefs!r}{said!r}".lower()
        bodies = {f"q{word}q" for word in BODY.findall(shown)} - may
        titles = {f"q{word}q" for word in WORD.findall(shown)} - may - thread.chosen
        reviewed = repr([event.packet for event in said if isinstance(event, AnswerCompleted)]).lower()
        to_reviewers = {f"q{word}q" for word in (*BODY.findall(reviewed), *WORD.findall(reviewed))} - thread.chosen
        return [*bodies, *titles, *(word for word in to_reviewers if not self.world.is_for_everyone(word))]

    async def cases(self, count: int) -> list[str]:
        """Let people ask and click while everything changes; return the words that leaked."""
        leaked = list[str]()
        for number in range(count):
            if self.world.chance.random() < 0.6:
                await self.world.change()
            leaked += await self.case(number)
        return leaked

    def _events(self, run: Run, thread: Conversation, address: Address, number: int) -> AsyncIterator[AnswerEvent]:
        if thread.waiting and self.world.chance.random() < 0.8:
            self.clicks += 1
            asked = thread.waiting.pop()
            option = self.world.chance.choice(asked.options)
            thread.chosen |= {f"q{word}q" for word in WORD.findall(option.label.lower())}
            text = Choice(kind="text", value="the first", label="the first")
            picked = Choice(kind="option", value=option.id, label=option.label)
            choice = self.world.chance.choice((picked, picked, text, Choice(kind="just_answer")))
            return run.resume(Reply(interrupt_id=asked.interrupt_id, choice=choice))
        turn = Turn(question="What of leave and travel?", asker=address.person, addressed=True, key=f"{number:09}")
        return run.start(turn)


async def test_a_model_that_repeats_everything_tells_nobody_what_they_may_not_read(world: World) -> None:
    talks = Talks(world)

    assert [] == await talks.cases(RUNS)
    assert talks.answered > RUNS / 3
    assert min(talks.clicks, talks.repeated) > RUNS / 30, "Nobody clicked, or nothing was repeated."


async def test_without_the_policies_it_would_tell_more(world: World) -> None:
    # Without this check, the test above could pass for another reason.
    let_everybody_read(world.owner)

    assert len(await Talks(world).cases(20)) > 20
