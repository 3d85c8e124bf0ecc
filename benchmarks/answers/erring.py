"""Compares presets with a model that errs: `python -m benchmarks.answers.erring [--rounds N]`; prints Markdown.

The drafts are those that a reader wrote as a strong model (`tests/evals/played.json`); all are right. Into the first
draft of a question we put one error. Each later draft of the run is right, repeats the error, or has another one. The
validator misses a share of the errors, and doubts a share of the right sentences; code then judges its quotations as
those of a real one. Search and understanding are left out: a run finds the passages that the reader saw.
"""

import argparse
import asyncio
import json
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias, get_args

from benchmarks.answers.errors import Error, Kind, errors
from benchmarks.project import EVALS
from bot.models.llm.validator import JudgedSentence, Judgement, statements, verdict_of
from bot.models.offline.validator import OverlapValidator
from bot.models.offline.writing.writer import QuotingWriter
from graph.context import Brief, Case, Hints, Verdict
from graph.events import AnswerCompleted
from graph.passages import DocumentFilter, Passage, Topics
from graph.routing import PRESETS
from graph.run import run_alone
from graph.state import PresetName, Understanding, plainly
from graph.sufficiency import Opening
from graph.text.grounding import without_citations
from graph.text.wording import CAVEAT, LANGUAGES, UNPROVED, spoken
from graph.turn import Turn
from tests.support.fakes import context

MISSED: Final = 0.3
"""Share of the errors that the validator's model does not see."""
DOUBTED: Final = 0.03
"""Share of the right sentences that it takes for wrong."""
REPEATED: Final = 0.25
"""Share of the later drafts that repeat the first one's error."""
OTHERWISE: Final = 0.25
"""Share of the later drafts with another error."""

Ending: TypeAlias = Literal["right", "right, doubted", "right in part", "wrong", "wrong, doubted", "quoted"]
"""Of a question: what people read, and whether the answer says that it is not sure."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """One question to one preset."""

    by: PresetName
    kind: Kind | None
    """The first draft's error; `None`: it has none."""
    ending: Ending
    calls: int


@dataclass
class Played:
    """A question, the passages that were found, and the model's draft with its sentences as they were judged."""

    question: str
    today: str
    draft: str
    passages: list[Passage]
    judged: list[tuple[Literal["supported", "no_claim"], str]]
    """The verdict and the quotation of each sentence."""

    @property
    def sentences(self) -> list[str]:
        """Return the draft's sentences without its first line, which people never see."""
        opening = Opening()
        return statements(opening.feed(self.draft) + opening.rest())


@dataclass
class ErringModel:
    """All ports of a run about one question."""

    played: Played
    dice: random.Random
    first: Error | None
    elsewhere: Sequence[Passage]
    preset: PresetName
    drafts: int = 0
    calls: int = 0
    judges: bool = True
    note: str = ""
    by_words: bool = False

    def now(self) -> datetime:
        """Return the day on which the draft was written."""
        return datetime.fromisoformat(f"{self.played.today}T12:00:00+00:00")

    async def usual(self) -> PresetName:
        """Return the preset."""
        return self.preset

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        """Find what the reader saw."""
        return self.played.passages[:limit]

    async def rerank(self, question: str, passages: list[Passage], *, keep: int) -> list[Passage]:
        """Keep the order."""
        return passages[:keep]

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        """Take all passages for relevant."""
        return [0.9] * len(passages)

    async def still_there(self, ids: list[int]) -> set[int]:
        """Say that they are."""
        return set(ids)

    async def topics(self) -> Topics:
        """Return none."""
        return Topics([])

    async def languages(self) -> list[str]:
        """Return none."""
        return []

    async def understand(self, case: Case) -> Understanding:
        """Take the question as it is."""
        self.calls += 1
        return plainly("retrieve", case["question"], reason="It is clear.", confidence=1.0)

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        """Write a draft, with or without an error."""
        error = self._next()
        self.calls += 1
        self.drafts += 1
        yield error.draft if error else self.played.draft

    def _next(self) -> Error | None:
        fate = self.dice.random()
        if not self.drafts or not self.first or fate < REPEATED:
            return self.first
        return self._other() if fate < REPEATED + OTHERWISE else None

    def _other(self) -> Error | None:
        return self.dice.choice(errors(self.played.draft, self.played.passages, self.elsewhere, self.dice))

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        """Judge each sentence as the reader did, with the validator's own errors; rules judge what no model may."""
        if hints and (hints["quoted"] or hints.get("by_rules")):
            return await OverlapValidator().validate(question, answer, passages, hints)
        self.calls += 1
        stated = statements(answer)
        own = self.played.sentences
        judged = [self._judged(number, sentence, own) for number, sentence in enumerate(stated, start=1)]
        return verdict_of(Judgement(sentences=judged, missing="", answers="yes"), answer, passages)

    def _judged(self, number: int, sentence: str, own: Sequence[str]) -> JudgedSentence:
        verdict, evidence = self.played.judged[min(number, len(self.played.judged)) - 1]
        is_doubted = self.dice.random() < (DOUBTED if is_said(sentence, own) else 1 - MISSED)
        return JudgedSentence(
            number=number,
            reason="No passage says so.",
            evidence="" if is_doubted else evidence,
            verdict="unsupported" if is_doubted else verdict,
        )


