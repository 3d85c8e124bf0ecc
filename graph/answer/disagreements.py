"""Where two drafts of one answer contradict each other by their claims, whatever their words (pure; requirement A7).

Two statements contradict each other if they are about the same thing, and each has a value or a name that the other
draft has nowhere, or both name the same with other values, or one denies what the other says. A detail that only one
draft mentions is no contradiction.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from graph import patterns
from graph.answer.claims import claims
from graph.answer.held_values import agree
from graph.answer.negation import denies
from graph.calendar.dates import Day
from graph.text.grounding import without_citations
from graph.text.names import names
from graph.text.values import Number, family, same_day, values
from graph.text.words import content_words, language_of

_Value: TypeAlias = Number | Day | int
"""A number, a date, or a time in minutes since midnight."""

_SAME_THING: Final = 0.5
"""Least share of the shorter statement's words, without values and names, that the other one has, too."""
_WORD: Final = patterns.compile(r"\w+")
_REPLIES: Final = {"yes": True, "ja": True, "sim": True, "no": False, "nein": False, "não": False}


@dataclass(frozen=True)
class _Statement:
    """What a statement claims."""

    text: str
    values: tuple[_Value, ...]
    names: frozenset[str]
    """The stems of its names."""
    about: frozenset[str]
    """The stems of its other words."""
    reply: bool | None
    """Whether it begins with yes or no, if it does."""


def disagreements(one: str, other: str, *, evidence: str = "") -> list[str]:
    """Return the statements that contradict each other as "it is 25 days / it is 30 days", each pair once.

    `evidence` is what both rest on: it tells names from other words with a capital. A draft without text contradicts
    all that the other one says.
    """
    language = language_of(one)
    telling = _always_with_capital(evidence, f"{one}\n{other}")
    said, heard = _statements(one, language, telling), _statements(other, language, telling)
    if not heard:
        return [statement.text for statement in said]
    return list(dict.fromkeys(f"{mine.text} / {theirs.text}" for mine, theirs in _contradictions(said, heard)))


def _contradictions(said: list[_Statement], heard: list[_Statement]) -> Iterator[tuple[_Statement, _Statement]]:
    lone_said, lone_heard = _lone(said, heard), _lone(heard, said)
    kinds = _kinds_apart(said, heard)
    # What contradicts a statement of both drafts contradicts its own draft, too.
    in_both = {mine.text for mine in said} & {theirs.text for theirs in heard}
    for mine, own in zip(said, lone_said, strict=True):
        for theirs, others in zip(heard, lone_heard, strict=True):
            if in_both & {mine.text, theirs.text}:
                continue
            is_same_thing = _is_same_thing(mine, theirs)
            pairs = [(_kind(value), _kind(rival)) for value in own.values for rival in others.values]
            if (
                any(kind == rival and (is_same_thing or kind in kinds) for kind, rival in pairs)
                or (is_same_thing and own.names and others.names)
                or (is_same_thing and mine.names and mine.names == theirs.names and _kinds_apart([mine], [theirs]))
                or (is_same_thing and mine.reply is not None and theirs.reply is (not mine.reply))
                or denies(mine.text, [theirs.text])
            ):
                yield mine, theirs


def _always_with_capital(evidence: str, drafts: str) -> frozenset[str]:
    """Return the words of the evidence that nobody writes small: a capital at a sentence's start says nothing alone."""
    written = frozenset(_WORD.findall(evidence))
    return frozenset(word for word in written if word[0].isupper()) - {
        word.capitalize() for word in written.union(_WORD.findall(drafts)) if word.islower()
    }


def _statements(draft: str, language: str, telling: frozenset[str]) -> list[_Statement]:
    return [_statement(without_citations(claim.text), language, telling) for claim in claims(draft, language)]


def _statement(text: str, language: str, telling: frozenset[str]) -> _Statement:
    said = values(text, language)
    first = next(iter(_WORD.findall(text)), "")
    called = {*content_words(" ".join(name for name in names(f"known {text}") if name != first or name in telling))}
    written = " ".join([*(number.text for number in said.numbers), *said.texts.values()])
    units = {word for number in said.numbers for word in content_words(number.unit)}
    about = {word for word in content_words(text) if not any(map(str.isdecimal, word))}
    return _Statement(
        text,
        (*said.numbers, *said.dates, *said.times),
        frozenset(called),
        frozenset(about - called - units - {*content_words(written)}),
        _REPLIES.get(first.casefold()),
    )


def _lone(said: list[_Statement], heard: list[_Statement]) -> list[_Statement]:
    """Return statements with only the values and names that no statement of the other draft has."""
    known = [value for statement in heard for value in statement.values]
    called = {name for statement in heard for name in (*statement.names, *statement.about)}
    return [
        replace(
            one,
            values=tuple(value for value in one.values if not any(_agree(value, other) for other in known)),
            names=one.names - called,
        )
        for one in said
    ]


def _kinds_apart(said: list[_Statement], heard: list[_Statement]) -> set[str]:
    """Return the kinds of values of which both drafts have some, and none in common: the price, the length of leave."""
    mine, theirs = ([value for one in statements for value in one.values] for statements in (said, heard))
    shared = {_kind(value) for value in mine for other in theirs if _agree(value, other)}
    return ({_kind(value) for value in mine} & {_kind(value) for value in theirs}) - shared - {""}


def _kind(value: _Value) -> str:
    """Return what a value measures; empty for a bare number."""
    match value:
        case Number():
            return family(value.unit) or value.unit
        case int():
            return "time of day"
        case _:
            return "date"


def _agree(value: _Value, other: _Value) -> bool:
    match value, other:
        case Number(), Number():
            return agree(value, other, hedged=False)
        case tuple(), tuple():
            return same_day(value, other) or same_day(other, value)
        case _:
            return value == other


def _is_same_thing(one: _Statement, other: _Statement) -> bool:
    fewest = min(len(one.about), len(other.about))
    return len(one.about & other.about) >= _SAME_THING * fewest
