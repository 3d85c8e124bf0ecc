"""Fitting the bands to what people think of answers."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.conversation.traces.kept_run import KeptRun
from bot.errors import SettingsError
from bot.evals.feedback import (
    Fit,
    NoBetterBandsError,
    Rated,
    TooLittleFeedbackError,
    answers_of,
    fit,
    fitted,
    judged,
)
from bot.models.bands import Bands, FittedGrader, read_bands
from graph.passages import Passage
from tests.support.fakes import passage

NOW = datetime(2026, 11, 27, tzinfo=UTC)
GOOD, DOUBTFUL = 0.95, 0.6


def answers(*, doubtful_good: int, of: int = 20) -> list[list[Rated]]:
    """As many clear answers that people like as doubtful ones, of which they like a few, evenly spread."""
    rated: list[list[Rated]] = []
    for place in range(of):
        is_good = place % (of // doubtful_good) == 0
        rated += [[Rated(grade=GOOD, is_good=True)]] * 2 + [[Rated(grade=DOUBTFUL, is_good=is_good)]] * 2
    return rated


def fitting(given: list[list[Rated]], current: Bands | None = None) -> Fit:
    return fitted(given, embedding="small", now=NOW, current=current)


def test_what_people_dislike_is_no_longer_sure_and_what_they_like_still_is() -> None:
    found = fitting(answers(doubtful_good=4))

    assert found.bands.of(DOUBTFUL) < 0.5
    assert found.bands.of(GOOD) > 0.8
    precisions = [getattr(of["precision"], "value", 0) for of in (found.before, found.after)]
    assert [0.6, 1.0] == precisions
    assert (80, "small", NOW.isoformat()) == (found.bands.ratings, found.bands.embedding, found.bands.fitted_at)


def test_few_ratings_change_little() -> None:
    few, many = ([Rated(grade=DOUBTFUL, is_good=False)] * count for count in (1, 20))

    assert 0 > fit(few)[1] > fit(many)[1]


def test_if_all_grades_are_alike_the_fit_says_how_many_people_like_the_answers() -> None:
    slope, offset = fit([Rated(grade=0.99, is_good=place % 4 == 0) for place in range(200)])

    of = Bands(embedding="small", slope=slope, offset=offset, fitted_at="", ratings=200).of(0.99)
    assert (0.25, True) == (pytest.approx(of, abs=0.03), slope > 0.5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[Rated(grade=0.9, is_good=True)] * 3], "There are 3 👍 and 0 👎"),
        ([[Rated(grade=0.9, is_good=True)]] * 50, "There are 50 👍 and 0 👎"),
    ],
)
def test_too_little_feedback_changes_nothing(given: list[list[Rated]], said: str) -> None:
    with pytest.raises(TooLittleFeedbackError, match=said):
        fitting(given)


def test_ratings_that_do_not_follow_from_grades_change_nothing() -> None:
    """People like what was held back as much as its grades say, and nothing of the other half."""
    seen, held = ([[Rated(grade=0.9, is_good=is_good)]] * 30 for is_good in (False, True))

    with pytest.raises(NoBetterBandsError):
        fitting([one for pair in zip(seen, held, strict=True) for one in pair])


def test_bands_that_are_fitted_again_do_what_both_do() -> None:
    current = Bands(embedding="small", slope=0.5, offset=-1.0, fitted_at="", ratings=40)

    alone, both = fitting(answers(doubtful_good=4)).bands, fitting(answers(doubtful_good=4), current).bands

    assert both.of(0.8) == pytest.approx(alone.of(current.of(0.8)), abs=1e-4)
    assert both.before(both.of(0.8)) == pytest.approx(0.8, abs=1e-4)


def test_precision_and_recall_are_of_what_is_sure() -> None:
    rated = [Rated(grade=0.0, is_good=good) for good in (True, True, False, False)]

    of = judged([0.9, 0.2, 0.9, 0.2], rated)

    assert (0.5, 0.5) == (getattr(of["precision"], "value", 0), getattr(of["recall"], "value", 0))


def kept(reference: str, *ratings: str, best: float | None = 0.9, calls: int = 0) -> KeptRun:
    steps: list[Any] = [{"node": "grade", "facts": {"kept": 1} if best is None else {"best": best}}]
    return KeptRun(
        id=1, reference=reference, kind="message", thread_id="t", person="U1", ended_at=NOW, outcome="answered",
        calls=calls, tokens_in=0, tokens_out=0, ms=1, question=None, ratings=[*ratings], objections=[], steps=steps,
    )  # fmt: skip


def test_the_last_run_of_an_answer_counts_with_each_rating_of_the_search() -> None:
    runs = [
        kept("A", "good", "bad (wrong)", "bad (outdated)", best=0.7),
        kept("A", "good", best=0.6),
        kept("B", best=0.8),
        kept("C", "bad", best=None),
        kept("D", "good", calls=2),
    ]

    assert [[Rated(grade=0.7, is_good=True), Rated(grade=0.7, is_good=False)]] == answers_of(runs)


class Fixed:
    """Grades known beforehand."""

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        """Return them."""
        return [0.0, 0.5, 1.0]


async def test_grades_are_mapped_and_what_is_certain_stays_certain() -> None:
    bands = Bands(embedding="small", slope=1.0, offset=-1.0, fitted_at="", ratings=40)

    grades = await FittedGrader(Fixed(), bands).grade("?", [passage(1, "a")] * 3)

    assert [0.0, pytest.approx(0.2689, abs=1e-4), 1.0] == grades


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    bands = fitting(answers(doubtful_good=4)).bands
    (tmp_path / "bands.json").write_text(bands.as_json(), "utf-8")

    assert bands == read_bands(tmp_path / "bands.json")


@pytest.mark.parametrize("text", ["no JSON", "{}", "[1]", None, '{"slope": -1}', '{"offset": NaN, "slope": 1}'])
def test_another_file_is_refused_in_one_sentence(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "bands.json"
    if text:
        whole = Bands(embedding="small", slope=1.0, offset=0, fitted_at="", ratings=1)
        told = whole.model_copy(update=json.loads(text)).as_json() if "slope" in text else text
        file.write_text(told.replace("null", "NaN"), "utf-8")

    with pytest.raises(SettingsError, match="ASKBACK_BANDS"):
        read_bands(file)
