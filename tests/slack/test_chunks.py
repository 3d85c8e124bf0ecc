"""A stream gets new text once, and no text that a continuation could change."""

import pytest

from bot.slack.blocks.view import Step, View
from bot.slack.presenter.stream_diff import Streamed, update_of
from graph.events import AnswerCompleted
from graph.passages import Source

SEARCH, WRITE = Step(name="search", title="Searching"), Step(name="write", title="Writing")
SOURCE = Source(number=1, title="Leave", heading="", url="https://docs.example/leave", dated=None, passage_id=7)


def told(streamed: Streamed, view: View) -> tuple[list[tuple[str, str]], Streamed]:
    found = update_of(streamed, view)
    assert found is not None
    return [(chunk.get("title") or chunk["text"], chunk.get("status", "")) for chunk in found.chunks], found.shown


def test_steps_are_told_when_they_begin_and_when_they_end() -> None:
    first, shown = told(Streamed(), View(steps=(SEARCH,)))
    second, _ = told(shown, View(steps=(SEARCH, WRITE)))

    assert [("Searching", "in_progress")] == first
    assert [("Searching", "complete"), ("Writing", "in_progress")] == second


def test_nothing_is_told_twice() -> None:
    view = View(steps=(SEARCH,), sources=(SOURCE,), text="Twelve weeks.")
    _, shown = told(Streamed(), view)

    assert ([], shown) == told(shown, view)


def test_sources_are_told_with_their_links() -> None:
    found = update_of(Streamed(), View(sources=(SOURCE,)))

    assert found is not None
    assert ("Found 1 source", "<https://docs.example/leave|Leave>") == (
        found.chunks[0]["title"],
        found.chunks[0]["details"],
    )


@pytest.mark.parametrize(
    ("language", "title"), [("de", "2 Quellen gefunden"), ("pt", "2 fontes encontradas"), ("fr", "Found 2 sources")]
)
def test_sources_are_told_in_the_language_of_the_question(language: str, title: str) -> None:
    found = update_of(Streamed(), View(sources=(SOURCE, SOURCE), language=language))

    assert found is not None
    assert title == found.chunks[0]["title"]


def test_sources_in_another_order_are_not_told_again() -> None:
    other = SOURCE.copy()
    other["passage_id"] = 2
    _, shown = told(Streamed(), View(sources=(SOURCE, other)))

    assert ([], shown) == told(shown, View(sources=(other, SOURCE)))


def test_only_new_text_is_told() -> None:
    _, shown = told(Streamed(), View(text="Twelve weeks."))

    assert ([(" Or more.", "")], "Twelve weeks. Or more.") == (
        (told(shown, View(text="Twelve weeks. Or more."))[0]),
        told(shown, View(text="Twelve weeks. Or more."))[1].text,
    )


def test_empty_lines_are_told_with_what_follows_them_and_not_at_the_end() -> None:
    _, shown = told(Streamed(), View(text="One.\n\n"))
    more, last = told(shown, View(text="One.\n\nTwo.\n\n\n"))
    ended = View(text="One.\n\nTwo.\n\n\n", ending=AnswerCompleted(outcome="answered", text="One.\n\nTwo.\n\n\n"))

    assert ("One.", [("\n\nTwo.", "")]) == (shown.text, more)
    assert ([], last) == told(last, ended)


def test_an_open_link_is_kept_back() -> None:
    assert [("See", "")] == told(Streamed(), View(text="See [the page](https://docs.exa"))[0]


def test_a_withdrawn_text_cannot_be_appended_to() -> None:
    assert update_of(Streamed(text="Ten weeks."), View(text="Twelve")) is None


def test_the_ending_completes_every_step() -> None:
    view = View(steps=(SEARCH,), ending=AnswerCompleted(outcome="answered", text="Twelve."))

    assert [("Searching", "complete"), ("Twelve.", "")] == told(Streamed(), view)[0]


def test_a_text_that_needs_several_messages_cannot_be_appended_to() -> None:
    text = "A sentence of some length.\n\n" * 400
    _, shown = told(Streamed(), View(text=text[:8000]))

    assert update_of(shown, View(text=text)) is None
    assert update_of(shown, View(ending=AnswerCompleted(outcome="answered", text=text))) is None
