"""The deterministic audit of a draft: its values against those of its passages (pure; requirement A3).

What is certain is a fault, and enough to have the draft written again: a value that neither a passage nor the question
nor a shown sum holds, a sum that is wrong, no citation at all. A value that stands in another passage than the cited
one only moves the citation. Everything else is a doubt: told to the validator, who reads.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from graph import patterns
from graph.answer.calendar import may_follow, may_follow_at
from graph.answer.claims import Claim, claims
from graph.answer.evidence import evidence_text
from graph.passages import Passage
from graph.text.equations import equations
from graph.text.grounding import sentences, support, without_citations
from graph.text.tables import Row, Table, reckoned, tables_in
from graph.text.values import Day, Number, Values, compatible, days_between, family, in_seconds, same_day, values
from graph.text.words import content_words, language_of, words

SUPPORTED = 0.4
"""Share of a sentence's content words below which it is doubted."""
MOST_WITH_FAULTS = 0.6
"""What a draft with a fault comes to at most (0–1): below what is good enough."""
FREE = 12
"""Numbers up to this that measure nothing count things, which a reader may do."""
_ROUGHLY = Decimal("0.05")
_CLOSE = 0.7
"""Share of a sentence's words from which another one says the same, or its opposite."""

_HEDGED = patterns.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|over|more than|under|less than"
    r"|rund|etwa|circa|ca\.|fast|knapp|mehr als|cerca de|aproximadamente|quase|mais de)|[~≈]",
    patterns.IGNORE_CASE,
)
_CITATIONS = patterns.compile(r"(?:\[\d{1,3}\]\s?)+")
_NEGATES = patterns.compile(
    r"\b(?:not|no|never|none|without|neither|nor|cannot|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne|weder"
    r"|não|nunca|nenhum\w*|sem|nem)\b",
    patterns.IGNORE_CASE,
)


_RELATIVE = patterns.compile(
    r"\b(?:yesterday|today|tomorrow|last|next|this|ago|\w+day|gestern|heute|morgen|letzte\w*|nächste\w*|diese\w*|vor"
    r"|ontem|hoje|amanhã|passad\w+|próxim\w+|est[ae]|há|\w+-feira)\b",
    patterns.IGNORE_CASE,
)
"""Words by which a day is named from today."""


class Audit(NamedTuple):
    """What the audit makes of a draft."""

    draft: str
    """With its citations where the values stand."""
    faults: list[str]
    """What is certainly wrong, one sentence each."""
    doubts: list[str]
    """What may be wrong, for the validator to look at."""
    confidence: float
    """What the faults leave (0–1)."""


@dataclass(frozen=True)
class _Held:
    """What one or several texts hold."""

    values: tuple[Values, ...]
    tables: tuple[Table, ...] = ()

    @property
    def numbers(self) -> Iterable[Number]:
        return (number for one in self.values for number in one.numbers)

    @property
    def dates(self) -> frozenset[Day]:
        return frozenset(day for one in self.values for day in one.dates)

    @property
    def times(self) -> frozenset[int]:
        return frozenset(minute for one in self.values for minute in one.times)

    def and_of(self, others: Iterable["_Held"]) -> "_Held":
        together = [self, *others]
        return _Held(
            tuple(one for held in together for one in held.values),
            tuple(table for held in together for table in held.tables),
        )


def audited(draft: str, passages: Sequence[Passage], *, question: str = "", today: str = "") -> Audit:
    """Return the draft with its citations corrected, and what is wrong with it."""
    language = language_of(draft)
    stated = claims(draft, language)
    held = [_held(evidence_text(passage), passage["language"]) for passage in passages]
    allowed = _held(f"{question}\n{today}", language)
    checking = _Checking(held, allowed, _results(draft), language, _day(today, f"{question}\n{draft}"))
    faults: list[tuple[Claim, str]] = []
    for claim in stated:
        moved = checking.moved(claim)
        if moved:
            draft = draft.replace(claim.text, moved, 1)
        else:
            faults.extend((claim, fault) for fault in checking.faults(claim))
    if passages and not any(claim.cited for claim in stated):
        faults = [*faults, *((claim, f"Nothing is cited: {claim.text}") for claim in stated[:1])]
    faulty = {claim: None for claim, _ in faults}
    uncited_throughout = bool(passages) and not any(claim.cited for claim in stated)
    lost = 1.0 if uncited_throughout else _length(faulty) / max(_length(stated), 1)
    return Audit(
        draft,
        [fault for _, fault in faults],
        _doubts([claim for claim in stated if claim not in faulty], checking, passages, language),
        min(MOST_WITH_FAULTS, 1 - lost) if faults or uncited_throughout else 1.0,
    )


