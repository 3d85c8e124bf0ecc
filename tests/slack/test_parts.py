"""A long text is divided at the best places, each part renders by itself, and no text is lost."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.slack.blocks.markdown import safe
from bot.slack.blocks.parts import ANSWER_LIMIT, PART_LIMIT, bounded, closing, division, opening, parts
from tests.slack.test_guard import faults

LINK = "[the page](https://docs.example/leave)"
CODE = "```python\n" + "value = [1, 2, 3]\n" * 40 + "```"
TABLE = "| Plan | Price |\n|---|---:|\n" + "| Starter | 12 EUR |\n" * 40
BLOCKS = [
    "A sentence of some length. " * 30,
    f"See {LINK} and `some code` for more. " * 25,
    "- one thing\n- another thing\n" * 30,
    CODE,
    "```\n" + "value = 1\n\n" * 1200 + "```",
    TABLE,
    "word " * 2500,
    "x" * 4000,
    "\n",
]
texts = st.lists(st.sampled_from(range(len(BLOCKS))), max_size=8)
"""Texts by the numbers of their blocks, because the texts are too long to print."""


def joined(blocks: list[int]) -> str:
    return "\n\n".join(BLOCKS[number] for number in blocks)


def cuts(text: str) -> list[int]:
    """Return the beginnings of the parts of a text."""
    found = [0]
    while (end := division(text, found[-1])) is not None:
        found.append(end)
    return found


def is_balanced(text: str) -> bool:
    return len(re.findall("^(?:```|~~~)", text, re.MULTILINE)) % 2 == 0


@settings(max_examples=25)
@given(texts)
def test_nothing_is_lost_and_nothing_is_too_long(blocks: list[int]) -> None:
    text = joined(blocks)
    found, begins = parts(text), cuts(text)
    own = [
        part.removeprefix(opening(text, begin)).removesuffix(closing(text, end))
        for part, begin, end in zip(found, begins, [*begins[1:], len(text)], strict=True)
    ]

    assert "".join(text.split()) == "".join("".join(own).split())
    assert all(len(part) <= PART_LIMIT for part in found)


@settings(max_examples=25)
@given(texts)
def test_every_part_renders_by_itself(blocks: list[int]) -> None:
    text = joined(blocks)
    found = parts(text)

    assert all(is_balanced(part) for part in found)
    assert text.count(LINK) == sum(part.count(LINK) for part in found)
    assert all(part.startswith("| Plan") or not part.startswith("|") for part in found)


@settings(max_examples=25)
@given(texts, st.integers(500, 3000))
def test_a_growing_text_divides_as_the_whole_one_does(blocks: list[int], step: int) -> None:
    text = joined(blocks)
    begins, begun = 0, [0]
    for length in range(step, len(text), step):
        grown = text[:length].rstrip()
        while (end := division(grown, begins)) is not None:
            begins = end
            begun.append(end)

    assert begun == cuts(text)[: len(begun)]


def test_a_text_that_fits_is_one_part() -> None:
    text = "word " * (PART_LIMIT // 5 - 3)

    assert [text.rstrip()] == parts(text)


def test_a_part_ends_with_a_paragraph_where_there_is_one() -> None:
    text = "\n\n".join(["A sentence. " * 40] * 40)

    assert {"A sentence. " * 39 + "A sentence."} == {part.split("\n\n")[-1] for part in parts(text)}


@pytest.mark.parametrize(
    ("piece", "end"), [("line of text\n", "text"), ("A sentence. ", "sentence."), ("word ", "word")]
)
def test_a_part_ends_with_a_line_a_sentence_or_a_word_where_there_is_no_paragraph(piece: str, end: str) -> None:
    first, *_ = parts(piece * 2000)

    assert first.endswith(end)


def test_code_that_is_divided_is_closed_and_opened_again() -> None:
    first, second, *_ = parts("Before.\n\n~~~~ python\n" + "x = 1\n```\n" * 1000 + "~~~~\n\nAfter.")

    assert first.endswith("\n~~~~")
    assert second.startswith("~~~~ python\n")


def test_a_table_that_is_divided_repeats_its_head() -> None:
    _, second, *_ = parts("| Plan | Price |\n|---|---:|\n" + "| Starter | 12 EUR |\n" * 1000)

    assert second.startswith("| Plan | Price |\n|---|---:|\n| Starter")


def test_a_link_that_is_longer_than_a_part_is_divided_all_the_same() -> None:
    found = parts("See [" + "x" * 20_000 + "](https://docs.example/leave)")

    assert all(len(part) <= PART_LIMIT for part in found)


def test_an_answer_has_an_end() -> None:
    text = "A sentence of some length.\n\n" * 4000

    assert ANSWER_LIMIT - 3000 < len(bounded(text)) <= ANSWER_LIMIT
    assert "Short." == bounded("Short.")


ADDRESSES = "https://evil.example/x " * 900
HOSTILE = {
    "code": f"`{ADDRESSES}`",
    "an address": "https://evil.example/" + "y/-" * 9_000,
    "a fence": f"```\n{ADDRESSES}\n```",
    "a quoted fence": f"> ```\n> {ADDRESSES}\n> ```",
    "a cell": f"| a | b |\n|---|---|\n| `{ADDRESSES}` | x |\n",
    "a list": f"- `{ADDRESSES}`\n" * 2,
    "a label": f"[{ADDRESSES}](https://evil.example)",
    "calls": "<!channel> " * 2_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_part_of_a_long_text_can_be_clicked(text: str) -> None:
    shown = parts(safe(text, links=()))

    assert len(shown) > 1
    assert [] == [found for part in shown if (found := faults(part))]
