"""Passages are packed to a budget of tokens, and keep their order."""

from hypothesis import given
from hypothesis import strategies as st

from bot.models.packing import compress, pack, tokens_of
from graph.passages import Passage

FILLER = "The kitchen is on the second floor. Please keep the doors closed. "
HOLIDAYS = "Everyone gets 28 days of holiday. "


def passage(text: str, number: int = 1) -> Passage:
    """Make a passage of a document."""
    return {
        "id": number,
        "document_id": number,
        "title": f"Document {number}",
        "path": f"{number}.md",
        "heading_path": [],
        "text": text,
        "language": "en",
        "attributes": {},
        "score": 1 / number,
    }


def test_passages_that_fit_are_left_as_they_are() -> None:
    passages = [passage(FILLER, 1), passage(HOLIDAYS, 2)]

    assert pack("How many holidays?", passages, budget=500) == passages


def test_a_long_passage_keeps_what_bears_on_the_question() -> None:
    [packed] = pack("How many days of holiday?", [passage(FILLER * 20 + HOLIDAYS + FILLER * 20)], budget=80)

    assert HOLIDAYS.strip() in packed["text"]
    assert tokens_of(packed["text"]) <= 80


def test_only_passages_at_the_end_are_left_out() -> None:
    passages = [*(passage(FILLER * 12, number) for number in range(1, 9)), passage("It is upstairs.", 9)]

    packed = pack("Where is the kitchen?", passages, budget=500)

    assert [each["id"] for each in packed] == [each["id"] for each in passages[: len(packed)]]
    assert 0 < len(packed) < len(passages)


def test_a_short_passage_still_fits_where_little_is_left() -> None:
    passages = [passage(FILLER * 6, 1), passage(HOLIDAYS, 2)]

    assert len(pack("holiday", passages, budget=tokens_of(FILLER * 6) + 20)) == 2


def test_gaps_are_shown_and_order_is_kept() -> None:
    text = "Apples are red. " + FILLER * 10 + "Apples cost 3 euros."

    assert compress("What do apples cost?", text, limit=14, language="en") == "Apples are red. … Apples cost 3 euros."


def test_rows_of_a_table_stay_on_their_lines() -> None:
    rows = "\n".join(f"| City {number} | {number} days |" for number in range(50))

    kept = compress("How many days in City 7?", rows, limit=30, language="en").splitlines()

    assert "| City 7 | 7 days |" in kept
    assert all(line in rows.splitlines() for line in kept)


def test_a_sentence_over_several_lines_is_kept_whole_or_left_out() -> None:
    text = "You need no approval for a bicycle. You do not\nneed it for a taxi. " + FILLER * 3 + "Cars are\nforbidden."

    kept = compress("Do I need approval for a taxi?", text, limit=12, language="en")

    assert kept == "You do not need it for a taxi."


def test_the_lines_of_code_stay_apart() -> None:
    text = f"{FILLER * 4}\n```\n    sudo reset router\n    sudo reset hub\n```"

    assert "    sudo reset hub" in compress("reset hub", text, limit=14, language="en").splitlines()


def test_one_endless_sentence_is_cut() -> None:
    kept = compress("x", "word " * 500, limit=20, language="en")

    assert kept.startswith("word word")
    assert kept.endswith(" …")


@given(st.text(), st.text(max_size=2000), st.integers(min_value=0, max_value=200))
def test_the_limit_is_kept_whatever_the_text(question: str, text: str, limit: int) -> None:
    assert tokens_of(compress(question, text, limit=limit, language="en")) <= limit
