"""Whatever models, tools, people, places and kept answers say, a turn ends within the limits of its preset."""

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import cast, get_args, get_type_hints

from hypothesis import given, settings
from hypothesis import strategies as st

from graph.asking.approvals import ALLOW
from graph.context import Brief, Case, Context, Hints, ModelError, Verdict
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested, ReviewRequested, SilenceKept
from graph.passages import DocumentFilter, Passage, Topics
from graph.places import Place, PlaceQuestion, Spot
from graph.routing import PRESETS
from graph.run import Run, run_alone
from graph.search import WIDER
from graph.state import PresetName, Understanding
from graph.tools import (
    MOST_CALLS,
    CallOutcome,
    Offer,
    PlannedChange,
    ToolCall,
    ToolError,
    ToolResult,
    are_of_web,
)
from graph.turn import Choice, Mode, Reply, Turn
from graph.verified import Candidate, Telling, Verified
from tests.graph.test_presets import Usual
from tests.graph.test_run import DESK, PINE, asks_between_desk_and_pine, events
from tests.support.fakes import Quoted, Written, context, passage, understanding

QUESTION = "How many vacation days do trainees in Porto have?"
KEPT = (QUESTION, QUESTION.replace("Porto", "Hamburg"), "What is the leave of trainees in Porto?")
"""Questions with a kept answer: the same, a near miss, and one in other words that a model may find the same."""
DRAFTS = (
    "EVIDENCE: full\nIt is 25 days [1].",
    "EVIDENCE: part: the year\nIt is 25 days [1].",
    "EVIDENCE: part: the month\nIt is so.",
    "EVIDENCE: none",
    "It is 99 days [1].",
    "",
)
MOST_ASKED = 3
"""Questions back of a turn: about a kept answer, about what was meant, about a change."""
CHANGE = PlannedChange(tool="tracker.create", title="Tracker: create", arguments={"title": "printer"})
PRESET_NAMES: tuple[PresetName, ...] = get_args(PresetName)


@dataclass
class Dice:
    """Every port of a run: it repeats given numbers, and counts what it is asked."""

    dealt: list[int]
    left: list[int] = field(default_factory=list[int])
    asked: int = 0
    """Model calls."""
    compared: int = 0
    rewritten: int = 0
    """Drafts written again because of their faults."""
    improved: int = 0
    searches: int = 0
    searched_web: int = 0
    used: int = 0
    """Calls of tools that read."""
    made: int = 0
    """Calls of tools that write."""
    is_approved: bool = False
    judges: bool = True
    by_words: bool = False
    note: str = ""

    def falls(self, sides: int) -> int:
        self.left = self.left or list(self.dealt)
        return self.left.pop(0) % sides

    def begin(self) -> None:
        """Count for another turn."""
        self.asked = self.compared = self.rewritten = self.improved = self.searched_web = self.used = self.made = 0
        self.is_approved = False

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        self.searches += 1
        self.improved += limit == WIDER
        number = self.searches + len((DESK, PINE))
        found = passage(number, f"{QUESTION} It is {number} days.", path=f"{number}/a.md")
        return [DESK, PINE, found][:limit]

    async def still_there(self, ids: list[int]) -> set[int]:
        return set(ids)

    async def topics(self) -> Topics:
        return Topics([])

    async def languages(self) -> list[str]:
        return ["en"]

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        return [(0.01, 0.2, 0.5, 0.9)[self.falls(4)] for _ in passages]

    async def understand(self, case: Case) -> Understanding:
        self.asked += 1
        if self.falls(8) == 0:
            raise ModelError
        return [
            asks_between_desk_and_pine(case),
            understanding(case["question"], subquestions=[f"{QUESTION} And why?"]),
        ][self.falls(2)] | self.planned(case)

    def planned(self, case: Case) -> Understanding:
        """Return what else a model may put into its form."""
        near = PlaceQuestion(kinds=["clinic"], near="Porto", days=[], also=[], within_km=50.0)
        plans: list[dict[str, object]] = [
            {},
            {"tools": [ToolCall(tool="any", arguments={})] * (1 + self.falls(MOST_CALLS))},
            {"change": CHANGE},
            {"same_as": 1},
            {"route": "converse"},
            {"route": "look_up_place", "place": near} if case["kinds"] else {},
        ]
        return cast("Understanding", plans[self.falls(len(plans))])

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        assert not are_of_web(brief["passages"]) or all(one.get("web") for one in brief["passages"])
        self.asked += 1
        self.compared += bool(brief.get("temperature"))
        dealt = self.falls(len(DRAFTS) + 1)
        if dealt == len(DRAFTS):
            raise ModelError
        is_again = bool(brief.get("draft")) and not any("Two drafts disagree" in issue for issue in brief["issues"])
        self.rewritten += is_again and bool(DRAFTS[dealt])
        yield DRAFTS[dealt]

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        # Rules judge quotations, and drafts that no model may judge.
        self.asked += not (hints and (hints["quoted"] or hints.get("by_rules")))
        dealt = self.falls(5)
        if dealt == 0:
            raise ModelError
        return Verdict(faithful=dealt / 4, responsive=1.0, issues=[] if dealt == 4 else ["It is not so."])

    async def offers(self) -> list[Offer]:
        return []

    def takes(self, call: ToolCall) -> bool:
        return self.falls(4) > 0

    async def use(self, call: ToolCall) -> list[ToolResult]:
        self.used += 1
        self.fail_or_go_on()
        return [ToolResult(title="Any", text="It is 25 days.")]

    async def make(self, change: PlannedChange) -> CallOutcome:
        assert self.is_approved
        self.made += 1
        return CallOutcome(state=("done", "refused", "unknown", "withdrawn")[self.falls(4)])

    async def kinds(self) -> list[str]:
        self.fail_or_go_on()
        return ["clinic"][: self.falls(2)]

    async def spots(self, near: str) -> list[Spot]:
        self.fail_or_go_on()
        return [spot(number) for number in range(self.falls(3))]

    async def around(self, asked: PlaceQuestion, spots: list[Spot]) -> list[list[Place]]:
        return [[place(number)][: self.falls(2)] for number, _ in enumerate(spots)]

    async def candidates(self, question: str) -> list[Candidate]:
        self.fail_or_go_on()
        kept = [Candidate(id=number, phrasings=[asked]) for number, asked in enumerate(KEPT)]
        return kept[self.falls(len(kept) + 1) :]

    def fail_or_go_on(self) -> None:
        if self.falls(3) == 0:
            raise ToolError


