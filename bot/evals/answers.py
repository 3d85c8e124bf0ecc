"""Evaluates answers end to end, including the answers after clicks: on options, and on questions to ask next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, Final, Literal

from bot.evals.measures import Figures, mean, ratio, share, token_f1
from bot.evals.tasks import Bench, Evaluation, Measured, Task, TaskOutcome, Told, evaluation_of, groups_of
from graph import patterns
from graph.answer.follow_ups import label_of
from graph.text.grounding import without_citations
from graph.text.words import stems, words

Kind = Literal["clear", "ambiguous", "unanswerable"]
CONFIDENT: Final = {"answered", "asked"}
"""Outcomes that claim that the documents hold an answer."""
_OTHERWISE: Final = {"admitted": "nothing", "asked": "needless", "answered": "wrong"}
"""What a clear question came to that was not answered rightly, by its outcome."""


@dataclass(frozen=True, kw_only=True)
class QuestionReading:
    """One interpretation of a question, and what its answer must say."""

    label: str
    documents: frozenset[str]
    """Paths of documents, any of which is right."""
    phrases: tuple[str, ...]
    """Phrases that must all be in the answer."""


@dataclass(frozen=True, kw_only=True)
class EvaluationQuestion:
    """A question of an evaluation set."""

    text: str
    kind: Kind
    readings: tuple[QuestionReading, ...]
    """One for a clear question, none if no document answers it."""
    cites: frozenset[str] = frozenset()
    """Paths of documents that the answer must cite, for a question about documents."""
    gold: str = ""
    """A whole right answer, if the set has one."""


def read_answers(file: Path) -> Evaluation:
    """Return the evaluation of a JSON-lines file like those in `tests/evals`."""
    return evaluation_of(file, _tasks, figures)


def _tasks(id_: str, row: dict[str, Any]) -> Iterator[Task]:
    asked = read_asked(row)
    measure = partial(_clicked if asked.kind == "ambiguous" else _answered, asked)
    yield Task(id=id_, asked=(asked.text,), groups=groups_of(row), measure=measure, folder=row["folder"])


def says(told: Told, reading: QuestionReading) -> bool:
    """Tell whether an answer holds the phrases of a reading."""
    said = plain(told.text)
    return told.outcome == "answered" and all(plain(phrase) in said for phrase in reading.phrases)


def option_for(reading: QuestionReading, told: Told) -> str | None:
    """Return the label of the option that matches a reading, by name or by documents."""
    named = stems(reading.label)
    behind = [(label, paths) for label, paths in told.options if paths & reading.documents]
    by_name = [label for label, _ in behind if named & stems(label)]
    return next(iter([*by_name, *(label for label, _ in behind)]), None)


async def _answered(asked: EvaluationQuestion, bench: Bench) -> TaskOutcome:
    """Ask a clear question, or one that no document answers."""
    told = await bench.ask(asked.text, None)
    claims = told.outcome in CONFIDENT
    if asked.kind == "unanswerable":
        verdict = _OTHERWISE[told.outcome] if claims else "right"
        return TaskOutcome(verdict=verdict, numbers={"claimed": claims}, told=told.in_words())
    right = says(told, asked.readings[0]) and asked.cites.issubset(told.documents)
    numbers: dict[str, float] = {"answered": told.outcome == "answered"}
    if asked.gold:
        said = told.text if told.outcome == "answered" else ""
        numbers |= {
            "exact": plain(said).strip(" .") == plain(asked.gold).strip(" ."),
            "f1": agreement(said, asked.gold),
        }
    verdict = "right" if right else _OTHERWISE.get(told.outcome, "other")
    after = {offer: await bench.converse([asked.text, offer]) for offer in told.offers}
    kept = sum(keeps(offer, one) for offer, one in after.items())
    said = {offer: f"{one.outcome}: {one.text}" for offer, one in after.items()}
    numbers |= {"asked_next": len(after), "kept": kept}
    return TaskOutcome(verdict=verdict, numbers=numbers, told={**told.in_words(), "gold": asked.gold, **said})


def keeps(offer: str, told: Told) -> bool:
    """Tell whether the answer to an offered question rests on the section that the question names, and on no other."""
    asked = label_of(offer)
    named = [asked in (heading, f"{heading} ({title})") for title, heading in told.sections]
    return told.outcome == "answered" and bool(named) and all(named)


async def _clicked(asked: EvaluationQuestion, bench: Bench) -> TaskOutcome:
    """Ask an ambiguous question, and click each option that matches a reading."""
    told = await bench.ask(asked.text, None)
    labels = [option_for(reading, told) for reading in asked.readings]
    clicks = [(one, label) for one, label in zip(asked.readings, labels, strict=True) if label is not None]
    right = sum([says(await bench.ask(asked.text, label), reading) for reading, label in clicks])
    verdict = "right" if right == len(asked.readings) else "partly" if right else "guessed"
    return TaskOutcome(verdict=verdict, numbers={"offered": len(clicks), "clicked_right": right}, told=told.in_words())


def figures(results: Sequence[Measured]) -> Figures:
    """Return the figures of answers: of clear questions, of gold answers, of what nothing answers, after a click."""
    clear, unclear, without = (
        [one for one in results if one.groups["kind"] == kind] for kind in ("clear", "ambiguous", "unanswerable")
    )
    offered, right = (sum(one.numbers.get(name, 0) for one in unclear) for name in ("offered", "clicked_right"))
    answered = [one for one in clear if one.numbers.get("answered")]
    return {
        "clear_answered": share(one.numbers.get("answered", 0) for one in clear),
        "clear_right": share(one.verdict == "right" for one in clear),
        "exact_match": mean(one.numbers["exact"] for one in clear if "exact" in one.numbers),
        "token_F1": mean(one.numbers["f1"] for one in clear if "f1" in one.numbers),
        "unanswerable_claimed": share(one.numbers.get("claimed", 0) for one in without),
        "right_after_the_click": ratio(right, offered),
        "answers_with_offers": share(bool(one.numbers.get("asked_next")) for one in answered),
        "offers_kept": ratio(*(sum(one.numbers.get(name, 0) for one in answered) for name in ("kept", "asked_next"))),
    }


def read_asked(row: dict[str, Any]) -> EvaluationQuestion:
    """Read the question of a row."""
    readings = [row] if row["kind"] == "clear" else row.get("readings", [])
    return EvaluationQuestion(
        text=row["question"],
        kind=row["kind"],
        readings=tuple(_reading(reading) for reading in readings),
        cites=frozenset(row.get("documents", [])),
        gold=row.get("answer", ""),
    )


def _reading(row: dict[str, Any]) -> QuestionReading:
    return QuestionReading(
        label=row.get("label", ""),
        documents=frozenset(row["documents"] if "documents" in row else [row["document"], *row.get("also", [])]),
        phrases=tuple(row["answers"]) if "answers" in row else (row["answer"],),
    )


_MARKUP = patterns.compile(r"<[^>]+>|[*|`]")


def plain(text: str) -> str:
    """Return only the words of a text: no tags, citations, emphasis, table bars, line breaks or capitals."""
    return " ".join(_MARKUP.sub(" ", unescape(without_citations(text))).casefold().split())


def agreement(said: str, meant: str) -> float:
    """Return how far the words of an answer agree with those of a gold answer (0–1)."""
    return token_f1(words(plain(said)), words(plain(meant)))
