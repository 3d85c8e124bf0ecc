"""The writer's line about its evidence is read in every form and at every split, and never shown."""

import pytest

from graph.sufficiency import HELD_BACK, Opening, read_line

ANSWER = "No, contractors get none [1].\nThey get [2] a badge."
FULL = (
    "EVIDENCE: full\n",
    "**EVIDENCE: full**\n",
    "**EVIDENCE:** full\n",
    "evidence: Full\n\n",
    "> EVIDENCE: full\n",
    '"EVIDENCE: full"\n',
    "“Evidence: full.”\n",
    "`EVIDENCE: full`\n",
    "```\nEVIDENCE: full\n```\n",
    "```text\nEVIDENCE: full\n```\n\n",
    "- EVIDENCE = full\n",
    "<evidence>full</evidence>\n",
    "# EVIDENCE: FULL\n",
    "\n\nEVIDENCE: full\n",
    "EVIDENZ: vollständig\n",
    "EVIDENCE:full\n",
    "EVIDENCE – full\n",
)
PART = (
    "EVIDENCE: part: what contractors get\n",
    "**EVIDENCE: part: what contractors get**\n",
    "EVIDENCE: partial – what contractors get.\n",
    "```\nEVIDENCE: part: what contractors get\n```\n",
    "Evidence: PART (what contractors get)\n",
    "EVIDENZ: teilweise: what contractors get\n",
)
NONE = ("EVIDENCE: none\n", "**EVIDENCE: none**\n", "evidence: none.\n", "EVIDENCE: none", "`EVIDENCE: NONE`")
TEXTS = (
    ANSWER,
    "None of the contractors get one [1].",
    "Full time people get 25 days [1].",
    "Evidence of residence is a bill [1].",
    "Part-time: 12 days [1].",
    "**25 days** [1]",
    "Evi",
    "x" * 1000,
    "evidence " * 100,
    "| A | B |\n|---|---|\n| 1 [1] | 2 |",
    "```bash\ngit push\n```\nThat is all [1].",
    "```\nno language\n```",
)


def read(text: str, split: int = 0) -> tuple[str, str, str]:
    """Read a text in two pieces; return level, missing evidence, and the text for people."""
    opening = Opening()
    shown = opening.feed(text[:split]) + opening.feed(text[split:]) + opening.rest()
    assert opening.sufficiency is not None
    return opening.sufficiency["level"], opening.sufficiency["missing"], shown


def every_split(text: str) -> set[tuple[str, str, str]]:
    """Return the results for all splits of a text."""
    return {read(text, split) for split in range(len(text) + 1)}


@pytest.mark.parametrize("line", FULL)
def test_a_full_line_is_read_and_not_shown_at_every_split(line: str) -> None:
    [(level, missing, shown)] = every_split(line + ANSWER)

    assert ("full", "", ANSWER) == (level, missing, shown.strip())


@pytest.mark.parametrize("line", PART)
def test_what_is_missing_is_read_at_every_split(line: str) -> None:
    [(level, missing, shown)] = every_split(line + ANSWER)

    assert ("part", "what contractors get", ANSWER) == (level, missing, shown.strip())


@pytest.mark.parametrize("line", NONE)
def test_none_is_read_at_every_split(line: str) -> None:
    [(level, _, shown)] = every_split(line)

    assert ("none", "") == (level, shown)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_without_the_line_is_taken_as_it_is_at_every_split(text: str) -> None:
    assert {("unsaid", "", text)} == every_split(text)


def test_an_answer_on_the_lines_end_is_kept() -> None:
    assert ("full", "", "It is 25 days [1].\n") == read("EVIDENCE: full – It is 25 days [1].\n")


def test_a_text_in_one_fence_loses_the_fence() -> None:
    assert {("full", "", "It is 25 days [1].\n")} == every_split("```\nEVIDENCE: full\nIt is 25 days [1].\n```")


def test_a_text_that_is_no_line_is_let_go_at_once() -> None:
    assert "The" == Opening().feed("The")


def test_what_may_become_a_line_is_let_go_after_some_characters() -> None:
    opening = Opening()
    held = "evidence " * 30

    assert "" == opening.feed(held[:HELD_BACK])
    assert held == opening.feed(held[HELD_BACK:])


@pytest.mark.parametrize("line", ["The evidence is full of holes.", "It says: evidence none", ""])
def test_a_line_that_begins_otherwise_is_none(line: str) -> None:
    assert read_line(line) is None