@dataclass
class KeptAnswers:
    """The kept answers of the dice, some of which may not be told any more."""

    dice: Dice

    async def candidates(self, question: str) -> list[Candidate]:
        return await self.dice.candidates(question)

    async def use(self, answer_id: int, to: Telling) -> Verified | None:
        if self.dice.falls(2) == 0:
            return None
        return Verified(
            id=answer_id,
            question=KEPT[answer_id],
            text="It is 25 days [1].",
            writer_name="ada",
            kept_on="2026-03-03",
            sources=[DESK],
            changed=[],
            gone=[],
            links=[],
        )

    async def dispute(self, answer_id: int, passage: Passage) -> None: ...


@dataclass
class Web:
    """The web of the dice."""

    dice: Dice

    async def search(self, query: str) -> list[ToolResult]:
        self.dice.searched_web += 1
        self.dice.fail_or_go_on()
        return [ToolResult(title="Web", text="It is 25 days.")]


def spot(number: int) -> Spot:
    return Spot(
        id=f"spot {number}", label=f"Porto {number}", latitude=0, longitude=0, country="PT", from_directory=False
    )


def place(number: int) -> Place:
    return Place(
        id=number, name="Clinic", kind="clinic", address="Porto", latitude=0, longitude=0, is_exact=True, hours="",
        is_open=None, fits=True, attributes={}, km=1.0, directory="Clinics", imported="2026-01-01", restricted=False,
    )  # fmt: skip


def everybody(dice: Dice, name: PresetName, *, has_reviewer: bool) -> Context:
    return context(
        retriever=dice, understander=dice, tools=dice, approved=dice, places=dice, validator=dice, grader=dice,
        writers=(dice, dice, Written([["It is 25 days [1]."]])),
        verified=KeptAnswers(dice), web=Web(dice), presets=Usual(name), quoter=Quoted("It is so [1]."),
        has_reviewer=has_reviewer, review_below=0.9 if has_reviewer else 0.0,
    )  # fmt: skip


async def answered(
    run: Run, turn: Turn, dice: Dice, kinds: list[str]
) -> tuple[list[ClarificationRequested], AnswerEvent]:
    """Answer a turn and all its questions back; return these, and how the turn ended."""
    asked: list[ClarificationRequested] = []
    ended = (await events(run.start(turn)))[-1]
    while isinstance(ended, ClarificationRequested) and len(asked) <= MOST_ASKED:
        asked.append(ended)
        choice = chosen(ended, kinds[len(asked) % len(kinds)], dice.falls(2))
        dice.is_approved = choice.value == ALLOW
        ended = (await events(run.resume(Reply(interrupt_id=ended.interrupt_id, choice=choice))))[-1]
    return asked, ended


def chosen(asked: ClarificationRequested, kind: str, which: int) -> Choice:
    option = asked.options[which % len(asked.options)]
    match kind:
        case "option":
            return Choice(kind="option", value=option.id, label=option.label)
        case "text":
            return Choice(kind="text", value="the desk", label="the desk")
        case _:
            return Choice(kind="just_answer")


@given(
    name=st.sampled_from(PRESET_NAMES),
    dealt=st.lists(st.integers(0, 999), min_size=1, max_size=40),
    kinds=st.lists(st.sampled_from(get_args(get_type_hints(Choice)["kind"])), min_size=1, max_size=MOST_ASKED),
    has_reviewer=st.booleans(),
    addressed=st.booleans(),
    mode=st.sampled_from(get_args(Mode)),
)
@settings(max_examples=int(os.environ.get("ENDINGS", "100")))
async def test_whatever_is_said_two_turns_of_a_thread_end_within_their_presets_limits(
    *, name: PresetName, dealt: list[int], kinds: list[str], has_reviewer: bool, addressed: bool, mode: Mode
) -> None:
    dice = Dice(dealt)
    run = run_alone(everybody(dice, name, has_reviewer=has_reviewer))

    for key, asks_again in (("1", False), ("2", True)):
        dice.begin()
        question = f"And {QUESTION.lower()}" if asks_again else QUESTION
        turn = Turn(question=question, asker="U0ADA", addressed=addressed, mode=mode, key=key)
        asked, ended = await answered(run, turn, dice, kinds)

        assert isinstance(ended, AnswerCompleted | ReviewRequested | SilenceKept)
        assert len(asked) <= MOST_ASKED
        assert sum(one.change is not None for one in asked) <= 1
        assert dice.asked <= PRESETS[name].calls
        assert dice.compared <= (name == "thorough") * (1 + bool(asked))
        assert dice.rewritten <= PRESETS[name].rewrites * (1 + bool(asked))
        assert not (dice.improved and dice.rewritten and not asked) or name == "thorough"
        assert dice.used <= MOST_CALLS
        assert dice.made <= 1
        assert dice.searched_web <= 1 + len(asked)
