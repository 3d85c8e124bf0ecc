"""A source that lists all its documents tells a part at a time which of them changed."""

import pytest

from bot.knowledge.connectors.connector import Changes
from bot.knowledge.connectors.listed import Listed


def parts_of(states: dict[str, str], cursor: str = "") -> list[Changes]:
    listed = Listed(states)
    parts = [listed.changes(cursor)]
    while parts[-1].has_more:
        parts.append(listed.changes(parts[-1].cursor))
    return parts


@pytest.mark.parametrize("sure", [0, 1, 49, 50, 51, 120])
@pytest.mark.parametrize("unsure", [0, 1, 50, 120])
def test_each_part_gets_on_however_many_states_are_not_sure(sure: int, unsure: int) -> None:
    states = {f"{number}.md": "" if number < unsure else "1" for number in range(sure + unsure)}

    first = parts_of(states)
    second = parts_of(states, first[-1].cursor)

    assert sorted(states) == sorted(path for part in first for path in part.paths)
    assert [path for path in states if not states[path]] == second[0].paths
    for parts in (first, second):
        cursors = [part.cursor for part in parts if part.has_more]
        assert len(cursors) == len({"", *cursors}) - 1, "The cursor of a part must differ from the one before."


@pytest.mark.parametrize(("count", "parts"), [(50, 1), (51, 2), (5_000, 100), (5_001, 99), (20_000, 100)])
def test_a_large_source_has_larger_parts_and_no_more_of_them(count: int, parts: int) -> None:
    made = parts_of({f"{number}.md": "1" for number in range(count)})

    assert parts == len(made)
    assert count == sum(len(part.paths) for part in made)