def invents(text: str, known: Iterable[str], language: str) -> bool:
    """Tell whether a text says a value that none of the texts it may rest on holds."""
    allowed = _held("\n".join(known), language)
    checking = _Checking([], allowed, _results(text), language)
    return any(checking.faults(claim) for claim in claims(text, language))


@dataclass(frozen=True)
class _Checking:
    """The values that a draft may say."""

    passages: list[_Held]
    allowed: _Held
    """The question's, and today's date."""
    results: frozenset[Decimal]
    """Of the sums that the draft shows."""
    language: str
    today: date | None = None
    """If days are named from it."""

    def faults(self, claim: Claim) -> list[str]:
        """Return what is certainly wrong with a statement."""
        wrong = [f"The sum is wrong ({one.text}): {claim.text}" for one in equations(claim.text) if not one.right]
        held = self._together(claim.cited)
        missing = [*self._missing(claim, held), *_of_other_rows(claim.text, held, self.language)]
        return [*wrong, *(f"No cited passage says {value} of this: {claim.text}" for value in missing)]

    def moved(self, claim: Claim) -> str:
        """Return a statement with the citation of the passage that holds its values; empty where none must move."""
        if not claim.own or not self._missing(claim, self._together(claim.cited)):
            return ""
        fitting = [
            number
            for number, passage in enumerate(self.passages, start=1)
            if number not in claim.cited
            and not self._missing(claim, self._together((*claim.cited, number)))
            and not _of_other_rows(claim.text, passage, self.language)
        ]
        if not fitting:
            return ""
        idle = [number for number in claim.cited if not self._missing(claim, self._together((fitting[0],)))]
        bare = [number for number in claim.cited if number not in idle]
        cited = "".join(f"[{number}]" for number in (*bare, fitting[0]))
        return _recited(claim.text, cited)

    def _together(self, cited: tuple[int, ...]) -> _Held:
        known = [self.passages[number - 1] for number in cited if 0 < number <= len(self.passages)]
        return self.allowed.and_of(known or self.passages)

    def reckoned(self, claim: Claim) -> list[str]:
        """Return the values of a statement without fault that no text says, and that only follow from what is said."""
        return self._missing(claim, self._together(claim.cited), follows=False)

    def _missing(self, claim: Claim, held: _Held, *, follows: bool = True) -> list[str]:
        said = values(without_citations(claim.text), self.language)
        hedged = _is_hedged(claim.text)
        reckonable = (
            _reckonable(claim.text, held) | self.results | (_operands(claim.text, held) if follows else set[Decimal]())
        )
        spans = days_between(said.dates | self.allowed.dates)
        numbers = [
            one.text
            for one in said.numbers
            if not _is_free(one) and not _is_held(one, held, reckonable, spans, hedged=hedged)
        ]
        dates = [said.texts[day] for day in said.dates if not self._is_dated(day, held, said, follows)]
        times = [said.texts[minute] for minute in said.times if not _is_timed(minute, held, said, follows)]
        return [*numbers, *(dates if len(dates) == len(said.dates) else []), *times]

    def _is_dated(self, day: Day, held: _Held, said: Values, follows: bool) -> bool:  # noqa: FBT001 - It is passed on.
        if _is_held_day(day, held) or not follows:
            return _is_held_day(day, held)
        by_sums = day[0] in self.results and any(day[1] == other[1] for other in held.dates)
        return by_sums or may_follow(day, held.dates, [*held.numbers, *said.numbers], self.today)


