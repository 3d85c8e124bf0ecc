"""The audit of a draft by code: compares its values with those of its passages (pure; requirement A3).

A certain error is a fault, and a fault has the draft rewritten: a value that is in no passage, not in the question and
not in a shown sum; a name that no passage and nobody in the thread has; a wrong sum; no citation in the main statement.
If the value is in another passage than the cited one, the audit moves the citation. Everything else is a doubt, which
the validator gets to read.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from graph import patterns
from graph.answer.claims import Claim, claims, code_lines
from graph.answer.evidence import evidence_text
from graph.answer.held_values import Held, agree, held_in, is_free, is_held, is_held_day, is_timed, may_follow
from graph.answer.negation import denies
from graph.calendar.dates import Day
from graph.passages import Passage
from graph.text.grounding import sentences, support, without_citations
from graph.text.names import named, words_about
from graph.text.sums.equations import equations, shown_sums
from graph.text.tables import Row, TableBody, reckoned
from graph.text.values import Number, Values, days_between, values
from graph.text.words import content_words, language_of, words

SUPPORTED = 0.4
"""Least share of a sentence's content words that its source must hold; below it, the sentence is a doubt."""
MOST_WITH_FAULTS = 0.6
"""The most confidence (0–1) of a draft with a fault: below what is good enough."""
REPEATED = 0.8
"""Least share of a statement's content words, with all its numbers, in the passage that code cites for it."""

_HEDGED = patterns.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|over|more than|under|less than"
    r"|rund|etwa|circa|ca\.|fast|knapp|mehr als|cerca de|aproximadamente|quase|mais de)|[~≈]",
    patterns.IGNORE_CASE,
)
_CITATIONS = patterns.compile(r"(?:\[\d{1,3}\]\s?)+")
_RELATIVE = patterns.compile(
    r"\b(?:yesterday|today|tomorrow|last|next|this|ago|\w+day|gestern|heute|morgen|letzte\w*|nächste\w*|diese\w*|vor"
    r"|ontem|hoje|amanhã|passad\w+|próxim\w+|est[ae]|há|\w+-feira)\b",
    patterns.IGNORE_CASE,
)
"""Words that name a day relative to today."""


class Audit(NamedTuple):
    """The result of the audit."""

    draft: str
    """The draft with corrected citations."""
    faults: list[str]
    """Certain errors, one sentence each."""
    doubts: list[str]
    """Possible errors, for the validator."""
    confidence: float
    """1 without faults, less with each fault (0–1)."""


def audited(
    draft: str, passages: Sequence[Passage], *, question: str = "", today: str = "", remembered: str = ""
) -> Audit:
    """Correct the citations of a draft, and return its faults and doubts. `remembered` may hold its names."""
    language = language_of(draft, language_of(question))
    draft = _with_repeats_cited(draft, passages, language)
    stated = claims(draft, language)
    checking = _Checking(
        [held_in(evidence_text(passage), passage["language"]) for passage in passages],
        held_in(f"{question}\n{today}", language),
        *_results(draft),
        language,
        _day(today, f"{question}\n{draft}"),
        languages=[passage["language"] for passage in passages],
        known=words_about(passages) | set(content_words(f"{question}\n{remembered}")),
    )
    draft, faults = _corrected(draft, stated, checking)
    uncited_throughout = bool(passages) and not any(claim.cited for claim in stated)
    faults += _uncited(stated) if passages else []
    faulty = {claim: None for claim, _ in faults}
    lost = 1.0 if uncited_throughout else _length(faulty) / max(_length(stated), 1)
    unfaulty = [claim for claim in stated if claim not in faulty and claim.needs_source]
    doubts = _doubts(unfaulty, checking, passages, counted=[question, *shown_sums(draft)])
    return Audit(
        draft,
        faults=[fault for _, fault in faults],
        doubts=[*_foreign_code(draft, passages, question), *doubts],
        confidence=min(MOST_WITH_FAULTS, 1 - lost) if faults or uncited_throughout else 1.0,
    )


