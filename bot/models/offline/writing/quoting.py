"""Which statements of the passages are quoted to a question (pure)."""

from bot.models.offline.writing.completion import LONGEST_LIST, completed
from bot.models.offline.writing.ranking import WANTS_STEPS, Similarity, held, ranked, sought
from bot.models.offline.writing.rota import DayAsked, rows_of_the_day
from bot.models.offline.writing.statements import Statement
from bot.models.offline.writing.survey import (
    comparison,
    document_about,
    in_short,
    opening_of,
    parallel_sections,
    summary,
)
from bot.models.offline.writing.wishes import compared, parts, summarised
from bot.models.thesaurus import wording_of
from graph import patterns
from graph.answer.follow_ups import section_asked_for
from graph.documents.series import news_asked_for
from graph.documents.versions import replacement
from graph.passages import Passage
from graph.text.markdown import tables_of
from graph.text.words import content_words, holds, quantities, stems

_NUMBER = patterns.compile(r"\d[\d.,]*")

MOST = 4
MOST_OF_SHORT = 5
"""Statements of a section that is quoted whole, if it is not longer than `LONGEST_SECTION` either."""
LONGEST_SECTION = 400
"""Characters of a section that is quoted whole."""
LONGEST_OF_NEAREST, LONGEST_NEAREST = 300, 700
"""Characters that are quoted of one passage, and of all, if nothing surely answers; of each document one statement."""
LONGEST_WITH_LISTS = 1400
"""The same of all, with the rest of small tables and lists."""
NEAR = 0.72
"""A statement is quoted if it answers as well as this share of the best."""
NEIGHBOUR = 0.5
"""The same for a second statement out of the best one's passage."""
STRANGER = 0.8
"""The same for one out of another passage."""
PART_HELD = 0.34
"""Share of the words of one part of a question from which a statement answers that part."""
ALIKE = 0.75


def choose(
    question: str, passages: list[Passage], similarity: Similarity | None = None, day: DayAsked | None = None
) -> list[Statement]:
    """Return the statements of the newest versions that answer best, with all that they need; of a rota, of the day.

    One to four and the lists they belong to; one a section for a summary, each side's for a comparison.
    """
    everything = ranked(question, _current(question, passages), passages, similarity)
    if day:
        everything = rows_of_the_day(everything, day)
    answers = _answers(everything)
    section = section_asked_for(question, passages)
    if section and (opening := opening_of(section, everything)):
        return _without_stray_questions(question, opening)
    if news := news_asked_for(question, passages):
        return in_short(news, everything, passages)
    if topic := summarised(question):
        return summary(topic, everything, passages)
    wish = compared(question)
    if wish and (parallel := parallel_sections(wish, everything, passages)):
        return parallel
    chosen = (comparison(wish, answers) if wish else []) or _chosen(question, answers, passages)
    together = completed(chosen, everything, steps=WANTS_STEPS.search(question) is not None)
    return _without_stray_questions(question, _in_order(together))


def nearest(question: str, passages: list[Passage], similarity: Similarity | None = None) -> list[Statement]:
    """Return what the passages say that come nearest, with all that it needs; of a long one, the best statements.

    A sentence in other words than the question's is found by its neighbours, so a short section is quoted whole.
    """
    everything = ranked(question, _current(question, passages), passages, similarity)
    answers = _rows_asked_for(question, _answers(everything))
    chosen: list[Statement] = []
    for number, passage in enumerate(passages, 1):
        room = min(LONGEST_OF_NEAREST, LONGEST_NEAREST - _length(chosen))
        if room > 0 or all(one.passage["document_id"] != passage["document_id"] for one in chosen):
            chosen += _fitting([one for one in answers if one.number == number], chosen, room)
    # Beyond the room: what is added must not leave out another document's sentence.
    whole = _with_small_lists(chosen, answers)
    together = completed(whole, everything, steps=False, lists=False)
    return _without_stray_questions(question, _in_order(together))


def _with_small_lists(chosen: list[Statement], answers: list[Statement]) -> list[Statement]:
    """Add the rest of small tables and lists: of some rows, nobody knows whether the wanted one is missing."""
    whole = list(chosen)
    for listing in dict.fromkeys(one.listing for one in chosen if one.listing):
        own = [one for one in answers if one.listing == listing]
        rest = [one for one in own if one not in whole and not _is_said(one, whole)]
        if _length(own) <= LONGEST_SECTION and _length([*whole, *rest]) <= LONGEST_WITH_LISTS:
            whole += rest
    return whole


def _fitting(section: list[Statement], said: list[Statement], room: int) -> list[Statement]:
    """Return the statements of a section that there is room for, the best first, and at least one.

    Of a document's questions with their answers, only the best one's: the others ask something else.
    """
    chosen: list[Statement] = []
    for one in section:
        is_room = not chosen or (one.asked == chosen[0].asked and _length([*chosen, one]) <= room)
        if is_room and not _is_said(one, [*said, *chosen]):
            chosen.append(one)
    return chosen


