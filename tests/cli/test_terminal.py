"""A terminal shows the words of documents and models literally, without empty lines after them."""

import io
import json

import pytest
from rich.console import Console

from bot.cli.ask import TerminalPresenter, as_json, print_answer
from bot.cli.console import Terminal
from graph.events import AnswerCompleted, AnswerEvent, DraftWithdrawn, StepStarted, TextWritten
from graph.passages import Source

HOSTILE = "[/dim] [red]x[/nothing]"
SOURCE = Source(number=1, title=HOSTILE, heading=HOSTILE, url=None, dated=None, passage_id=1)


@pytest.fixture
def console() -> Console:
    """A wide terminal that writes to memory."""
    return Console(file=io.StringIO(), width=200)


def said(console: Console) -> str:
    """Return what was written."""
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    "event",
    [
        StepStarted(step="search", title=HOSTILE),
        TextWritten(text=HOSTILE),
        DraftWithdrawn(reason=HOSTILE),
    ],
)
async def test_what_looks_like_markup_is_shown_while_a_run_goes_on(console: Console, event: AnswerEvent) -> None:
    await TerminalPresenter(console, streams=True).show(event)

    assert HOSTILE in said(console)


def test_what_looks_like_markup_is_shown_below_an_answer(console: Console) -> None:
    answer = AnswerCompleted(outcome="answered", text="Twelve. [1]", sources=(SOURCE,), notes=(HOSTILE,))

    print_answer(console, answer)

    assert f"\n[1] {HOSTILE} · {HOSTILE}\n{HOSTILE}\n" in said(console)


async def test_a_streamed_answer_ends_without_empty_lines(console: Console) -> None:
    presenter = TerminalPresenter(console, streams=True)
    for text in ("One.", "\n\n", "Two.\n", "\n\n"):
        await presenter.show(TextWritten(text=text))

    print_answer(console, AnswerCompleted(outcome="answered", text="One.\n\nTwo.\n\n\n"))

    assert said(console) == "One.\n\nTwo.\n\n"


def test_the_text_of_a_json_answer_ends_without_empty_lines() -> None:
    assert "Twelve." == json.loads(as_json(AnswerCompleted(outcome="answered", text="Twelve.\n\n"), "t"))["text"]


STEERING = "a\x1b]0;b\x07\x1b[2Jc\x9b31md\u202ee"
"""Sequences that rename a window, clear and colour a screen, and change the direction of text."""


async def test_nothing_that_is_said_steers_the_terminal() -> None:
    written = io.StringIO()
    terminal = Terminal(file=written, width=200)
    source = Source(number=1, title=STEERING, heading=STEERING, url=None, dated=None, passage_id=1)
    answer = AnswerCompleted(outcome="admitted", text=STEERING, sources=(source,), notes=(STEERING,))

    await TerminalPresenter(terminal, streams=True).show(TextWritten(text=STEERING))
    print_answer(terminal, answer)
    terminal.print(as_json(answer, "t"), markup=False)

    assert not set("\x1b\x07\x9b\u202e") & set(written.getvalue())
    assert "a]0;b[2Jc31mde" in written.getvalue()