def _day(today: str, said: str) -> date | None:
    """Return today, if a text names days from it."""
    return date.fromisoformat(today) if today and _RELATIVE.search(said) else None


def _operands(sentence: str, held: _Held) -> set[Decimal]:
    """Return the numbers of right sums of which another number is held: 0.60 for 40 percent off, a rounded length.

    That such a step is allowed is for the validator to say.
    """
    amounts = {amount for number in held.numbers for amount in number.amounts}
    right = (one.operands for one in equations(sentence) if one.right)
    return {
        amount
        for operands in right
        if any(readings & amounts for readings in operands)
        for readings in operands
        for amount in readings
    }


def _held(text: str, language: str) -> _Held:
    return _Held((values(text, language),), tables_in(text, language))


def _results(draft: str) -> frozenset[Decimal]:
    return frozenset(
        result for line in draft.splitlines() for equation in equations(line) for result in equation.results
    )


def _is_free(number: Number) -> bool:
    return not number.unit and all(amount <= FREE and amount == int(amount) for amount in number.amounts)


def _is_held(
    number: Number, held: _Held, reckonable: set[Decimal] | frozenset[Decimal], spans: set[int], *, hedged: bool
) -> bool:
    if any(_agree(number, other, hedged=hedged) for other in held.numbers):
        return True
    if number.unit == "day" and any(amount in spans for amount in number.amounts):
        return True
    parts = {part for day in held.dates for part in day} | {
        part for minute in held.times for part in divmod(minute, 60)
    }
    if any(amount in parts for amount in number.amounts):
        return True
    return any(_is_near(amount, other, number, hedged=hedged) for amount in number.amounts for other in reckonable)


def _agree(number: Number, other: Number, *, hedged: bool) -> bool:
    if in_seconds(number) & in_seconds(other):
        return True
    if not compatible(number.unit, other.unit) and family(number.unit) == family(other.unit):
        return False
    return any(
        _is_near(amount, held, number, hedged=hedged) for amount in number.amounts for held in other.amounts
    ) and (compatible(number.unit, other.unit))


def _is_near(amount: Decimal, held: Decimal, number: Number, *, hedged: bool) -> bool:
    # 1.88 million says 1,875,000; 20.8 percent says 20.8333.
    rounded = number.step / 2 if number.step != 1 or held != int(held) else Decimal(0)
    return abs(amount - held) <= max(rounded, held * _ROUGHLY if hedged else Decimal(0))


def _is_held_day(day: Day, held: _Held) -> bool:
    if any(same_day(day, other) for other in held.dates):
        return True
    amounts = {amount for number in held.numbers for amount in number.amounts}
    months = {other[1] for other in held.dates}
    return all(part in amounts or part in months for part in day if part) and day[1] in months | {0}


def _is_timed(minute: int, held: _Held, said: Values, follows: bool) -> bool:  # noqa: FBT001 - It is passed on.
    hour, rest = divmod(minute, 60)
    plain = {amount for number in held.numbers for amount in number.amounts}
    is_held = minute in held.times or (not rest and bool({hour, hour % 12} & plain))
    return is_held or (follows and may_follow_at(minute, held.times, [*held.numbers, *said.numbers]))


def _reckonable(sentence: str, held: _Held) -> set[Decimal]:
    """Return what tables let a sentence say without showing the sum: of the rows it names, or of any if none."""
    found: set[Decimal] = set()
    for table in held.tables:
        named = _named(sentence, table)
        found |= reckoned(table, named or table.rows)
    return found


def _named(sentence: str, table: Table) -> tuple[Row, ...]:
    said = set(content_words(without_citations(sentence)))
    return tuple(row for row in table.rows if row.label and row.label <= said)


