"""The audit accepts drafts as of a strong model, written by a person who saw only the prompts.

It finds most drafts in which one number was changed.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.models.llm.validator import JudgedSentence, Judgement, statements, verdict_of
from bot.models.offline.validator import OverlapValidator
from graph.answer.audit import Audit, audited
from graph.answer.claims import claims
from graph.answer.quotes import contradicts
from graph.context import Hints
from graph.passages import Passage
from graph.routing import CONFIDENT, PRESETS
from graph.sufficiency import Opening

PLAYED = json.loads((Path(__file__).parents[1] / "evals" / "played.json").read_text("utf-8"))
FEWEST_CAUGHT, FEWEST_FOUND = 0.85, 0.95
FEWEST_KEPT = 0.94
MOST_FOUND = 0.6
_NUMBER = re.compile(r"(?<![\d.,:\[–-])[1-9]\d+(?:[.,]\d+)*(?![\d\]:])")


def passages_of(played: dict[str, Any]) -> list[Passage]:
    """Return the passages that the writer saw."""
    found = [PLAYED["passages"][str(number)] for number in played["passages"]]
    return [Passage(**each, id=id_, document_id=id_, score=1.0) for id_, each in enumerate(found)]


def audit(played: dict[str, Any], draft: str) -> Audit:
    return audited(draft, passages_of(played), question=played["question"], today=played["today"])


def said(played: dict[str, Any]) -> str:
    """Return a draft without its first line."""
    opening = Opening()
    return opening.feed(played["draft"]) + opening.rest()


def altered(draft: str) -> Iterator[str]:
    """Yield the draft with one of its first numbers changed."""
    for match in list(_NUMBER.finditer(draft))[:3]:
        other = "".join(str((int(sign) + 3) % 10) if sign.isdigit() else sign for sign in match[0])
        if other[0] != "0":
            yield draft[: match.start()] + other + draft[match.end() :]


@pytest.mark.parametrize("played", PLAYED["drafts"], ids=lambda played: played["question"][:50])
def test_a_strong_models_draft_has_no_fault(played: dict[str, Any]) -> None:
    assert [] == audit(played, said(played)).faults


JUDGED = [played for played in PLAYED["drafts"] if "judged" in played]


@pytest.mark.parametrize("played", JUDGED, ids=lambda played: played["question"][:50])
def test_a_draft_that_its_reader_supports_passes(played: dict[str, Any]) -> None:
    judged = [
        JudgedSentence(number=number, reason="So it is.", evidence=evidence, verdict=verdict)
        for number, (verdict, evidence) in enumerate(played["judged"], start=1)
    ]
    found = audit(played, said(played))
    judgement = Judgement(sentences=judged, missing="", answers="yes")

    verdict = verdict_of(judgement, found.draft, passages_of(played))

    assert len(judged) == len(statements(found.draft))
    assert (True, []) == (verdict["faithful"] >= CONFIDENT, verdict["issues"])


async def confidence(played: dict[str, Any], draft: str) -> float:
    """Return the confidence (0–1) in a draft of the quick preset, which no model validates."""
    found = audit(played, draft)
    hints = Hints(today=played["today"], doubts=found.doubts, found=[], quoted=False, by_rules=True, answers=True)
    verdict = await OverlapValidator().validate(played["question"], found.draft, passages_of(played), hints)
    return min(found.confidence, verdict["faithful"], verdict["responsive"])


async def test_a_strong_models_draft_passes_without_a_models_verdict() -> None:
    judged = [await confidence(played, said(played)) for played in PLAYED["drafts"]]

    assert min(judged) >= PRESETS["quick"].floor
    assert sum(one >= CONFIDENT for one in judged) >= FEWEST_KEPT * len(judged)


async def test_hardly_a_right_sentence_is_refuted_without_a_model_and_most_of_another_documents_are() -> None:
    refuted = [await refuted_of(played, said(played)) for played in PLAYED["drafts"]]
    others = [
        await refuted_of(played, f"{said(played)}\n\nFerries leave the northern quay at noon, with dogs on a lead [1].")
        for played in PLAYED["drafts"]
    ]

    assert sum(map(bool, refuted)) <= 1
    assert sum(any("Ferries" in one for one in found) for found in others) >= MOST_FOUND * len(others)


async def refuted_of(played: dict[str, Any], draft: str) -> list[str]:
    hints = Hints(today=played["today"], doubts=[], found=[], quoted=False, by_rules=True, answers=True)
    verdict = await OverlapValidator().validate(played["question"], draft, passages_of(played), hints)
    return verdict.get("refuted", [])


async def test_a_changed_number_does_not_pass_without_a_models_verdict() -> None:
    changed = [await confidence(played, draft) for played in PLAYED["drafts"] for draft in altered(said(played))]

    assert sum(one < CONFIDENT for one in changed) >= FEWEST_FOUND * len(changed)


def test_what_the_writer_is_told_to_write_is_no_doubt() -> None:
    drafts = [
        (played, claim) for played in PLAYED["drafts"] for claim in claims(said(played)) if not claim.needs_source
    ]
    doubted = [claim.text for played, claim in drafts if claim.text in " ".join(audit(played, said(played)).doubts)]

    assert len(drafts) > 10
    assert [] == doubted


def test_a_changed_number_is_a_fault() -> None:
    changed = [(played, draft) for played in PLAYED["drafts"] for draft in altered(said(played))]
    caught = [draft for played, draft in changed if audit(played, draft).faults]

    assert len(changed) > 100
    assert len(caught) >= FEWEST_CAUGHT * len(changed), (len(caught), len(changed))


@pytest.mark.parametrize(
    ("beside", "opposite"),
    [("Holders of an islander card do not.", False), ("Dogs do not travel on deck.", True)],
)
def test_a_negation_may_come_from_the_sentence_beside_the_quoted_one(beside: str, opposite: bool) -> None:
    quoted = "From 1 June to 31 August a car to or from Skell pays 12.00 more each way."
    passage = Passage(
        id=1,
        document_id=1,
        title="Fares",
        path="fares.md",
        heading_path=[],
        text=f"{quoted} {beside}",
        language="en",
        attributes={},
        score=1.0,
    )
    draft = (
        "A car to or from Skell pays 12.00 more each way from 1 June to 31 August; holders of an islander card do not."
    )

    assert opposite is contradicts(draft, quoted, [passage])


def test_a_negation_may_stand_in_the_heading() -> None:
    quoted = "Alcohol with a client meal that the travel desk has booked."
    passage = Passage(
        id=1,
        document_id=1,
        title="Expenses",
        path="expenses.md",
        heading_path=["Not paid"],
        text=quoted,
        language="en",
        attributes={},
        score=1.0,
    )

    assert contradicts("Alcohol with a client meal that the travel desk has booked is not paid.", quoted, []) is True
    assert (
        contradicts("Alcohol with a client meal that the travel desk has booked is not paid.", quoted, [passage])
        is False
    )
