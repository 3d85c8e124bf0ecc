"""Answers that go over several passages: a summary of a document, a comparison of two things (pure)."""

from dataclasses import replace
from pathlib import PurePosixPath

from bot.models.offline.writing.completion import LONGEST_LIST, completed
from bot.models.offline.writing.statements import Statement
from bot.models.offline.writing.wishes import Compared
from graph.passages import Passage
from graph.text.words import stems

MOST_SECTIONS = 8
MOST_OPENING = 8
"""Statements from the beginning of a section that is asked for by its name."""
LONGEST_OPENING = 700
"""Characters of these statements."""
LEADING = 2
"""Statements of a section or of a thing that stand for it."""
MOST_PARALLEL = 4
"""Sections that two documents have in common."""
SIDE_NAMED = 0.5
"""Share of the words of a side that a statement or what stands above it must hold to speak of it."""


def summary(topic: frozenset[str], everything: list[Statement], passages: list[Passage]) -> list[Statement]:
    """Return how each section of the document begins that is about a topic, in its order, below its heading."""
    document = document_about(topic, passages) or next((passage["document_id"] for passage in passages), None)
    return in_short([passage for passage in passages if passage["document_id"] == document], everything, passages)


def in_short(document: list[Passage], everything: list[Statement], passages: list[Passage]) -> list[Statement]:
    """Return how each of a document's passages begins, in its order, below its heading."""
    sections = sorted((passage["id"], number) for number, passage in enumerate(passages, 1) if passage in document)
    found = [_section(everything, number) for _, number in sections[:MOST_SECTIONS]]
    return [one for section in found for one in section]


def opening_of(section: list[Passage], everything: list[Statement]) -> list[Statement]:
    """Return what a section says from its beginning, as far as there is room, and at least one statement."""
    answers = [one for one in everything if one.passage in section and one.standing == "answer"]
    length, begin = 0, list[Statement]()
    for one in sorted(answers, key=lambda one: (one.passage["id"], one.place)):
        length += len(one.text)
        if begin and (length > LONGEST_OPENING or len(begin) == MOST_OPENING):
            break
        begin.append(one)
    return completed(begin, everything, steps=False)


def _section(everything: list[Statement], number: int) -> list[Statement]:
    answers = [one for one in everything if one.number == number and one.standing == "answer"]
    begin = _leading(answers)
    listings = {one.listing for one in begin} - {None}
    listed = [one for one in _in_places(answers) if one.listing in listings][:LONGEST_LIST]
    return _below_heading(_in_places(completed([*begin, *listed], everything, steps=False)))


def _below_heading(section: list[Statement]) -> list[Statement]:
    """Return the statements of one passage, the first one below the passage's heading, which stands there once."""
    headings = (" ".join(one.passage["heading_path"][-1:]) if place == 0 else "" for place, one in enumerate(section))
    return [replace(one, heading=heading) for one, heading in zip(section, headings, strict=True)]


def _in_places(statements: list[Statement]) -> list[Statement]:
    """Return the statements of one passage in its order."""
    return sorted(statements, key=lambda one: one.place)


def comparison(wish: Compared, answers: list[Statement]) -> list[Statement]:
    """Return what is said of each side: on the attribute that is asked for, or how it is introduced.

    Nothing, if only one side is spoken of.
    """
    found = [_of_side(side, wish.attribute, answers) for side in wish.sides]
    return [one for side in found for one in side] if all(found) else []


def parallel_sections(wish: Compared, everything: list[Statement], passages: list[Passage]) -> list[Statement]:
    """Return how the sections begin that documents about one side and documents about the other have in common.

    Such documents have the same title, but for the sides: "Lumen Hub warranty" and "Pine Router warranty".
    """
    titles = [_title_words(passage) for passage in passages]
    # "The pros and cons of the Team plan" is about what titles name: the team.
    one, other = (side & frozenset(word for title in titles for word in title) for side in wish.sides)
    if not one or not other:
        return []
    sections = [dict[tuple[frozenset[str], ...], int](), dict[tuple[frozenset[str], ...], int]()]
    for number, (title, passage) in enumerate(zip(titles, passages, strict=True), 1):
        named = (one <= title, other <= title)
        below = stems(" ".join(passage["heading_path"][1:]))
        is_asked = not wish.attribute or not wish.attribute.isdisjoint(below | title)
        if is_asked and named[0] != named[1]:
            sections[named[1]].setdefault((title - one - other, below), number)
    common = [key for key in sections[0] if key in sections[1]][:MOST_PARALLEL]
    numbers = [section[key] for key in common for section in sections]
    return [quoted for number in numbers for quoted in _section(everything, number)]


def document_about(topic: frozenset[str], passages: list[Passage]) -> int | None:
    """Return the best document whose title, or file, is named by a topic; none if the topic names none."""
    named = (passage["document_id"] for passage in passages if topic <= _title_words(passage))
    return next(named, None)


def _title_words(passage: Passage) -> frozenset[str]:
    file = PurePosixPath(passage["path"]).stem.replace("-", " ").replace("_", " ")
    return stems(f"{passage['title']} {file}")


def _leading(answers: list[Statement]) -> list[Statement]:
    return _in_places(answers)[:LEADING]


def _of_side(side: frozenset[str], attribute: frozenset[str], answers: list[Statement]) -> list[Statement]:
    shares = [(_share(side, one), one) for one in answers]
    best = max((share for share, _ in shares), default=0.0)
    speaking = [one for share, one in shares if share == best >= SIDE_NAMED]
    if not speaking:
        return []
    if attribute:
        return _on(attribute, speaking)
    # The passage that introduces it stands first in its document.
    first = min(speaking, key=lambda one: one.passage["id"])
    return _leading([one for one in speaking if one.number == first.number])


def _on(attribute: frozenset[str], speaking: list[Statement]) -> list[Statement]:
    """Return what is said of a side on an attribute: how the section about it begins, or the one best statement."""
    best = max(speaking, key=lambda one: _share(attribute, one))
    if not attribute <= stems(best.above):
        return [best]
    return _below_heading(_leading([one for one in speaking if one.number == best.number]))


def _share(words: frozenset[str], one: Statement) -> float:
    """Return how many of the words stand in a statement or above it (0–1); a row is of what its label names."""
    return len(words & stems(f"{one.above} {one.label or one.text}")) / len(words)
