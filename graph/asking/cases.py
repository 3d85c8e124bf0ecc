"""Cases in one passage: rows or columns of a table among which the question does not decide (pure)."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from graph import patterns
from graph.asking.interpretations import stems_of_place
from graph.documents.versions import current
from graph.passages import FEWEST_OPTIONS, MOST_OPTIONS, Passage
from graph.text.grounding import sentences
from graph.text.markdown import cells_of, is_below_head, is_row, plain_cells, tables_of
from graph.text.names import same_name, unknown_names
from graph.text.quantities import units_in
from graph.text.relevance import words_of
from graph.text.words import content_words, quantities, words

COVERED = 0.75
"""Share of the question's words that the passage must hold, so that its table is what the person means."""
MATCHED = 0.5
"""Share of the words of a row's or column's name that the question must hold."""
KNOWN = 0.5
"""Share of the cases that other documents must know by name, if the question has none of the table's words."""
LONGEST_CASE = 40
"""A longer cell is a sentence and no case."""

_NO_NAME = patterns.compile(r"[<>]|\]\(|://")
"""Marks of mentions, links and tags, which no button shows as people read them."""
_TOTALS = frozenset(content_words("total sum totals Gesamt Summe insgesamt soma"))
"""If a row is the sum of the others, a question that names no row may mean it."""
_OF_THINGS = frozenset(content_words("property feature specification attribute Eigenschaft Merkmal propriedade"))
_IN_ORDER = frozenset(
    content_words("step time when date day no Schritt Zeit wann Datum Tag passo hora quando data dia")
)
"""Names of first columns whose rows are steps in order, not alternatives."""
_WANTS_ALL = patterns.compile(r"\b(?:(?:what|which) are|(?:was|welche) sind|quais são)\b", patterns.IGNORE_CASE)
_SOUGHT = patterns.compile(
    r"\b(?:which|what|welche[mnrs]?|quais|qual|que)\s+(?P<it>\w+)\s+(?:is|are|was|were|has|have|can|may|must|should|will"
    r"|does|do|gets?|needs?|costs?|allows?|ist|sind|war|hat|haben|kann|darf|muss|soll|é|são|era|tem|têm|pode|deve)\b",
    patterns.IGNORE_CASE,
)
"""What kind of thing a question wants to be told: the colour, in "Which colour is a 6C?"."""
_WANTS_QUANTITY = patterns.compile(
    r"\b(?:how (?:much|many|long|often|far|late|early|old|big|high|soon|quick\w*|fast)"
    r"|(?:what|which) (?:time|date|day|number|percentage)|price|costs?|fee|limit|deadline"
    # "Who can rate it?" asks for a person.
    r"|(?:the|an?|what|which|our|my|hourly|daily|exchange|interest|tax) rate"
    r"|wie ?viel\w*|wie (?:lange|oft|hoch|weit|spät|früh|alt|groß|schnell)|wann|kostet|kosten"
    r"|preis|gebühr|frist|grenze|welche[mnrs]? (?:tag|datum)"
    r"|quant[oa]s?|a que horas|que dia|custa|preço|prazo|limite|taxa)\b"
    # Elsewhere these two only join: "What happens when it ends?".
    r"|(?:^|[^\w\s]\s*|\b(?:and|since|by|until|till|from|e|de|até|desde)\s)(?:when|quando)\b",
    patterns.IGNORE_CASE,
)
_WANTS_VALUE = patterns.compile(
    r"\b(?:what|whats|which|who|whos|whose|whom|wer|wem|wen|was|wo|welche[mnrs]?|quem|qual|quais|onde)\b"
    # "Where" alone asks for a place, "how" for a way.
    r"|\bwhere (?:is|are|does|do)\b",
    patterns.IGNORE_CASE,
)
_WANTS_PERSON = patterns.compile(r"\b(?:who|whom|whose|wer|wem|wen|wessen|quem)\b", patterns.IGNORE_CASE)
_WANTS_PLACE_OR_TIME = patterns.compile(r"\b(?:where|when|wo|wann|onde|quando)\b", patterns.IGNORE_CASE)
_ADDS_NOTHING = frozenset(
    content_words("give get cost last own run kosten kostet dauert bekommt besitzt custa dura ganha recebe")
)
"""Verbs of a question for a value: "How much notice does a senior give?" is for the notice of a senior."""
_YES_OR_NO = frozenset(("yes", "no", "ja", "nein", "sim", "não", "oui", "non"))
_WANTS_WAY = patterns.compile(
    r"\b(?:why|how (?:do|does|did|can|could|should|would|to)|what (?:if|happens|do i|should i)"
    r"|warum|wieso|weshalb|wie (?:kann|muss|soll|mache|geht|ändere)|was (?:passiert|mache|wenn)|porqu[eê]|por que)\b"
    r"|\bwhat\b.{1,80}\b(?:do|for)\W*$",
    patterns.IGNORE_CASE,
)
_NUMBER = patterns.compile(r"(?:^|\W)\d")
"""A number, and not the digit of a name such as "R2"."""
_COUNTED = patterns.compile(r"\b(?:how many|wie ?viele|quant[oa]s)\s+(?P<it>\w+)", patterns.IGNORE_CASE)


