"""What a passage says, statement by statement: which may answer, and what must be quoted with it (pure)."""

from dataclasses import dataclass
from typing import Literal

from bot.models.offline.writing.pieces import Kind, Piece, pieces_of
from bot.models.offline.writing.quotable import (
    asks,
    condemns,
    is_furniture,
    is_question,
    is_record,
    is_title,
    is_update,
    shows_bad,
)
from bot.models.orders import addresses_an_assistant
from graph import patterns
from graph.passages import Passage
from graph.text.credentials import REMOVED

Role = Literal["answer", "title", "question", "record", "update", "none"]
"""What a statement is good for: an answer; one if there is no other; to stand before its answer; an answer if somebody
asks for the document's owner, version or date; one if somebody asks when it was last changed; nothing."""

_LEANS = patterns.compile(
    r"\W{0,3}(?:(?:\w+ of |(?:if|when|where|then|and|so|wenn|falls|se|quando) )?"
    r"(?:it|its|they|them|their|this|these|that|those|he|she|his|her|both|such|es|sie|dies\w*|er|beide|dafür|dazu"
    r"|ele|ela|eles|elas|isto|isso|este|esta|esse|essa)|yes|no|ja|nein|sim|não)\b",
    patterns.IGNORE_CASE,
)
"""How a sentence begins that is only understood after the one before it."""
_LIMITS = patterns.compile(
    r"\W{0,3}(?:however|but|except|exceptions?|unless|otherwise|only|though|yet|instead|aber|jedoch|allerdings|außer"
    r"|ausnahmen?|sonst|nur|mas|porém|no entanto|exceto|exceção|exceções|salvo|caso contrário)\b",
    patterns.IGNORE_CASE,
)
"""How a sentence begins that takes something back from the one before it."""
_LIMITS_WITHIN = patterns.compile(r"\b(?:however|jedoch|allerdings|porém|no entanto)\b", patterns.IGNORE_CASE)
_POINTS_ABOVE = patterns.compile(r"\b(?:above|preceding|oben|obige\w*|acima)\b", patterns.IGNORE_CASE)
_INTRODUCES = patterns.compile(r":[*_]{0,2}\n?$|\b(?:following|folgende[nsrm]?|seguintes?)\b", patterns.IGNORE_CASE)
_KEY = patterns.compile(r"[a-z0-9_]+")
NOWHERE = -1


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A piece of a passage, and what it belongs to."""

    passage: Passage
    number: int
    """The passage's, as it is cited."""
    place: int
    """Its position in the passage."""
    text: str
    kind: Kind
    group: int = -1
    """Which list or table of the passage it belongs to; -1 for none."""
    paragraph: tuple[int, int]
    """Which one it stands in: passage and place."""
    standing: Role = "answer"
    asked: str = ""
    """The question that it answers in the document."""
    needs: int = NOWHERE
    """Place of what must be quoted before it: what it leans on, what introduces it, what is said of it."""
    limit: int = NOWHERE
    """Place of the sentence that takes something back from it."""
    verdict: int = NOWHERE
    """Place of what the document says of the bad thing that it shows."""
    heading: str = ""
    """What is said before it if it needs something that does not stand in the passage."""
    label: str = ""
    """Of a row: its first cell."""
    step: int = 0
    """Of an item of a numbered list: its number."""
    score: float = 0.0
    """How well it answers the question."""

    @property
    def above(self) -> str:
        """The title and the headings over it."""
        return " ".join([self.passage["title"], *self.passage["heading_path"]])

    @property
    def spot(self) -> tuple[int, int]:
        """Where it stands: passage and place."""
        return self.number, self.place

    @property
    def listing(self) -> tuple[int, int] | None:
        """Which list or table it belongs to: passage and group."""
        return (self.number, self.group) if self.group >= 0 else None

    def heads(self, other: "Statement") -> bool:
        """Whether it is the question above another statement, and stands out from it as a heading does."""
        return self.number == other.number and self.text == other.asked and _stands_out(self, other)

    def holds(self, other: "Statement") -> bool:
        """Whether the other one is code within the item of a list that this one is of."""
        return other.kind == "code" and other.listing is not None and other.listing == self.listing

    @property
    def introduces(self) -> bool:
        """Whether what stands after it belongs to it."""
        return self.kind == "sentence" and _INTRODUCES.search(self.text) is not None