def _corrected(draft: str, stated: Sequence[Claim], checking: "_Checking") -> tuple[str, list[tuple[Claim, str]]]:
    """Return a draft whose wrong citations are moved to the right passage, and the faults of the other statements."""
    faults: list[tuple[Claim, str]] = []
    for claim in stated:
        if moved := checking.moved(claim):
            draft = draft.replace(claim.text, moved, 1)
        else:
            faults.extend((claim, fault) for fault in checking.faults(claim))
    return draft, faults


def _with_repeats_cited(draft: str, passages: Sequence[Passage], language: str) -> str:
    """Return a draft in which code cites what an uncited draft, or its uncited main statement, repeats of a passage."""
    stated = claims(draft, language)
    if not any(claim.cited for claim in stated):
        return _with_repeated_cited(draft, stated, passages, language)
    main = _main(stated)
    return _with_repeated_cited(draft, [main], passages, language) if main and not main.cited else draft


def _uncited(stated: Sequence[Claim]) -> list[tuple[Claim, str]]:
    """Return the fault of a draft that cites nothing, or whose main statement cites nothing."""
    if not any(claim.cited for claim in stated):
        return [(claim, f"Nothing is cited: {claim.text}") for claim in stated[:1]]
    main = _main(stated)
    return [(main, f"The main statement cites nothing: {main.text}")] if main and not main.cited else []


def _main(stated: Iterable[Claim]) -> Claim | None:
    """Return the first statement that needs a source, outside of a table, whose source a sentence below may give."""
    return next((one for one in stated if one.needs_source and not one.is_row and content_words(one.text)), None)


def invents(text: str, known: Iterable[str], language: str) -> bool:
    """Tell whether a text states a value that none of the known texts holds."""
    allowed = held_in("\n".join(known), language)
    checking = _Checking([], allowed, *_results(text), language)
    return any(checking.faults(claim) for claim in claims(text, language))


@dataclass(frozen=True)
class _Checking:
    """The values that a draft may state."""

    passages: list[Held]
    allowed: Held
    """The values of the question, and today's date."""
    results: frozenset[Decimal]
    """The results of the sums that the draft shows."""
    shares: frozenset[Decimal]
    """Those of its ratios, as percentages."""
    language: str
    today: date | None = None
    """Set if the text names days relative to today."""
    languages: Sequence[str] = ()
    """Those of the passages."""
    known: Collection[str] = ()
    """The words among which the draft's names must be."""

    def faults(self, claim: Claim) -> list[str]:
        """Return the certain errors of a statement."""
        wrong = [f"The sum is wrong ({one.text}): {claim.text}" for one in equations(claim.text) if not one.right]
        held = self._together(claim.cited)
        missing = [*self._missing(claim, held), *_of_other_rows(claim.text, held, self.language)]
        unnamed = [f"No passage names {name}: {claim.text}" for name in self._unknown_names(claim)]
        return [*wrong, *unnamed, *(f"No cited passage says {value} of this: {claim.text}" for value in missing)]

    def _unknown_names(self, claim: Claim) -> list[str]:
        """Return the names that nothing holds. In another language than its source, a name may be another one."""
        cited = {self.languages[number - 1] for number in claim.cited if 0 < number <= len(self.languages)}
        if cited != {self.language}:
            return []
        return [
            name
            for name in named(without_citations(claim.text), self.language)
            if not set(content_words(name)) <= set(self.known)
        ]

    def moved(self, claim: Claim) -> str:
        """Cite the passage that holds the statement's values. Return "" if no citation must move.

        What was cited stays beside it if it holds most of the values: a rule to which another page adds one.
        """
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
        needs_more = bool(self._missing(claim, self._together((fitting[0],))))
        kept = [number for number in claim.cited if needs_more or self._holds_most(claim, number)]
        return _recited(claim.text, "".join(f"[{number}]" for number in (*kept, fitting[0])))

    def _holds_most(self, claim: Claim, number: int) -> bool:
        """Tell whether a passage holds most values of a statement that the question does not hold."""
        if not 0 < number <= len(self.passages):
            return False
        held = self.allowed.and_of([self.passages[number - 1]])
        return 2 * len(self._missing(claim, held)) < len(self._missing(claim, self.allowed))

    def _together(self, cited: tuple[int, ...]) -> Held:
        known = [self.passages[number - 1] for number in cited if 0 < number <= len(self.passages)]
        return self.allowed.and_of(known or self.passages)

    def computed(self, claim: Claim) -> list[str]:
        """Return the values of a correct statement that no text states, but that follow from stated ones."""
        return self._missing(claim, self._together(claim.cited), follows=False)

    def _missing(self, claim: Claim, held: Held, *, follows: bool = True) -> list[str]:
        said = values(without_citations(claim.text), self.language)
        hedged = _is_hedged(claim.text)
        reckonable = (
            _reckonable(claim.text, held) | self.results | (_operands(claim.text, held) if follows else set[Decimal]())
        )
        spans = days_between(said.dates | self.allowed.dates)
        numbers = [
            one.text
            for one in said.numbers
            if not is_free(one)
            and not is_held(one, held, reckonable | (self.shares if one.unit == "%" else set()), spans, hedged=hedged)
        ]
        rough = [word for worth, word in said.rough.items() if worth not in held.rough]
        dates = [said.texts[day] for day in said.dates if not self._is_dated(day, held, said, follows)]
        times = [said.texts[minute] for minute in said.times if not is_timed(minute, held, said, follows)]
        return [*numbers, *rough, *(dates if len(dates) == len(said.dates) else []), *times]

    def _is_dated(self, day: Day, held: Held, said: Values, follows: bool) -> bool:  # noqa: FBT001 - It is passed on.
        if is_held_day(day, held) or not follows:
            return is_held_day(day, held)
        by_sums = day[0] in self.results and any(day[1] == other[1] for other in held.dates)
        return by_sums or may_follow(day, held.dates, [*held.numbers, *said.numbers], self.today)