class Cases(NamedTuple):
    """The cases of a table, and the value of each."""

    named: tuple[str, ...]
    told: tuple[str, ...]
    matched: float
    """How well the question names the value."""
    value: str
    """The name of the row or column that holds the values."""


def cases_of(question: str, passage: Passage) -> list[str]:
    """Return the cases of the passage's table that the question leaves open; none if it is clear."""
    asked = set(content_words(question))
    if _WANTS_ALL.search(question) or len(asked & words_of(passage)) < COVERED * len(asked):
        return []
    tables = _tables(passage["text"], question)
    told = [case for table in tables for case in (_of_rows(table, asked), _of_columns(table, asked))]
    best = max((case for case in told if case and _divide(case, asked)), key=lambda case: case.matched, default=None)
    return list(best.named) if best else []


def open_cases(question: str, passage: Passage, others: list[Passage]) -> list[str]:
    """Return the cases of the passage's table that a question of a quantity leaves open, in whatever words.

    `others` are the other found passages. A case must be a name that other documents know, such as an office, a ship or
    a plan: a table's steps, bands and kinds of things are no alternatives. The question must share a word or a unit
    with what tells of the values.
    """
    if _WANTS_ALL.search(question) or not _is_of_a_quantity(question):
        return []
    asked = set(content_words(question))
    told = (cases for table in _tables(passage["text"], question) for cases in _crossing(table, asked))
    divided = [
        cases
        for cases in told
        if all(map(quantities, cases.told)) and _divide(cases, asked) and _is_about(question, cases, passage)
    ]
    if not divided:
        return []
    elsewhere = (other for other in others if other["document_id"] != passage["document_id"])
    known = {word for other in elsewhere for word in _names_known_to(other)}
    return list(next((cases.named for cases in divided if _are_known(cases, known)), ()))


def cell_asked_for(question: str, passages: list[Passage]) -> list[Passage]:
    """Return the passage with the one cell whose row and column a question both names, and nothing else.

    Whatever else it says may be what it asks for: "Who approves sick days?".
    None if two passages have such a cell: "How many seats does the Team plan have?".
    """
    tabular = [passage for passage in passages if "|" in passage["text"]]
    if not tabular or _WANTS_WAY.search(question):
        return []
    holding = [passage for passage in current(tabular, question) if _has_cell(passage, question)]
    return holding if len(holding) == 1 and not unknown_names(question, holding) else []


def _has_cell(passage: Passage, question: str) -> bool:
    """Tell whether one row and one column of a table are named whole, and their cell may be what is asked for."""
    asked, place = set(content_words(question)), stems_of_place(passage)
    is_for_value = bool(_WANTS_VALUE.search(question) or _WANTS_QUANTITY.search(question))
    if is_for_value and not _WANTS_PLACE_OR_TIME.search(question):
        asked -= _ADDS_NOTHING
    crossed = (_crossed(table, asked) for table in _tables(passage["text"]))
    return any(
        asked <= named | place and _may_be_told(cell, question, is_for_value=is_for_value) for cell, named in crossed
    )


