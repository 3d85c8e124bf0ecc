"""Conversations as Markdown, for people who write no JSON.

A case is a heading and its turns:

    # Vacation in two offices

    ## Turn 1
    User: How many vacation days do I have?
    Expected: asks, offering `Porto` and `Hamburg`

    ## Turn 2
    User: the one in Porto
    Expected: answers `25 days`, citing `offices/porto/vacation.md`, never `30`

What is expected begins with a verb: answers, asks, admits, declines or converses. What stands in backticks must be in
the answer, or among the options; after *citing* it is the path of a source, after *never* it must not be in the answer.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from bot.errors import SettingsError
from bot.evals.outcomes import Expectation, Expected, ExpectedReading, figures, task_of
from bot.evals.tasks import Evaluation
from graph import patterns

SUFFIX: Final = ".md"
VERBS: Final[dict[str, Expected]] = {
    "answers": "answer",
    "asks": "ask",
    "admits": "admit",
    "declines": "decline",
    "converses": "converse",
}
_HEADING = patterns.compile(r"^(?P<marks>#+)\s+(?P<text>.+)$")
_LABEL = patterns.compile(r"^\**(?P<label>User|Expected)\**:\**\s*(?P<text>.*)$", patterns.IGNORE_CASE)
_TOLD = patterns.compile(r"\b(?P<role>citing|never)\b|`(?P<value>[^`]+)`")


def read_cases(file: Path) -> Evaluation:
    """Return the evaluation of a Markdown file's cases, a task for each turn of a thread."""
    return Evaluation(tasks=list(map(task_of, turns_of(file))), figures=figures)


def turns_of(file: Path) -> list[Expectation]:
    """Read the turns of a Markdown file's cases. Raises `SettingsError` that names the case and the turn."""
    turns: list[Expectation] = []
    for title, parts in _sections(file.read_text("utf-8")):
        said: tuple[str, ...] = ()
        for number, part in enumerate(parts, 1):
            turn = _turn(f"{title}, turn {number}", title, part)
            turns.append(replace(turn, earlier=said))
            said = (*said, turn.question)
    if not turns:
        raise SettingsError(f"{file} holds no case: a case is a heading, `## Turn 1`, `User: …` and `Expected: …`.")
    return turns


def _sections(text: str) -> Iterable[tuple[str, list[dict[str, str]]]]:
    """Yield each case's title with the labelled texts of its turns."""
    title, turns, label = "", list[dict[str, str]](), ""
    for line in text.splitlines():
        if heading := _HEADING.search(line):
            label = ""
            if heading["text"].lower().startswith("turn"):
                turns.append({})
                continue
            if turns:
                yield title, turns
            title, turns = heading["text"].strip(), []
        elif turns and (found := _LABEL.search(line)):
            label = found["label"].lower()
            turns[-1][label] = found["text"].strip()
        elif turns and label and line.strip():
            turns[-1][label] += f"\n{line.strip()}"
    if turns:
        yield title, turns


def _turn(name: str, title: str, parts: dict[str, str]) -> Expectation:
    verb = parts.get("expected", "").partition(" ")[0].strip(".,:;").lower()
    if not parts.get("user") or verb not in VERBS:
        raise SettingsError(
            f"{name}: write `User:` with a message, and `Expected:` that begins with one of {', '.join(VERBS)}."
        )
    told = _told(parts["expected"])
    turn = Expectation(
        id=name, half="cases", folder="", language="", kind=title, earlier=(), question=parts["user"],
        expect=VERBS[verb], needs=told["needs"], never=told["never"], sources=told["citing"], readings=(),
    )  # fmt: skip
    if turn.expect != "ask":
        return turn
    readings = tuple(ExpectedReading(label=label, needs=(label,), sources=()) for label in turn.needs)
    return replace(turn, needs=(), readings=readings)


def _told(expected: str) -> dict[str, tuple[str, ...]]:
    role, told = "needs", dict[str, tuple[str, ...]](needs=(), citing=(), never=())
    for found in _TOLD.finditer(expected):
        role = found["role"] or role
        if value := found["value"]:
            told[role] = (*told[role], value)
    return told