def _day(today: str, said: str) -> date | None:
    """Return today if a text names days relative to it."""
    return date.fromisoformat(today) if today and _RELATIVE.search(said) else None


def _operands(sentence: str, held: Held) -> set[Decimal]:
    """Return the numbers of right sums with another number in the evidence: 0.60 for "40 percent off", a rounded one.

    The validator decides whether such a step is allowed.
    """
    amounts = held.amounts
    right = (one.operands for one in equations(sentence) if one.right)
    return {
        amount
        for operands in right
        if any(readings & amounts for readings in operands)
        for readings in operands
        for amount in readings
    }


def _results(draft: str) -> tuple[frozenset[Decimal], frozenset[Decimal]]:
    """Return the results of the sums that a draft shows, and those of its ratios as percentages."""
    shown = [equation for line in draft.splitlines() for equation in equations(line)]
    results = (result for equation in shown for result in equation.results)
    return frozenset(results), frozenset(share for equation in shown for share in equation.shares)


def _reckonable(sentence: str, held: Held) -> set[Decimal]:
    """Return the amounts that a sentence may compute from tables without showing the sum.

    They come from the rows that the sentence names, or from all rows if it names none.
    """
    return set[Decimal]().union(*(reckoned(table, _named(sentence, table) or table.rows) for table in held.tables))


def _named(sentence: str, table: TableBody) -> tuple[Row, ...]:
    said = set(content_words(without_citations(sentence)))
    return tuple(row for row in table.rows if row.label and row.label <= said)


def _of_other_rows(sentence: str, held: Held, language: str) -> list[str]:
    """Return the numbers of a sentence that come from another row of the table than the named one."""
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
    """Return the columns of a row that hold the number."""
    return [
        place
        for place, cell in enumerate(row.cells)
        if any(agree(number, other, hedged=False) for other in cell.numbers)
    ]


def _stands_elsewhere(number: Number, held: Held, table: TableBody, own: list[Row]) -> bool:
    """Tell whether a number also stands outside of the table, or in a row that the sentence may mean."""
    in_rows = sum(agree(number, other, hedged=False) for row in table.rows for other in row.numbers)
    anywhere = sum(agree(number, other, hedged=False) for other in held.numbers)
    return anywhere > in_rows or any(_places(number, row) for row in own)


