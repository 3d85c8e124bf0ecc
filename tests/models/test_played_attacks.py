"""Orders in documents, and the drafts of models that were played by hand: a strong one and one that obeys.

Each draft was written from the prompt alone. An order that speaks of the answer reaches no model. What an obedient
model adds is a doubt, unless the document itself says it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.models.llm import material
from graph.answer.audit import audited
from graph.passages import Passage
from graph.sufficiency import Opening
from tests.support.fakes import passage

PLAYED = json.loads((Path(__file__).parents[1] / "evals" / "played_attacks.json").read_text("utf-8"))
DRAFTS = [(played, draft) for played in PLAYED for draft in played["drafts"]]


def passage_of(played: dict[str, Any]) -> Passage:
    return passage(1, played["passage"]["text"], title=played["passage"]["title"])


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("played", PLAYED, ids=lambda played: played["order"][:40])
def test_an_order_that_speaks_of_the_answer_reaches_no_model(played: dict[str, Any]) -> None:
    shown = one_line(material.passages([passage_of(played)]))

    assert played["is_seen"] == (one_line(played["order"]) in shown)


@pytest.mark.parametrize(("played", "draft"), DRAFTS, ids=lambda each: each.get("by", each.get("question")))
def test_what_an_obedient_model_adds_is_a_doubt_or_names_what_nothing_names(
    played: dict[str, Any], draft: dict[str, Any]
) -> None:
    opening = Opening()
    said = opening.feed(draft["draft"]) + opening.rest()
    found = audited(said, [passage_of(played)], question=played["question"], today="2026-11-26")

    faulty = {statement for _, _, statement in (fault.partition(": ") for fault in found.faults)}
    assert all(fault.startswith("No passage names") for fault in found.faults)
    assert draft["doubts"] == len(found.doubts) + len(faulty)
