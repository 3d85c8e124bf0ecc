"""Documents are split at their structure, and no text is lost."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from bot.knowledge.blocks import Block
from bot.knowledge.documents import Document
from bot.knowledge.split import split
from graph.passages import contextual


def words(text: str) -> int:
    return len(text.split())


def document(*blocks: Block) -> Document:
    return Document(path="a.md", title="Handbook", blocks=blocks, language="en")


def test_each_section_is_a_passage_below_its_headings() -> None:
    passages = split(
        document(
            Block(text="Intro."),
            Block(text="Leave", level=2),
            Block(text="Vacation", level=3),
            Block(text="28 days."),
            Block(text="Travel", level=2),
            Block(text="By train."),
        ),
        words,
    )
    pieces = list(passages)

    assert [(piece.heading_path, piece.text) for piece in pieces] == [
        ((), "Intro."),
        (("Leave", "Vacation"), "28 days."),
        (("Travel",), "By train."),
    ]
    assert contextual("Handbook", pieces[1].heading_path, pieces[1].text) == "Handbook › Leave › Vacation\n28 days."


def test_a_table_is_kept_whole_beyond_the_target() -> None:
    table = "| A | B |\n| --- | --- |\n" + "\n".join(f"| {row} | {row} |" for row in range(60))

    pieces = list(split(document(Block(text="Before. " * 150), Block(text=table, whole=True)), words))

    assert pieces[-1].text == table


def test_a_huge_table_is_cut_between_rows_under_its_head() -> None:
    rows = [f"| {row} | {row} |" for row in range(400)]

    pieces = list(split(document(Block(text="\n".join(["| A | B |", "| --- | --- |", *rows]), whole=True)), words))

    assert len(pieces) > 1
    assert all(piece.text.startswith("| A | B |\n| --- | --- |\n| ") for piece in pieces)
    assert [line for piece in pieces for line in piece.text.splitlines()[2:]] == rows


def test_long_code_is_cut_between_lines_inside_its_fence() -> None:
    code = "\n".join(["```python", *(f"call({line}, 1)" for line in range(700)), "```"])

    pieces = list(split(document(Block(text=code, whole=True)), words))

    assert len(pieces) > 1
    assert all(piece.text.startswith("```python\n") and piece.text.endswith("\n```") for piece in pieces)


def test_what_has_no_end_is_cut() -> None:
    pieces = list(split(document(Block(text="x" * 100_000), Block(text=f"```\n{'y' * 100_000}\n```", whole=True)), len))

    assert max(len(piece.text) for piece in pieces) <= 2 * 1500 + 10
    assert sum(piece.text.count("x") for piece in pieces) >= 100_000


def test_passages_overlap_only_where_a_paragraph_was_cut() -> None:
    sentences = [f"Sentence number {number} has exactly eight words here." for number in range(60)]

    cut = list(split(document(Block(text=" ".join(sentences))), words))
    uncut = list(split(document(*(Block(text=sentence) for sentence in sentences)), words))

    assert cut[0].text.split(". ")[-1].rstrip(".") == cut[1].text.split(". ")[0]
    assert "\n\n".join(piece.text for piece in uncut) == "\n\n".join(sentences)


@given(st.lists(st.tuples(st.integers(0, 3), st.text("ab .\n", min_size=1, max_size=900)), max_size=8))
def test_no_word_is_lost(blocks: list[tuple[int, str]]) -> None:
    given_blocks = [Block(text=text.strip() or "a", level=level) for level, text in blocks]

    pieces = list(split(document(*given_blocks), words))

    kept = {word for piece in pieces for word in piece.text.split()}
    assert kept >= {word for block in given_blocks if not block.level for word in block.text.split()}


def test_wherever_a_quotation_is_cut_it_stays_one() -> None:
    quotation = "> " + "It ends today, says the mail. " * 100

    pieces = list(split(document(Block(text=quotation)), words))

    assert len(pieces) > 1
    assert [] == [line for piece in pieces for line in piece.text.splitlines() if not line.startswith("> ")]


def test_a_list_item_keeps_its_number_and_its_bold_text() -> None:
    items = "\n".join(f"{number}. **Item {number}.** It has {'many ' * 40}words." for number in range(1, 9))

    pieces = list(split(document(Block(text=items)), words))

    assert len(pieces) > 1
    assert [] == [
        piece.text[-20:] for piece in pieces if piece.text.endswith(".") and not piece.text.endswith("words.")
    ]
    assert [] == [piece.text[:20] for piece in pieces if not piece.text[:1].isdigit()]
    assert [] == [piece.text for piece in pieces if ". ** It" in piece.text]


def test_a_word_without_an_end_is_cut_though_the_model_takes_it_for_one_token() -> None:
    pieces = list(split(document(Block(text="x" * 50_000)), lambda _: 1))

    assert sum(len(piece.text) for piece in pieces) >= 50_000
    assert max(len(piece.text) for piece in pieces) < 5_000


def test_a_book_is_split_as_far_as_its_passages_are_taken() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return words(text)

    book = document(Block(text="One sentence of a book that never ends. " * 100_000))

    assert 3 == len(list(islice(split(book, count), 3)))
    assert len(counted) < 500


def test_code_within_a_list_is_kept_whole() -> None:
    code = "   ```\n   oven-cli  fan\n\n   oven-cli bake\n   ```"
    steps = "\n".join(f"{step}. {'Wait for the bell. ' * 12}\n{step}. Then type:\n\n{code}" for step in range(1, 9))

    pieces = [piece.text for piece in split(document(Block(text=steps)), words)]

    assert len(pieces) > 1
    assert 8 == sum(piece.count(code.strip()) for piece in pieces)
    assert not any(piece.startswith("```") for piece in pieces)
