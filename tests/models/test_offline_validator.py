"""The offline validator's verdicts, also on answers that people have rated."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bot.evals.measures import auc
from bot.models.offline.validator import OverlapValidator, faithfulness, responsiveness
from graph.context import Hints
from graph.routing import CONFIDENT
from graph.text.grounding import sentences
from graph.text.words import words
from tests.graph.evidence import passage

PASSAGE = passage("offices/porto/vacation.md", "You have 25 days of paid vacation a year.", title="Vacation in Porto")
EVALS = Path(os.environ.get("ASKBACK_EVALS", Path(__file__).parents[2].parent / "shared" / "evals")) / "groundedness"
RATED = EVALS / "mtrag_human_faithfulness_cloud_clapnq.jsonl"


async def test_a_quoted_answer_is_faithful_and_responsive() -> None:
    verdict = await OverlapValidator().validate("How many vacation days?", f"{PASSAGE['text'][:-1]} [1].", [PASSAGE])

    assert verdict["faithful"] == pytest.approx(1.0)
    assert verdict["responsive"] == pytest.approx(1.0)
    assert verdict["issues"] == []


async def test_an_invented_sentence_is_an_issue() -> None:
    answer = "You have 25 days of paid vacation a year [1]. The cafeteria serves lunch at noon [1]."
    verdict = await OverlapValidator().validate("How many vacation days?", answer, [PASSAGE])

    assert verdict["faithful"] < 0.7
    assert verdict["issues"] == ["No passage says this: The cafeteria serves lunch at noon [1]."]


LUNCH = passage("porto/cantina.md", "O prato custa 4 euros e é descontado no salário.", title="Almoço", language="pt")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Was bekomme ich als Urlaub, wenn ich neu bin?", True),
        ("Combien de congés ai-je par an ?", True),
        ("Where does the tram stop?", False),
    ],
)
async def test_a_question_in_another_language_shares_no_words_with_what_answers_it(
    question: str, answers: bool
) -> None:
    quoted = f"{PASSAGE['text'][:-1]} [1]."

    verdict = await OverlapValidator().validate(question, quoted, [PASSAGE])

    assert answers is (verdict["responsive"] >= CONFIDENT)


@pytest.mark.parametrize(
    ("answer", "is_shown"),
    [
        ("Le plat coûte 4 euros [1].", True),
        ("Le plat coûte 4 euros [1] : deux plats, 2 × 4 = 8 euros [1].", True),
        ("Das Essen kostet 5 Euro [1].", False),
    ],
)
async def test_an_answer_in_another_language_than_its_source_is_judged_by_its_numbers(
    answer: str, is_shown: bool
) -> None:
    verdict = await OverlapValidator().validate("Combien coûte le déjeuner ?", answer, [LUNCH])

    assert is_shown is (min(verdict["faithful"], verdict["responsive"]) >= CONFIDENT)
    assert is_shown is (not verdict["issues"])


@pytest.mark.parametrize(
    ("answer", "is_shown"),
    [
        ("Nothing from 18:00 on: 12 hours before duty [1], and 06:00 − 12 h = 18:00 [1].", True),
        ("Nothing from 20:00 on: 12 hours before duty [1], and 06:00 − 12 h = 18:00 [1].", False),
    ],
)
async def test_a_time_that_follows_from_a_source_in_another_language_is_no_invented_number(
    answer: str, is_shown: bool
) -> None:
    rule = passage("crew/bordordnung.md", "Zwölf Stunden vor dem Dienst gilt 0,0 Promille.", language="de")
    verdict = await OverlapValidator().validate("Is a pint ok if I start at 06:00?", answer, [rule])

    assert is_shown is (verdict["faithful"] >= CONFIDENT)


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ("**50 days** of paid vacation: 2 × 25 days = 50 days [1].", True),
        ("**50 days** of paid vacation [1].", False),
        ("You have 25 days of paid vacation a year [1]. The documents do not say who approves them.", True),
        ("25 Tage im Jahr [1]. Wer sie genehmigt, sagen die Dokumente nicht.", True),
        ("25 Tage im Jahr [1]. Zur Genehmigung sagen die Dokumente sonst nichts.", True),
        ("It depends on where you work:\n\n- Porto: 25 days of paid vacation a year [1].", True),
        ("Porto gives 25 days of paid vacation a year [1]. Lunch is taken from the salary, 4 EUR [2].", True),
        ("Porto gives 25 days of paid vacation a year [1]. Lunch is taken from the salary, 5 EUR [2].", False),
    ],
)
async def test_what_words_cannot_tell_is_no_issue(answer: str, passes: bool) -> None:
    verdict = await OverlapValidator().validate("Vacation in two years, and lunch?", answer, [PASSAGE, LUNCH])

    assert passes is (verdict["faithful"] >= CONFIDENT)
    assert passes is (not verdict["issues"])


@pytest.mark.parametrize(
    "answer",
    [
        "The documents do not say who approves vacation.",
        "I'm sorry, I don't have specific information about vacation in 2031.",
        "I could not find who approves vacation.",
        "Dazu habe ich leider keine Informationen gefunden.",
        "Não tenho informações sobre as férias.",
        "Unfortunately, I do not have that information.",
        "Leider konnte ich nichts finden.",
    ],
)
async def test_what_only_admits_is_faithful_and_no_answer(answer: str) -> None:
    verdict = await OverlapValidator().validate("Who approves vacation?", answer, [PASSAGE])

    assert verdict["faithful"] >= CONFIDENT
    assert verdict["responsive"] == 0
    assert not verdict["issues"]


@pytest.mark.parametrize(
    "answer",
    [
        "I did not find any exceptions, so everybody gets a bicycle.",
        "I do not have details but managers ride a bicycle.",
        "Ich finde keine Ausnahme, also bekommen alle ein Fahrrad.",
        "Não encontrei exceções: todos recebem uma bicicleta.",
    ],
)
async def test_what_tells_something_besides_is_no_admission(answer: str) -> None:
    verdict = await OverlapValidator().validate("Who gets a bicycle?", answer, [PASSAGE])

    assert verdict["faithful"] < CONFIDENT or verdict["issues"]


@pytest.mark.parametrize("answers", [True, False])
async def test_a_writer_knows_better_than_shared_words_whether_it_answers(answers: bool) -> None:
    hints = Hints(today="2026-11-26", doubts=[], found=[], quoted=False, answers=answers)

    verdict = await OverlapValidator().validate("how mnay hollidays?", f"{PASSAGE['text']} [1]", [PASSAGE], hints)

    assert answers is (verdict["responsive"] >= CONFIDENT)


async def test_a_changed_number_is_an_issue() -> None:
    verdict = await OverlapValidator().validate("Days?", "You have 26 days of paid vacation a year [1].", [PASSAGE])

    assert verdict["faithful"] < 0.7
    assert len(verdict["issues"]) == 1


async def test_an_unknown_citation_does_no_harm() -> None:
    verdict = await OverlapValidator().validate("Days?", "You have 25 days of paid vacation [7].", [PASSAGE])

    assert verdict["faithful"] >= 0.7


def test_an_answer_to_another_question_is_not_responsive() -> None:
    assert responsiveness("How do I reset the router?", "You have 25 days.", []) < 0.7
    assert responsiveness("How do I reset the router?", "", []) == 0.0


def test_the_title_of_what_is_cited_tells_what_an_answer_is_about() -> None:
    assert responsiveness("How much vacation?", "You have 25 days.", ["Vacation in Porto"]) == pytest.approx(1.0)


@pytest.mark.skipif(not RATED.exists(), reason="The shared evaluation data are not here.")
def test_it_tells_faithful_from_unfaithful_answers_better_than_plain_overlap() -> None:
    rated = [json.loads(line) for line in RATED.read_text("utf-8").splitlines()]
    good, bad = ([row for row in rated if (row["faithfulness_median"] > 2) is kept] for kept in (True, False))

    ours = auc([_ours(row) for row in good], [_ours(row) for row in bad])
    plain = auc([_plain(row) for row in good], [_plain(row) for row in bad])

    assert ours > plain
    assert ours >= 0.96


def _ours(row: dict[str, Any]) -> float:
    return faithfulness(sentences(row["response"]), [one["text"] for one in row["passages"]])


def _plain(row: dict[str, Any]) -> float:
    held = {word for one in row["passages"] for word in words(one["text"])}
    said = words(row["response"])
    return sum(word in held for word in said) / max(1, len(said))