def is_said(sentence: str, own: Sequence[str]) -> bool:
    """Tell whether the right draft says the sentence, however it is cited."""
    return plain(sentence) in map(plain, own)


def plain(text: str) -> str:
    """Return a text without citations, bold marks and line breaks."""
    return " ".join(without_citations(text).replace("*", "").split())


async def ended(
    played: Played, first: Error | None, elsewhere: Sequence[Passage], preset: PresetName, seed: str
) -> Ended:
    """Ask one question of one preset."""
    model = ErringModel(played, random.Random(seed), first, elsewhere, preset)
    model_context = context(
        retriever=model,
        reranker=model,
        grader=model,
        understander=model,
        writers=(model, QuotingWriter()),
        validator=model,
        clock=model,
        presets=model,
    )
    events = [
        event
        async for event in run_alone(model_context).start(Turn(question=played.question, asker="U0ADA", addressed=True))
    ]
    (told,) = [event for event in events if isinstance(event, AnswerCompleted)]
    return Ended(by=preset, kind=first.kind if first else None, ending=ending_of(told, played), calls=model.calls)


def ending_of(told: AnswerCompleted, played: Played) -> Ending:
    """Return how an answer ended, for whom the right draft is known."""
    if told.outcome != "answered" or _notes(told, UNPROVED):
        return "quoted"
    is_right = all(is_said(one, played.sentences) for one in statements(told.text))
    if is_right and len(statements(told.text)) < len(played.sentences):
        return "right in part"
    if _notes(told, CAVEAT):
        return "right, doubted" if is_right else "wrong, doubted"
    return "right" if is_right else "wrong"


def _notes(told: AnswerCompleted, note: str) -> bool:
    return any(spoken(note, language) in told.notes for language in LANGUAGES)


def read_played() -> list[Played]:
    """Return the drafts whose sentences were judged."""
    data = json.loads((EVALS / "played.json").read_text("utf-8"))
    passages = {number: _passage(int(number), one) for number, one in data["passages"].items()}
    return [
        Played(
            question=one["question"],
            today=one["today"],
            draft=one["draft"],
            passages=[passages[str(number)] for number in one["passages"]],
            judged=[(verdict, evidence) for verdict, evidence in one["judged"]],
        )
        for one in data["drafts"]
        if "judged" in one
    ]


def _passage(number: int, stored: dict[str, Any]) -> Passage:
    return Passage(**stored, id=number, document_id=number, score=1.0)


async def measure(rounds: int) -> list[Ended]:
    """Ask every preset every question, without an error and with one of each kind."""
    every = read_played()
    found: list[Ended] = []
    for place, played in enumerate(every):
        elsewhere = every[(place + len(every) // 2) % len(every)].passages
        for number in range(rounds):
            seed = f"{place} {number}"
            first = [None, *errors(played.draft, played.passages, elsewhere, random.Random(seed))]
            found += [
                await ended(played, error, elsewhere, preset, f"{seed} {error.kind if error else ''}")
                for error in first
                for preset in PRESETS
            ]
    return found


def table(found: Sequence[Ended]) -> str:
    """Return the endings by the first draft's error and the preset, as Markdown."""
    endings: tuple[Ending, ...] = get_args(Ending)
    lines = [
        f"| first draft | preset | of | {' | '.join(endings)} | calls |",
        f"|---|---|{'---:|' * (len(endings) + 2)}",
    ]
    for kind in (None, *get_args(Kind)):
        for preset in PRESETS:
            own = [one for one in found if one.by == preset and one.kind == kind]
            counts = [sum(one.ending == ending for one in own) for ending in endings]
            calls = sum(one.calls for one in own) / max(len(own), 1)
            lines.append(
                f"| {kind or 'right'} | {preset} | {len(own)} | {' | '.join(map(str, counts))} | {calls:.1f} |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1, help="how often each question is asked with each error")
    print(table(asyncio.run(measure(parser.parse_args().rounds))))