def _length(quoted: list[Statement]) -> int:
    return sum(len(one.text) for one in quoted)


def newer_version(question: str, passages: list[Passage], chosen: list[Statement]) -> Statement | None:
    """Return what a newer version of the best statement's document says with other numbers.

    What an older one says does not hold any more, and somebody who reads in haste takes it for the answer.
    """
    if not chosen:
        return None
    best = max(chosen, key=lambda one: one.score)
    newer = [(number, other) for number, other in enumerate(passages, 1) if replacement(best.passage, [other])]
    found = _answers(ranked(question, newer, passages, None))
    return found[0] if found and _contradicts(found[0].text, best.text) else None


def _current(question: str, passages: list[Passage]) -> list[tuple[int, Passage]]:
    """Return the passages with their numbers, without old versions."""
    numbered = enumerate(passages, 1)
    return [(number, passage) for number, passage in numbered if replacement(passage, passages, question) is None]


def _answers(everything: list[Statement]) -> list[Statement]:
    """Return what may answer; titles only if nothing else was found."""
    answers = [one for one in everything if one.standing == "answer"]
    return answers or [one for one in everything if one.standing == "title"]


def _chosen(question: str, answers: list[Statement], passages: list[Passage]) -> list[Statement]:
    candidates = _rows_told_of(question, _rows_asked_for(question, answers))
    chosen = _best(candidates)
    chosen += _rest_of_short_section(chosen, candidates)
    chosen += [one for one in _rows_beside(question, chosen, candidates) if one not in chosen]
    for part in parts(question):
        chosen.extend(_for_part(part, candidates, chosen, passages))
    return chosen


def _rows_beside(question: str, chosen: list[Statement], candidates: list[Statement]) -> list[Statement]:
    """Return the first rows of the best statement's table with a cell that the question names."""
    own = [one for one in candidates if chosen and one.listing == chosen[0].listing]
    return _rows_with_cell(question, own)[:LONGEST_LIST]


def _rest_of_short_section(chosen: list[Statement], candidates: list[Statement]) -> list[Statement]:
    """Return what else the best sentence's section says, or its paragraph, if that is short: there may be more to it.

    Lists, tables and code have rules of their own, and a document's other questions other answers.
    """
    section = [one for one in candidates if _is_prose_with(one, chosen[0])] if chosen else []
    if _is_long(section):
        section = [one for one in section if one.paragraph == chosen[0].paragraph]
    if _is_long(section):
        return []
    return [one for one in section if not _is_said(one, chosen)]


def _is_long(section: list[Statement]) -> bool:
    return len(section) > MOST_OF_SHORT or _length(section) > LONGEST_SECTION


def _is_prose_with(one: Statement, best: Statement) -> bool:
    """Tell whether both are sentences of one passage that answer one question of the document, if it asks any."""
    kinds = {(each.number, each.kind, each.standing, each.asked) for each in (one, best)}
    return kinds == {(best.number, "sentence", "answer", best.asked)}


def _best(answers: list[Statement]) -> list[Statement]:
    chosen: list[Statement] = []
    for one in answers:
        is_enough = one.score >= _enough(one, chosen) * answers[0].score
        if len(chosen) < MOST and is_enough and not _is_said(one, chosen):
            chosen.append(one)
    return chosen


def _enough(one: Statement, chosen: list[Statement]) -> float:
    if chosen and one.number != chosen[0].number:
        return STRANGER
    return NEAR if len(chosen) > 1 else NEIGHBOUR


def _for_part(
    part: str, candidates: list[Statement], chosen: list[Statement], passages: list[Passage]
) -> list[Statement]:
    """Return the statement that answers a part of the question best, if no chosen one does as well."""
    if opening := _opening(part, candidates, passages):
        return [] if opening in chosen else [opening]
    words = sought(part, passages)
    shares = [(held(words, one), one) for one in candidates]
    share, best = max(shares, key=lambda one: (one[0], one[1].score), default=(0.0, None))
    answered = any(other >= share and one in chosen for other, one in shares)
    return [best] if best and share >= PART_HELD and not answered else []


def _opening(part: str, candidates: list[Statement], passages: list[Passage]) -> Statement | None:
    """Return how a document begins, if a part asks for what its title names: "And the router's warranty?"."""
    document = document_about(stems(part), passages)
    own = [one for one in candidates if one.passage["document_id"] == document]
    return min(own, key=lambda one: (one.passage["id"], one.place), default=None)