def statements(number: int, passage: Passage) -> list[Statement]:
    """Return what a passage says in order, without what must not be quoted.

    Nothing is quoted of a passage that held a credential: what stands beside it may be a part of it.
    """
    if REMOVED in passage["text"]:
        return []
    reading = _Reading(passage)
    found = [reading.statement(number, place) for place in range(len(reading.pieces))]
    return [statement for statement in found if statement.standing != "none"]


class _Reading:
    """A passage while its statements are found."""

    def __init__(self, passage: Passage) -> None:
        self._passage = passage
        self.pieces = pieces_of(passage)
        self._heading = passage["heading_path"][-1] if passage["heading_path"] else ""
        self._above = " ".join([passage["title"], *passage["heading_path"]])
        shows = any(piece.is_shown for piece in self.pieces)
        verdicts = [place for place, one in enumerate(self.pieces) if not one.is_shown and condemns(one.text)]
        self._is_condemned = bool(verdicts) or condemns(self._above)
        self._verdict = verdicts[0] if verdicts and shows else NOWHERE
        # If nothing tells what is shown from what is said of it, all of it may be the bad example.
        self._shows_bad = not shows and shows_bad(self._heading or passage["title"])
        self._verdicts_below = _verdicts_below(self.pieces)
        self._records = _records(self.pieces)
        self._own_before = _last_before([self._is_own(place) for place in range(len(self.pieces))])
        self._standings: list[Role] = [self._standing(place) for place in range(len(self.pieces))]
        self._asked_before = _last_before([standing == "question" for standing in self._standings])
        self._firsts = {one.paragraph: place for place, one in reversed(list(enumerate(self.pieces)))}

    def statement(self, number: int, place: int) -> Statement:
        """Return the statement at a place."""
        piece, needs = self.pieces[place], self._needs(place)
        lacks = needs == NOWHERE and (piece.kind != "sentence" or _LEANS.match(piece.text))
        return Statement(
            passage=self._passage,
            number=number,
            place=place,
            text=piece.text,
            kind=piece.kind,
            group=piece.group,
            paragraph=(number, piece.paragraph),
            standing=self._standings[place],
            asked=self._asked(place),
            needs=needs,
            limit=self._limit(place),
            verdict=self._verdict if self._verdict != NOWHERE else self._verdicts_below[place],
            heading=self._named(piece) if lacks else "",
            label=piece.label,
            step=piece.step,
        )

    def _named(self, piece: Piece) -> str:
        """Return what is said before a piece that nothing introduces: an item says little without any name.

        A heading that is only a key, as in JSON, says little without the one above it: "/templates – post".
        """
        above = self._passage["heading_path"][-2:-1]
        if _KEY.fullmatch(self._heading) and above:
            return f"{above[0]} – {self._heading}"
        return self._heading or (self._passage["title"] if piece.kind == "item" else "")

    def _standing(self, place: int) -> Role:
        piece = self.pieces[place]
        if not piece.text or self._is_somebody_elses(place):
            return "none"
        if piece.kind == "code":
            return "answer"
        if is_furniture(piece.text) or addresses_an_assistant(piece.text, self._above):
            return "none"
        # An item or a row that is marked as a question holds its answer, too.
        if asks(piece.text) if piece.kind == "sentence" else is_question(piece.text):
            return "question"
        if place in self._records:
            return self._records[place]
        return "title" if piece.kind == "sentence" and is_title(piece.text) else "answer"

    def _is_own(self, place: int) -> bool:
        piece = self.pieces[place]
        return piece.kind == "sentence" and not (piece.is_shown or place in self._records or is_furniture(piece.text))

    def _is_somebody_elses(self, place: int) -> bool:
        """Tell whether a piece is not what the document says: it calls it bad, or says nothing of it."""
        piece = self.pieces[place]
        if piece.is_shown:
            return self._is_condemned or self._own_before[place] == NOWHERE
        return self._shows_bad and not condemns(piece.text)

    def _needs(self, place: int) -> int:
        piece = self.pieces[place]
        if piece.is_shown:
            return self._own_before[place]
        if piece.kind == "code" and piece.group >= 0:
            return place - 1
        before = self._firsts[piece.paragraph] - 1 if piece.group >= 0 else place - 1
        is_text = before >= 0 and self._standings[before] not in {"none", "record", "update"}
        if not is_text or self.pieces[before].kind != "sentence":
            return NOWHERE
        if piece.kind == "sentence":
            leans = _LEANS.match(piece.text) or _LIMITS.match(piece.text) or self._standings[before] == "question"
        else:
            leans = piece.kind == "code" or self._standings[before] == "question"
        if leans or _INTRODUCES.search(self.pieces[before].text):
            return before
        return self._begins(place) if piece.kind == "sentence" else NOWHERE

    def _limit(self, place: int) -> int:
        after = place + 1
        if after == len(self.pieces) or self._standings[after] == "none":
            return NOWHERE
        following = self.pieces[after]
        limits = _LIMITS.match(following.text) or _LIMITS_WITHIN.search(following.text)
        return after if following.kind == "sentence" and limits else NOWHERE

    def _asked(self, place: int) -> str:
        """Return the question that a piece answers, which may be the heading."""
        if (asked := self._question_above(place)) != NOWHERE:
            return self.pieces[asked].text
        begin = self._firsts[self.pieces[place].paragraph]
        return self._heading if begin == 0 and is_question(self._heading) else ""

    def _question_above(self, place: int) -> int:
        """Return the place of the question that stands before a piece in its paragraph, or right before that."""
        asked = self._asked_before[place]
        return asked if asked >= self._firsts[self.pieces[place].paragraph] - 1 else NOWHERE

    def _begins(self, place: int) -> int:
        """Return where the answer begins that a piece goes on with, below a question that heads it: with yes or no."""
        asked = self._question_above(place)
        heads = asked != NOWHERE and _stands_out(self.pieces[asked], self.pieces[place])
        return asked + 1 if heads else NOWHERE