def _of_other_rows(sentence: str, held: _Held, language: str) -> list[str]:
    """Return the numbers of a sentence that a row it does not name holds in the place of its own row's number."""
    said = values(without_citations(sentence), language).numbers
    words = set(content_words(without_citations(sentence)))
    wrong: list[str] = []
    for table in held.tables:
        own = [row for row in table.rows if row.label & words]
        others = [row for row in table.rows if not row.label & words]
        named = _named(sentence, table)
        for number in said if named else ():
            places = {place for row in others for place in _places(number, row)}
            if places and not _stands_elsewhere(number, held, table, own) and _replaces(number, places, named, said):
                wrong.append(number.text)
    return wrong


def _places(number: Number, row: Row) -> list[int]:
    """Return the columns of a row that hold a number."""
    return [
        place
        for place, cell in enumerate(row.cells)
        if any(_agree(number, other, hedged=False) for other in cell.numbers)
    ]


def _stands_elsewhere(number: Number, held: _Held, table: Table, own: list[Row]) -> bool:
    """Tell whether a number is said outside of the table, or in a row that the sentence may mean."""
    in_rows = sum(_agree(number, other, hedged=False) for row in table.rows for other in row.numbers)
    anywhere = sum(_agree(number, other, hedged=False) for other in held.numbers)
    return anywhere > in_rows or any(_places(number, row) for row in own)


def _replaces(number: Number, places: set[int], named: tuple[Row, ...], said: Sequence[Number]) -> bool:
    """Tell whether the named rows hold such numbers in these columns, of which the sentence says none."""
    theirs = [
        other
        for row in named
        for place in places
        if place < len(row.cells)
        for other in row.cells[place].numbers
        if other.unit == number.unit
    ]
    return bool(theirs) and not any(_agree(one, other, hedged=False) for one in said for other in theirs)


def _is_hedged(text: str) -> bool:
    # Patterns take "Uber" for "über".
    return _HEDGED.search(text) is not None or any(word.startswith("über") for word in words(text))


def _recited(sentence: str, cited: str) -> str:
    first = _CITATIONS.search(sentence)
    if first is None:
        return ""
    tail = " " if first[0].endswith(" ") else ""
    return f"{sentence[: first.start()]}{cited}{tail}{sentence[first.end() :]}"


def _doubts(stated: list[Claim], checking: _Checking, passages: Sequence[Passage], language: str) -> list[str]:
    texts = {number: evidence_text(passage) for number, passage in enumerate(passages, start=1)}
    languages = {number: passage["language"] for number, passage in enumerate(passages, start=1)}
    found = [f"Reckoned, not said ({value}): {one.text}" for one in stated for value in checking.reckoned(one)]
    for claim in stated:
        cited = [number for number in claim.cited if number in texts]
        if not cited and not claim.text.rstrip("*_ ").endswith(":"):
            found.append(f"It cites nothing: {claim.text}")
        elif language in {languages[number] for number in cited}:
            found.extend(_doubts_of(claim.text, [texts[number] for number in cited], language))
    return found


def _doubts_of(sentence: str, texts: list[str], language: str) -> list[str]:
    if support(sentence, " ".join(texts)) < SUPPORTED:
        return [f"Its source has other words: {sentence}"]
    if denies(sentence, (one for text in texts for one in sentences(text, language))):
        return [f"One of the two negates and the other does not: {sentence}"]
    return []


def denies(sentence: str, others: Iterable[str]) -> bool:
    """Tell whether the closest of other sentences says much the same, but for a negation."""
    own = set(content_words(without_citations(sentence)))
    closest = max(others, key=lambda other: len(own & set(content_words(other))), default="")
    return repeats(closest, sentence) and negates(sentence) != negates(closest)


def repeats(sentence: str, other: str) -> bool:
    """Tell whether a sentence has most of the content words of another one."""
    wanted = set(content_words(without_citations(other)))
    return bool(wanted) and len(wanted & set(content_words(sentence))) >= _CLOSE * len(wanted)


def negates(sentence: str) -> bool:
    """Tell whether a sentence holds a negation."""
    return bool(_NEGATES.search(sentence))


def _length(stated: Iterable[Claim]) -> int:
    return sum(len(without_citations(claim.text)) for claim in stated)
