"""Cases in one passage: rows or columns of a table among which the question does not decide (pure)."""

from typing import NamedTuple

from graph import patterns
from graph.passages import FEWEST_OPTIONS, MOST_OPTIONS, Passage
from graph.text.relevance import words_of
from graph.text.words import content_words

COVERED = 0.75
"""Share of the question's words that the passage must hold, so that its table is what the person means."""
MATCHED = 0.5
"""Share of the words of a row's or column's name that the question must hold."""
LONGEST_CASE = 40
"""A longer cell is a sentence and no case."""

_RULE = patterns.compile(r"[\s|:-]+")
_OF_THINGS = frozenset(content_words("property feature specification attribute Eigenschaft Merkmal propriedade"))
_IN_ORDER = frozenset(
    content_words("step time when date day no Schritt Zeit wann Datum Tag passo hora quando data dia")
)
"""Names of first columns whose rows are steps in order, not alternatives."""
_WANTS_ALL = patterns.compile(r"\b(?:(?:what|which) are|(?:was|welche) sind|quais são)\b", patterns.IGNORE_CASE)


class Cases(NamedTuple):
    """The cases of a table, and the value of each."""

    named: tuple[str, ...]
    told: tuple[str, ...]
    matched: float
    """How well the question names the value."""


def cases_of(question: str, passage: Passage) -> list[str]:
    """Return the cases of the passage's table that the question leaves open; none if it is clear."""
    asked = set(content_words(question))
    if _WANTS_ALL.search(question) or len(asked & words_of(passage)) < COVERED * len(asked):
        return []
    told = [case for table in _tables(passage["text"]) for case in (_of_rows(table, asked), _of_columns(table, asked))]
    best = max((case for case in told if case and _divide(case, asked)), key=lambda case: case.matched, default=None)
    return list(best.named) if best else []


def _tables(text: str) -> list[list[list[str]]]:
    """Return the tables of a passage as rows of cells. The first row names the columns."""
    tables: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if not line.lstrip().startswith("|"):
            tables.append([])
        elif not _RULE.fullmatch(line) or not tables[-1]:
            tables[-1].append([cell.strip(" *`") for cell in line.strip().strip("|").split("|")])
    return [table for table in tables if len(table) > 1 and len({len(row) for row in table}) == 1 and len(table[0]) > 1]


def _of_rows(table: list[list[str]], asked: set[str]) -> Cases | None:
    """Return the rows as cases, with the values of the column that the question names."""
    names, *rows = table
    if _describes_columns(names[0]) or _IN_ORDER & set(content_words(names[0])):
        return None
    column = max(range(1, len(names)), key=lambda place: _matched(names[place], asked))
    if not _is_named(names[column], asked):
        return None
    return Cases(tuple(row[0] for row in rows), tuple(row[column] for row in rows), _matched(names[column], asked))


def _of_columns(table: list[list[str]], asked: set[str]) -> Cases | None:
    """Return the columns as cases, with the values of the row that the question names."""
    names, *rows = table
    if not _describes_columns(names[0]):
        return None
    row = max(rows, key=lambda cells: _matched(cells[0], asked))
    return Cases(tuple(names[1:]), tuple(row[1:]), _matched(row[0], asked)) if _is_named(row[0], asked) else None


def _describes_columns(first: str) -> bool:
    """Tell by the first column's name whether the columns are things, and the rows their properties."""
    return not first or bool(_OF_THINGS & set(content_words(first)))


def _divide(cases: Cases, asked: set[str]) -> bool:
    """Tell whether the cases have different values and the question names none of them."""
    words = [set(content_words(name)) for name in cases.named]
    is_named = any(asked & (own - set[str].intersection(*words)) for own in words)
    are_names = all(name and len(name) <= LONGEST_CASE and not name[0].isdecimal() for name in cases.named)
    is_many = FEWEST_OPTIONS <= len(set(cases.named)) == len(cases.named) <= MOST_OPTIONS
    return are_names and is_many and not is_named and len(set(cases.told)) > 1


def _matched(name: str, asked: set[str]) -> float:
    """Score a name by how many of its words the question holds, then by their share."""
    words = set(content_words(name))
    return len(asked & words) * (1 + 1 / len(words)) if words else 0.0


def _is_named(name: str, asked: set[str]) -> bool:
    words = set(content_words(name))
    return bool(words) and len(asked & words) >= MATCHED * len(words)