def _stands_out(question: Piece | Statement, answer: Piece | Statement) -> bool:
    """Tell whether a question is no sentence among others: it is bold, or a paragraph of its own."""
    return question.text.startswith("**") or question.paragraph != answer.paragraph


def _records(pieces: list[Piece]) -> dict[int, Role]:
    """Return the places of what the document says of itself: sentences before or behind all other text, and updates.

    In the text or in a list, such a sentence is about what the text is about: "Approved by Legal" is a rule there.
    """
    text = [place for place, piece in enumerate(pieces) if not _is_around(piece)]
    first, last = (text[0], text[-1]) if text else (len(pieces), NOWHERE)
    found: dict[int, Role] = {}
    for place, piece in enumerate(pieces):
        if piece.kind in {"sentence", "item"} and is_update(piece.text):
            found[place] = "update"
        elif piece.kind == "sentence" and not first < place < last and is_record(piece.text):
            found[place] = "record"
    return found


def _is_around(piece: Piece) -> bool:
    """Tell whether a piece is no text of its own, so that a record may stand before or behind it."""
    text = piece.text
    names = piece.is_heading or is_title(text) or is_record(text)
    return piece.kind == "sentence" and not piece.is_shown and (not text or names or is_furniture(text))


def _verdicts_below(pieces: list[Piece]) -> list[int]:
    """Return for each piece the sentence that calls it bad: behind it in its paragraph, or first in the next one."""
    below = [NOWHERE] * len(pieces)
    for place in range(len(pieces) - 2, -1, -1):
        following = pieces[place + 1]
        if _calls_bad_what_is_above(following):
            below[place] = place + 1
        elif following.paragraph == pieces[place].paragraph:
            below[place] = below[place + 1]
    return below


def _calls_bad_what_is_above(piece: Piece) -> bool:
    points_back = _LEANS.match(piece.text) or _POINTS_ABOVE.search(piece.text)
    return piece.kind == "sentence" and points_back is not None and condemns(piece.text)


def _last_before(marked: list[bool]) -> list[int]:
    """Return for each place the last one before it that is marked."""
    found, last = list[int](), NOWHERE
    for place, is_marked in enumerate(marked):
        found.append(last)
        last = place if is_marked else last
    return found
