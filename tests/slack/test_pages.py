"""An answer takes as many messages as it needs, each within Slack's limits."""

from bot.slack.blocks.pages import answer_pages, draft_pages
from bot.slack.blocks.view import Step, View
from graph.events import AnswerCompleted

LONG = "A sentence of some length.\n\n" * 1100


def completed(text: str) -> View:
    return View(ending=AnswerCompleted(outcome="answered", text=text, notes=("A caveat.",)))


def test_a_short_answer_is_one_message_without_empty_lines_at_its_end() -> None:
    (page,) = answer_pages(completed("Twelve weeks.\n\n\n"))

    assert ["markdown", "context", "context_actions"] == [block["type"] for block in page.blocks]
    assert ("Twelve weeks.", "Twelve weeks.") == (page.blocks[0]["text"], page.text)


def test_an_answer_without_text_has_no_empty_block() -> None:
    (page,) = answer_pages(completed(""))

    assert ["context", "context_actions"] == [block["type"] for block in page.blocks]


def test_only_the_last_message_of_a_long_answer_has_notes_and_buttons() -> None:
    *earlier, last = answer_pages(completed(LONG))

    assert [["markdown"]] * 3 == [[block["type"] for block in page.blocks] for page in earlier]
    assert ["markdown", "context", "context_actions"] == [block["type"] for block in last.blocks]


def test_the_steps_of_an_unfinished_answer_stand_above_its_first_message() -> None:
    steps = (Step(name="search", title="Searching"), Step(name="write", title="Writing"))
    first, *others = draft_pages(View(steps=steps, text=LONG))

    assert "✓ Searching\n… Writing" == first.blocks[0]["elements"][0]["text"]
    assert [["markdown"]] * 3 == [[block["type"] for block in page.blocks] for page in others]


def test_a_growing_answer_changes_its_last_messages_only() -> None:
    before, after = draft_pages(View(text=LONG[:20_000])), draft_pages(View(text=LONG[:21_000]))

    assert before[:-1] == after[: len(before) - 1]
