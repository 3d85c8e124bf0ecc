"""Which statements of the passages are quoted to a question (pure)."""

from dataclasses import dataclass

from bot.models.offline.writing.completion import Quotation, completed
from bot.models.offline.writing.ranking import WANTS_STEPS, Similarity, held, ranked
from bot.models.offline.writing.statements import Statement
from bot.models.offline.writing.survey import comparison, document_about, opening_of, parallel_sections, summary
from bot.models.offline.writing.wishes import compared, parts, summarised
from graph import patterns
from graph.answer.follow_ups import section_asked_for
from graph.documents.versions import replacement
from graph.passages import Passage
from graph.text.relevance import weigh
from graph.text.words import content_words, quantities

_NUMBER = patterns.compile(r"\d[\d.,]*")

MOST = 4
MOST_OF_SHORT = 5
"""Statements of a section that is quoted whole, if it is not longer than `LONGEST_SECTION` either."""
LONGEST_SECTION, LONGEST_NEAREST = 400, 900
"""Characters that are quoted of one passage, and of all, where nothing surely answers."""
NEAR = 0.72
"""A statement is quoted if it answers as well as this share of the best."""
NEIGHBOUR = 0.5
"""The same for a second statement out of the best one's passage."""
STRANGER = 0.8
"""The same for one out of another passage."""
PART_HELD = 0.34
"""Share of the words of one part of a question from which a statement answers that part."""
ALIKE = 0.75


@dataclass(frozen=True, kw_only=True)
class Otherwise:
    """What a newer version of the quoted document says with other numbers."""

    passage: Passage
    quotation: Quotation


def choose(question: str, passages: list[Passage], similarity: Similarity | None = None) -> list[Quotation]:
    """Return the statements of the newest versions that answer best, with all that they need.

    One to four and the lists they belong to; one a section for a summary, each side's for a comparison.
    """
    everything = ranked(question, _current(question, passages), passages, similarity)
    answers = _answers(everything)
    section = section_asked_for(question, passages)
    if section and (opening := opening_of(section, everything, passages)):
        return _without_stray_questions(question, opening)
    if topic := summarised(question):
        return summary(topic, everything, passages)
    wish = compared(question)
    if wish and (parallel := parallel_sections(wish, everything, passages)):
        return parallel
    chosen = (comparison(wish, answers, passages) if wish else []) or _chosen(question, answers, passages)
    together = completed(chosen, everything, steps=WANTS_STEPS.search(question) is not None)
    return _without_stray_questions(question, _in_order(together, passages))


def nearest(question: str, passages: list[Passage], similarity: Similarity | None = None) -> list[Quotation]:
    """Return what the passages say that come nearest, with all that it needs; of a long one, the best statements.

    A sentence in other words than the question's is found by its neighbours, so a short section is quoted whole.
    """
    everything = ranked(question, _current(question, passages), passages, similarity)
    answers = _rows_asked_for(question, _answers(everything))
    chosen: list[Quotation] = []
    for number in range(1, len(passages) + 1):
        room = min(LONGEST_SECTION, LONGEST_NEAREST - _length(chosen))
        chosen += _fitting([one for one in answers if one.statement.number == number], chosen, room)
    return _without_stray_questions(question, _in_order(completed(chosen, everything, steps=False), passages))


def _fitting(section: list[Quotation], said: list[Quotation], room: int) -> list[Quotation]:
    """Return the statements of a section that there is room for, the best first, and at least one."""
    chosen: list[Quotation] = []
    for one in section:
        is_room = not chosen or _length([*chosen, one]) <= room
        if is_room and not _is_said(one, [*said, *chosen]):
            chosen.append(one)
    return chosen


def _length(quotations: list[Quotation]) -> int:
    return sum(len(one.statement.text) for one in quotations)


def newer_version(question: str, passages: list[Passage], chosen: list[Quotation]) -> Otherwise | None:
    """Return what a newer version of the best quotation's document says with other numbers.

    What an older one says does not hold any more, and somebody who reads in haste takes it for the answer.
    """
    if not chosen:
        return None
    best = max(chosen, key=lambda quotation: quotation.score)
    quoted = passages[best.statement.number - 1]
    newer = [(number, other) for number, other in enumerate(passages, 1) if replacement(quoted, [other]) is not None]
    found = _answers(ranked(question, newer, passages, None))
    if not found or not _contradicts(found[0].statement.text, best.statement.text):
        return None
    return Otherwise(passage=passages[found[0].statement.number - 1], quotation=found[0])


def _current(question: str, passages: list[Passage]) -> list[tuple[int, Passage]]:
    """Return the passages with their numbers, without old versions."""
    numbered = enumerate(passages, 1)
    return [(number, passage) for number, passage in numbered if replacement(passage, passages, question) is None]


def _answers(everything: list[Quotation]) -> list[Quotation]:
    """Return what may answer; titles only if nothing else was found."""
    answers = [one for one in everything if one.statement.standing == "answer"]
    return answers or [one for one in everything if one.statement.standing == "title"]


def _chosen(question: str, answers: list[Quotation], passages: list[Passage]) -> list[Quotation]:
    candidates = _rows_asked_for(question, answers)
    chosen = _best(candidates)
    chosen += _rest_of_short_section(chosen, candidates)
    for part in parts(question):
        chosen.extend(_for_part(part, candidates, chosen, passages))
    return chosen


