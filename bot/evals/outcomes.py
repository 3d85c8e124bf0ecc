"""Evaluates how questions end: answered, asked back, admitted, declined, or with small talk.

The questions are those of `tests/evals/strangers.jsonl`. Code compares values and sources. People judge from the
transcripts whether the rest of an answer is true.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, assert_never, get_args

from bot.evals.answers import plain
from bot.evals.measures import Figures, Share, share
from bot.evals.tasks import RIGHT, Bench, Evaluation, Measured, Task, TaskOutcome, Told, evaluation_of

Expected: TypeAlias = Literal["answer", "ask", "admit", "decline", "converse"]
Verdict: TypeAlias = Literal["right", "nearest", "partly", "wrong", "nothing", "needless", "guessed", "other"]
"""The judgement.

"nearest": the bot was not sure, and quoted the answer. "nothing": it found nothing, but there is an answer.
"needless": it asked back about a clear question. "guessed": it answered one of several readings.
"""
OUTCOMES: Final[dict[Expected, str]] = {"admit": "admitted", "decline": "declined", "converse": "conversed"}


@dataclass(frozen=True, kw_only=True)
class ExpectedReading:
    """One interpretation of a question."""

    label: str
    needs: tuple[str, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """A question, and its expected end."""

    id: str
    half: str
    folder: str
    language: str
    kind: str
    earlier: tuple[str, ...]
    """The person's earlier questions in the thread."""
    question: str
    expect: Expected
    needs: tuple[str, ...]
    """Values in a right answer; `a|b` are alternatives."""
    never: tuple[str, ...]
    sources: tuple[str, ...]
    readings: tuple[ExpectedReading, ...]
    difficulty: str = ""


def read_outcomes(file: Path) -> Evaluation:
    """Return the evaluation of a JSON-lines file."""
    return evaluation_of(file, lambda id_, row: [task_of(read_expectation({"id": id_, **row}))], figures)


def task_of(expected: Expectation) -> Task:
    """Return the task of asking a question."""
    groups = {
        "half": expected.half,
        "folder": expected.folder,
        "expected": expected.expect,
        "kind": expected.kind,
        "language": expected.language,
        "difficulty": expected.difficulty,
    }
    return Task(
        id=expected.id,
        asked=(*expected.earlier, expected.question),
        groups={name: value for name, value in groups.items() if value},
        measure=partial(_measure, expected),
        folder=expected.folder,
    )


async def _measure(expected: Expectation, bench: Bench) -> TaskOutcome:
    told = await bench.converse([*expected.earlier, expected.question])
    wanted = ", ".join([*expected.needs, *(reading.label for reading in expected.readings)])
    words = {"expected": f"{expected.expect} {wanted}".strip(), **told.in_words()}
    return TaskOutcome(verdict=verdict(expected, told), numbers={"asked": told.outcome == "asked"}, told=words)


def figures(results: Sequence[Measured]) -> Figures:
    """Return the shares of results: `false_nothing` of what documents answer, the others of what they name."""
    of = {name: [one for one in results if one.groups["expected"] == name] for name in get_args(Expected)}
    asked = [one for one in results if one.numbers.get("asked")]
    return {
        "right_or_nearest": _share(results, "right", "nearest"),
        "wrong_or_guessed": _share(results, "wrong", "guessed"),
        "wrong": _share(results, "wrong"),
        "false_nothing": _share([*of["answer"], *of["ask"]], "nothing"),
        "clear_asked_needlessly": _share(of["answer"], "needless"),
        "questions_back_right": _share(asked, "right"),
        "ambiguous_asked": share(bool(one.numbers.get("asked")) and one.verdict == RIGHT for one in of["ask"]),
    }


def _share(results: Sequence[Measured], *verdicts: Verdict) -> Share | None:
    return share(one.verdict in verdicts for one in results)


def verdict(expected: Expectation, told: Told) -> Verdict:
    """Judge the end of a question."""
    match expected.expect:
        case "answer":
            return _of_answer(expected, told)
        case "ask":
            return _of_ask(expected, told)
        case "admit" | "decline" | "converse":
            return _of_outcome(expected, told)
        case _:
            assert_never(expected.expect)


def _of_answer(expected: Expectation, told: Told) -> Verdict:
    held = [need for need in expected.needs if holds(told.text, need)]
    if told.outcome == "asked":
        return "needless"
    if told.outcome == "admitted":
        return "nearest" if len(held) == len(expected.needs) else "nothing"
    if told.outcome != "answered":
        return "other"
    if not held or any(holds(told.text, value) for value in expected.never):
        return "wrong"
    is_cited = not expected.sources or not set(expected.sources).isdisjoint(told.documents)
    return "right" if len(held) == len(expected.needs) and is_cited else "partly"


def _of_ask(expected: Expectation, told: Told) -> Verdict:
    held = [reading for reading in expected.readings if all(holds(told.text, need) for need in reading.needs)]
    if told.outcome == "asked":
        behind = {path for _, paths in told.options for path in paths}
        offered = [
            reading
            for reading in expected.readings
            if behind & set(reading.sources) or any(holds(label, reading.label) for label, _ in told.options)
        ]
        return "right" if len(offered) > 1 else "needless"
    if told.outcome == "answered":
        return "right" if len(held) == len(expected.readings) else "guessed"
    if told.outcome == "admitted":
        return "nearest" if held else "nothing"
    return "other"


def _of_outcome(expected: Expectation, told: Told) -> Verdict:
    if told.outcome == OUTCOMES[expected.expect]:
        return "right"
    if told.outcome == "asked":
        return "needless"
    if told.outcome == "answered":
        return "wrong"
    # "I found nothing" states nothing false.
    return "nothing" if told.outcome == "admitted" else "other"


def holds(text: str, need: str) -> bool:
    """Tell whether a text holds a value or an alternative. "5" is not in "15" or "5.5"."""
    said = _words(text)
    return any(_stands(said, _words(either)) for either in need.split("|"))


def _stands(said: str, value: str) -> bool:
    begins = said.find(value)
    while begins >= 0:
        ends = begins + len(value)
        before, after = said[max(0, begins - 2) : begins], said[ends : ends + 2]
        if not (value[:1].isdigit() and _goes_on(before[::-1])) and not (value[-1:].isdigit() and _goes_on(after)):
            return True
        begins = said.find(value, begins + 1)
    return False


def _goes_on(beside: str) -> bool:
    """Tell whether a number continues beside a value; the nearest character comes first."""
    return beside[:1].isdigit() or (beside[:1] in (".", ",") and beside[1:2].isdigit())


def _words(text: str) -> str:
    return " ".join(plain(text).replace("_", " ").split())


def read_expectations(file: Path) -> list[Expectation]:
    """Read the questions of a JSON-lines file."""
    return [read_expectation(json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def read_expectation(row: dict[str, Any]) -> Expectation:
    """Read the question of a row."""
    if row["expect"] not in get_args(Expected):
        raise ValueError(row["expect"])
    readings = [
        ExpectedReading(label=each["label"], needs=tuple(each["needs"]), sources=tuple(each["sources"]))
        for each in row["readings"]
    ]
    return Expectation(
        id=row["id"],
        half=row["set"],
        folder=row["folder"],
        language=row["language"],
        kind=row["kind"],
        earlier=tuple(row["earlier"]),
        question=row["question"],
        expect=row["expect"],
        needs=tuple(row["needs"]),
        never=tuple(row["never"]),
        sources=tuple(row["sources"]),
        readings=tuple(readings),
        difficulty=str(row.get("difficulty", "")),
    )