def _replaces(number: Number, places: set[int], named: tuple[Row, ...], said: Sequence[Number]) -> bool:
    """Tell whether the named rows hold numbers of this unit in these columns, and the sentence states none of them."""
    theirs = [
        other
        for row in named
        for place in places
        if place < len(row.cells)
        for other in row.cells[place].numbers
        if other.unit == number.unit
    ]
    return bool(theirs) and not any(agree(one, other, hedged=False) for one in said for other in theirs)


def _is_hedged(text: str) -> bool:
    # Patterns read "über" as "uber", so they would also find a name.
    return _HEDGED.search(text) is not None or any(word.startswith("über") for word in words(text))


def _recited(sentence: str, cited: str) -> str:
    first = _CITATIONS.search(sentence)
    if first is None:
        return ""
    tail = " " if first[0].endswith(" ") else ""
    return f"{sentence[: first.start()]}{cited}{tail}{sentence[first.end() :]}"


def _with_repeated_cited(draft: str, stated: Iterable[Claim], passages: Sequence[Passage], language: str) -> str:
    """Cite for each statement the passage that it repeats: a small model copies well, and forgets to cite."""
    for claim in stated:
        says_something = bool(content_words(claim.text))
        if says_something and (number := _repeated(claim.text, passages, language)):
            draft = draft.replace(claim.text, citing(claim.text, [number]), 1)
    return draft


def _repeated(statement: str, passages: Sequence[Passage], language: str) -> int:
    """Return the number of the passage that says most of a statement; 0 if none says enough, or it denies it."""
    scored = [
        (support(statement, evidence_text(passage)), -number)
        for number, passage in enumerate(passages, start=1)
        if passage["language"] == language
    ]
    share, place = max(scored, default=(0.0, 0))
    if share < REPEATED or denies(statement, sentences(passages[-place - 1]["text"], language)):
        return 0
    return -place


def citing(statement: str, numbers: Iterable[int]) -> str:
    """Return a statement that cites these sources, before its full stop."""
    cited, last = "".join(f"[{number}]" for number in numbers), statement[-1]
    if last in ".!?:|":
        return f"{statement[:-1].rstrip()} {cited}{' ' if last == '|' else ''}{last}"
    return f"{statement} {cited}"


def _foreign_code(draft: str, passages: Sequence[Passage], question: str) -> list[str]:
    """Doubt the code that has words which neither the question nor a passage holds: people run what an answer shows."""
    known = {word for text in (question, *map(evidence_text, passages)) for word in words(text)}
    foreign = [line.strip() for line in code_lines(draft) if not known.issuperset(words(line))]
    return [f"No passage has this code: {' / '.join(foreign)}"] if foreign and passages else []


def _doubts(
    stated: list[Claim], checking: _Checking, passages: Sequence[Passage], *, counted: Sequence[str]
) -> list[str]:
    texts = {number: evidence_text(passage) for number, passage in enumerate(passages, start=1)}
    languages = {number: passage["language"] for number, passage in enumerate(passages, start=1)}
    found = [f"Reckoned, not said ({value}): {one.text}" for one in stated for value in checking.computed(one)]
    for claim in stated:
        cited = [number for number in claim.cited if number in texts]
        if not cited:
            found.append(f"It cites nothing: {claim.text}")
        elif checking.language in {languages[number] for number in cited}:
            found.extend(_doubts_of(claim, [texts[number] for number in cited], checking.language, counted))
    return found


def _doubts_of(claim: Claim, texts: list[str], language: str, counted: Sequence[str]) -> list[str]:
    sentence = claim.text
    if support(sentence, " ".join(texts), counted=counted) < SUPPORTED:
        return [f"Its source has other words: {sentence}"]
    if denies(sentence, (one for text in texts for one in sentences(text, language)), introduced=claim.introduced):
        return [f"One of the two negates and the other does not: {sentence}"]
    return []


def _length(stated: Iterable[Claim]) -> int:
    return sum(len(without_citations(claim.text)) for claim in stated)