def _rows_asked_for(question: str, answers: list[Statement]) -> list[Statement]:
    """Leave out the rows of a table if the question names other rows of it.

    A row is named by a cell with its column's name ("team Studio"), by its label whole, or with all that share the
    words of the question: "hotel" names "hotel, capital" and "hotel, other towns".
    """
    by_cell = _rows_with_cell(question, answers)
    listings = {one.listing for one in by_cell}
    asked = stems(question)
    labels = {one.spot: stems(one.label) for one in answers}
    # "Is billing tier 1?" is for the row of billing.
    others = asked - stems(" ".join(one.text.removeprefix(f"**{one.label}**") for one in by_cell))
    listings -= {one.listing for one in answers if labels[one.spot] and labels[one.spot] <= others}
    with_cell = {one.spot for one in by_cell if one.listing in listings}
    answers = [one for one in answers if one.listing not in listings or one.spot in with_cell]
    named: dict[tuple[int, int] | None, tuple[bool, int]] = {}
    for one in answers:
        named[one.listing] = max(named.get(one.listing, (False, 0)), _named(asked, labels[one.spot]))
    return [one for one in answers if one.spot in with_cell or _is_named(asked, labels[one.spot], named[one.listing])]


def _rows_with_cell(question: str, answers: list[Statement]) -> list[Statement]:
    """Return the rows with a cell that the question names beside the name of its column: "team Studio", "tier 1"."""
    return [
        one
        for one in answers
        if one.kind == "row"
        and any(
            holds(question, f"{name} {cell}") or holds(question, f"{cell} {name}")
            for name, colon, cell in (
                part.partition(": ") for part in one.text.removeprefix(f"**{one.label}** – ").split("; ")
            )
            if colon
        )
    ]


def _rows_told_of(question: str, answers: list[Statement]) -> list[Statement]:
    """Leave out the rows of a table that hold nothing of the question, if the best row of it does.

    What all rows, the head or the title say tells no row from another: "channel" in a list of channels.
    """
    asked, rows, wording = stems(question), [one for one in answers if one.kind == "row"], wording_of(question)
    said = {one.spot: wording.with_meant(stems(one.text), one.passage["language"]) for one in rows}
    best: dict[tuple[int, int] | None, Statement] = {}
    shared: dict[tuple[int, int] | None, frozenset[str]] = {}
    for one in rows:
        best.setdefault(one.listing, one)
        shared[one.listing] = shared.get(one.listing, said[one.spot]) & said[one.spot]
    above = {listing: _of_table(row) for listing, row in best.items()}
    telling = {one.spot: asked & said[one.spot] - shared[one.listing] - above[one.listing] for one in rows}
    return [one for one in answers if one.kind != "row" or telling[one.spot] or not telling[best[one.listing].spot]]


def _of_table(row: Statement) -> frozenset[str]:
    """Return the words above a row: titles, headings and the names of columns."""
    return stems(" ".join([row.above, *(lines[0] for lines in tables_of(row.passage["text"]))]))


def _named(asked: frozenset[str], label: frozenset[str]) -> tuple[bool, int]:
    """Return whether a question names a row whole, and how many words of its name it holds."""
    return bool(label) and label <= asked, len(label & asked)


def _is_named(asked: frozenset[str], label: frozenset[str], best: tuple[bool, int]) -> bool:
    is_whole, held = _named(asked, label)
    return is_whole if best[0] else held >= best[1]


def _in_order(chosen: list[Statement]) -> list[Statement]:
    """Return the best document first, and each in its own order: a rule stands before its exception."""
    first: dict[int, tuple[float, int]] = {}
    for one in chosen:
        document, found = one.passage["document_id"], (-one.score, one.number)
        first[document] = min(found, first.get(document, found))
    return sorted(chosen, key=lambda one: (first[one.passage["document_id"]], one.passage["id"], one.place))


def _without_stray_questions(question: str, quoted: list[Statement]) -> list[Statement]:
    """Return the statements without the documents' questions that have nothing to do with this one.

    A question that heads what is quoted stays, because its answer says little without it: "Yes, until six".
    """
    asked = stems(question)
    return [
        one
        for one in quoted
        if one.standing != "question"
        or not asked.isdisjoint(content_words(one.text))
        or any(one.heads(other) for other in quoted)
    ]


def _is_said(one: Statement, chosen: list[Statement]) -> bool:
    """Tell whether what a better one says is said again."""
    return any(_repeats(one.text, other.text) for other in chosen)


def _repeats(one: str, other: str) -> bool:
    return quantities(one) == quantities(other) and _alike(one, other)


def _contradicts(one: str, other: str) -> bool:
    return quantities(one) != quantities(other) and _alike(_wordy(one), _wordy(other))


def _alike(one: str, other: str) -> bool:
    words = [stems(text) for text in (one, other)]
    return len(words[0] & words[1]) >= ALIKE * max(1, min(len(words[0]), len(words[1])))


def _wordy(text: str) -> str:
    return _NUMBER.sub(" ", text)