def _crossed(table: list[list[str]], asked: set[str]) -> tuple[str, set[str]]:
    """Return the one cell whose row and column are named whole, and the words of their names; none without one."""
    names, *rows = table
    cells = [
        (row[column], label | name)
        for row in rows
        for column in range(1, len(names))
        if (label := set(content_words(row[0]))) and (name := set(content_words(names[column])))
        if label | name <= asked and label.isdisjoint(name)
    ]
    return cells[0] if len(cells) == 1 else ("", set())


def _may_be_told(cell: str, question: str, *, is_for_value: bool) -> bool:
    """Tell whether a cell may be what a question asks for: nobody is a number, and no value is "yes"."""
    said = words(cell)
    is_value = not _YES_OR_NO.issuperset(said) and not (quantities(cell) and _WANTS_PERSON.search(question))
    return bool(said) and (is_value or not is_for_value)


def of_case(text: str, case: str, question: str = "") -> str:
    """Return a text of whose tables only the row or the column of a case is left, if they have one.

    Of a row and a column of one name, the row is meant, unless the question names another row.
    """
    asked = set(content_words(question))
    blocks = groupby(text.splitlines(), key=is_row)
    kept = (_only(list(lines), case, asked) if is_table else lines for is_table, lines in blocks)
    return "\n".join(line for lines in kept for line in lines)


def _only(lines: list[str], case: str, asked: set[str]) -> list[str]:
    """Return the lines of a table with the row or the column of a case only; all if it has neither."""
    if not _has_head(lines):
        return [line for line in lines if plain_cells(line)[0] == case] or lines
    head, rows = lines[:2], _rows(lines)
    names, labels = plain_cells(lines[0]), tuple(plain_cells(line)[0] for line in rows)
    is_column = case in names[1:] and all(len(plain_cells(line)) == len(names) for line in rows)
    if is_column and (case not in labels or _describes_columns(names[0]) or _names_one(labels, asked)):
        place = names.index(case, 1)
        first, *others = [f"| {cells[0]} | {cells[place]} |" for cells in map(cells_of, [lines[0], *rows])]
        return [first, "| --- | --- |", *others]
    own = [line for line, label in zip(rows, labels, strict=True) if label == case]
    return [*head, *own] if own else lines


def _tables(text: str, question: str = "") -> list[list[list[str]]]:
    """Return the tables of a passage with a head, as rows of cells. The first row names the columns.

    None whose cases are the very thing that the question wants to be told: "Which colour is a 6C?".
    """
    sought = {word for found in _SOUGHT.finditer(question) for word in content_words(found["it"])}
    tables = [[plain_cells(line) for line in lines[:1] + _rows(lines)] for lines in tables_of(text) if _has_head(lines)]
    whole = [table for table in tables if len(table) > 1 and len({*map(len, table)}) == 1 and len(table[0]) > 1]
    return [table for table in whole if sought.isdisjoint(content_words(table[0][0]))]


def _rows(lines: list[str]) -> list[str]:
    return [line for line in lines[1:] if not is_below_head(line)]


def _has_head(lines: list[str]) -> bool:
    """Tell whether the second line of a table is the rule below its columns' names."""
    return len(lines) > 1 and "-" in lines[1] and is_below_head(lines[1])


def _crossing(table: list[list[str]], asked: set[str]) -> Iterator[Cases]:
    """Yield the cases of a table with each of the values that the question may ask for."""
    names, *rows = table
    labels = tuple(row[0] for row in rows)
    if _describes_columns(names[0]):
        yield from (Cases(tuple(names[1:]), tuple(row[1:]), 0.0, row[0]) for row in rows)
    elif not _IN_ORDER & set(content_words(names[0])):
        if _names_one(labels, asked):
            row = max(rows, key=lambda cells: _matched(cells[0], asked))
            yield Cases(tuple(names[1:]), tuple(row[1:]), 0.0, row[0])
        else:
            columns = range(1, len(names))
            yield from (Cases(labels, tuple(row[place] for row in rows), 0.0, names[place]) for place in columns)