def _rest_of_short_section(chosen: list[Quotation], candidates: list[Quotation]) -> list[Quotation]:
    """Return what else the best sentence's section says, or its paragraph, if that is short: there may be more to it.

    Lists, tables and code have rules of their own, and a document's other questions other answers.
    """
    section = [one for one in candidates if _is_prose_with(one.statement, chosen[0].statement)] if chosen else []
    if _is_long(section):
        section = [one for one in section if one.statement.paragraph == chosen[0].statement.paragraph]
    if _is_long(section):
        return []
    return [one for one in section if not _is_said(one, chosen)]


def _is_long(section: list[Quotation]) -> bool:
    return len(section) > MOST_OF_SHORT or _length(section) > LONGEST_SECTION


def _is_prose_with(one: Statement, best: Statement) -> bool:
    """Tell whether both are sentences of one passage that answer one question of the document, if it asks any."""
    kinds = {(each.number, each.kind, each.standing, each.asked) for each in (one, best)}
    return kinds == {(best.number, "sentence", "answer", best.asked)}


def _best(answers: list[Quotation]) -> list[Quotation]:
    chosen: list[Quotation] = []
    for quotation in answers:
        if len(chosen) == MOST or quotation.score < _enough(quotation, chosen) * answers[0].score:
            continue
        if not _is_said(quotation, chosen):
            chosen.append(quotation)
    return chosen


def _enough(quotation: Quotation, chosen: list[Quotation]) -> float:
    if chosen and quotation.statement.number != chosen[0].statement.number:
        return STRANGER
    return NEAR if len(chosen) > 1 else NEIGHBOUR


def _for_part(
    part: str, candidates: list[Quotation], chosen: list[Quotation], passages: list[Passage]
) -> list[Quotation]:
    """Return the statement that answers a part of the question best, if no chosen one does as well."""
    if opening := _opening(part, candidates, passages):
        return [] if opening in chosen else [opening]
    weights = weigh(part, passages)
    shares = [(held(weights, one.statement, passages[one.statement.number - 1]), one) for one in candidates]
    share, best = max(shares, key=lambda one: (one[0], one[1].score), default=(0.0, None))
    answered = any(other >= share and one in chosen for other, one in shares)
    return [best] if best and share >= PART_HELD and not answered else []


def _opening(part: str, candidates: list[Quotation], passages: list[Passage]) -> Quotation | None:
    """Return how a document begins, if a part asks for what its title names: "And the router's warranty?"."""
    document = document_about(frozenset(content_words(part)), passages)
    own = [one for one in candidates if passages[one.statement.number - 1]["document_id"] == document]
    return min(own, key=lambda one: (passages[one.statement.number - 1]["id"], one.statement.place), default=None)


def _rows_asked_for(question: str, answers: list[Quotation]) -> list[Quotation]:
    """Return the answers without the rows of a table of which the question names others."""
    asked = set(content_words(question))
    named: dict[tuple[int, int] | None, float] = {}
    for one in answers:
        listing = one.statement.listing
        named[listing] = max(named.get(listing, 0.0), _named(asked, one.statement.label))
    return [one for one in answers if _named(asked, one.statement.label) >= named[one.statement.listing]]


def _named(asked: set[str], label: str) -> float:
    found = set(content_words(label))
    return len(found & asked) / len(found) if found else 0.0


def _in_order(chosen: list[Quotation], passages: list[Passage]) -> list[Quotation]:
    """Return the best document first, and each in its own order: a rule stands before its exception."""
    first: dict[int, tuple[float, int]] = {}
    placed = [(passages[one.statement.number - 1], one) for one in chosen]
    for passage, one in placed:
        found = -one.score, one.statement.number
        first[passage["document_id"]] = min(found, first.get(passage["document_id"], found))

    def position(of: tuple[Passage, Quotation]) -> tuple[tuple[float, int], int, int]:
        passage, one = of
        return first[passage["document_id"]], passage["id"], one.statement.place

    return [one for _, one in sorted(placed, key=position)]


def _without_stray_questions(question: str, quotations: list[Quotation]) -> list[Quotation]:
    """Return the quotations without the documents' questions that have nothing to do with this one."""
    asked = set(content_words(question))
    return [
        one
        for one in quotations
        if one.statement.standing != "question" or not asked.isdisjoint(content_words(one.statement.text))
    ]


def _is_said(one: Quotation, chosen: list[Quotation]) -> bool:
    """Tell whether what a better one says is said again."""
    return any(_repeats(one.statement.text, other.statement.text) for other in chosen)


def _repeats(one: str, other: str) -> bool:
    return quantities(one) == quantities(other) and _alike(one, other)


def _contradicts(one: str, other: str) -> bool:
    return quantities(one) != quantities(other) and _alike(_wordy(one), _wordy(other))


def _alike(one: str, other: str) -> bool:
    words = [set(content_words(text)) for text in (one, other)]
    return len(words[0] & words[1]) >= ALIKE * max(1, min(len(words[0]), len(words[1])))


def _wordy(text: str) -> str:
    return _NUMBER.sub(" ", text)