def _of_rows(table: list[list[str]], asked: set[str]) -> Cases | None:
    """Return the rows as cases, with the values of the column that the question names."""
    names, *rows = table
    if _describes_columns(names[0]) or _IN_ORDER & set(content_words(names[0])):
        return None
    column = max(range(1, len(names)), key=lambda place: _matched(names[place], asked))
    if not _is_named(names[column], asked):
        return None
    named, told = tuple(row[0] for row in rows), tuple(row[column] for row in rows)
    return Cases(named, told, _matched(names[column], asked), names[column])


def _of_columns(table: list[list[str]], asked: set[str]) -> Cases | None:
    """Return the columns as cases, with the values of the row that the question names."""
    names, *rows = table
    if not _describes_columns(names[0]):
        return None
    row = max(rows, key=lambda cells: _matched(cells[0], asked))
    matched = _matched(row[0], asked)
    return Cases(tuple(names[1:]), tuple(row[1:]), matched, row[0]) if _is_named(row[0], asked) else None


def _describes_columns(first: str) -> bool:
    """Tell by the first column's name whether the columns are things, and the rows their properties."""
    return not first or bool(_OF_THINGS & set(content_words(first)))


def _divide(cases: Cases, asked: set[str]) -> bool:
    """Tell whether the cases have different values and the question names none of them."""
    is_named = _names_one(cases.named, asked)
    are_names = all(_is_name(name) for name in cases.named)
    is_many = FEWEST_OPTIONS <= len({*map(same_name, cases.named)}) == len(cases.named) <= MOST_OPTIONS
    return are_names and is_many and not is_named and len(set(cases.told)) > 1


def _is_name(cell: str) -> bool:
    is_short = bool(cell) and len(cell) <= LONGEST_CASE and not cell[0].isdecimal()
    return is_short and not _NO_NAME.search(cell) and not _TOTALS & set(content_words(cell))


def _names_one(names: tuple[str, ...], asked: set[str]) -> bool:
    """Tell whether the question holds a word that not all names have."""
    return any(asked & own for own in _telling(names))


def _telling(names: tuple[str, ...]) -> list[set[str]]:
    """Return the stems that tell each name from the others."""
    words = [set(content_words(name)) for name in names]
    return [own - set[str].intersection(*words) for own in words]


def _is_of_a_quantity(question: str) -> bool:
    """Tell whether a message asks for a number or a time, or tells one and asks what follows from it."""
    said = sentences(question)
    asking = [one for one in said if one.rstrip().endswith("?")] or said
    telling = [one for one in said if one not in asking]
    tells = bool(units_in(question)) or any(_NUMBER.search(one) for one in telling)
    return tells or any(_WANTS_QUANTITY.search(one) for one in asking)


def _is_about(question: str, cases: Cases, passage: Passage) -> bool:
    """Tell whether a question is about the values: by a word of their name or their section, or by their unit.

    A thing that is counted must stand in the names: "How many sailors does a ship need?".
    """
    counted = _COUNTED.search(question)
    named = set(content_words(" ".join([cases.value, *passage["heading_path"], passage["title"]])))
    if counted and not units_in(f"1 {counted['it']}"):
        return bool(named & set(content_words(counted["it"])))
    prose = " ".join(line for line in passage["text"].splitlines() if not is_row(line))
    is_told = bool((named | set(content_words(prose))) & set(content_words(question)))
    return is_told or bool(units_in(question) & units_in(" ".join(cases.told)))


def _are_known(cases: Cases, known: set[str]) -> bool:
    """Tell whether other documents know most of the names."""
    return sum(bool(own & known) for own in _telling(cases.named)) >= KNOWN * len(cases.named)


def _names_known_to(passage: Passage) -> set[str]:
    """Return the stems of a passage's place, and of the names of its tables' rows and columns."""
    names = (name for table in _tables(passage["text"]) for name in (*table[0], *(row[0] for row in table)))
    return stems_of_place(passage) | set(content_words(" ".join(names)))


def _matched(name: str, asked: set[str]) -> float:
    """Score a name by how many of its words the question holds, then by their share."""
    words = set(content_words(name))
    return len(asked & words) * (1 + 1 / len(words)) if words else 0.0


def _is_named(name: str, asked: set[str]) -> bool:
    words = set(content_words(name))
    return bool(words) and len(asked & words) >= MATCHED * len(words)
