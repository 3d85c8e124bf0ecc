"""A terminal shows the words of documents and models literally, without empty lines after them."""

import io
import json

import pytest
from rich.console import Console

from bot.cli.ask import TerminalPresenter, as_json, print_answer
from bot.cli.console import Terminal, laid_out
from graph.events import AnswerCompleted, AnswerEvent, DraftWithdrawn, SourcesFound, StepStarted, TextWritten
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
    presenter = TerminalPresenter(console, streams=True)

    await presenter.show(event)
    await presenter.fail("It broke.")

    assert HOSTILE in said(console)


def test_what_looks_like_markup_is_shown_below_an_answer(console: Console) -> None:
    answer = AnswerCompleted(outcome="answered", text="Twelve. [1]", sources=(SOURCE,), notes=(HOSTILE,))

    print_answer(console, answer)

    assert f"\n[1] {HOSTILE} · {HOSTILE}\n{HOSTILE}\n" in said(console)


async def test_a_streamed_answer_ends_without_empty_lines(console: Console) -> None:
    presenter = TerminalPresenter(console, streams=True)
    for text in ("One.", "\n\n", "Two.\n", "\n\n"):
        await presenter.show(TextWritten(text=text))
    answer = AnswerCompleted(outcome="answered", text="One.\n\nTwo.\n\n\n")
    await presenter.show(answer)

    print_answer(console, answer)

    assert said(console) == "One.\n\nTwo.\n\n"


async def printed(*texts: str, is_screen: bool = True) -> str:
    """Return what a terminal, or a file, gets to see of an answer with one source."""
    written = io.StringIO()
    terminal = Terminal(
        file=written, width=200, force_terminal=is_screen, color_system="standard" if is_screen else None
    )
    presenter = TerminalPresenter(terminal, streams=True)
    source = Source(number=1, title="Leave", heading="", url="https://good.example/a", dated=None, passage_id=1)
    await presenter.show(SourcesFound(sources=(source,)))
    for text in texts:
        await presenter.show(TextWritten(text=text))
    await presenter.show(AnswerCompleted(outcome="answered", text="".join(texts)))
    return written.getvalue()


async def test_bold_text_is_bold_on_a_screen_and_plain_in_a_file() -> None:
    texts = ("## Leave\n\n**Por", "to:** 25 days [1]. 2 \\* 3, `a**b**c`\n")

    assert "\x1b[1mLeave\x1b[0m\n\n\x1b[1mPorto:\x1b[0m 25 days [1]. 2 * 3, `a**b**c`\n" == await printed(*texts)
    assert "Leave\n\nPorto: 25 days [1]. 2 * 3, `a**b**c`\n" == await printed(*texts, is_screen=False)


async def test_code_stays_as_it_is_and_whole() -> None:
    code = "Run:\n\n```\na = 2**3**4\n\n# b\n```"

    assert f"{code}\n" == await printed(*code, is_screen=False)
    assert "```\na\n" in await printed("```\na", is_screen=False), "Code that does not end is printed, too."


@pytest.mark.parametrize(
    ("markdown", "plain", "bold"),
    [
        ("rate is 10**-3 and 10**-6", "rate is 10**-3 and 10**-6", ""),
        ("f(x) = x**(n) + y**(m)", "f(x) = x**(n) + y**(m)", ""),
        ("**bold `c**d` x**", "bold `c**d` x", "bold `c**d` x"),
        ("**2 * 3 = 6**", "2 * 3 = 6", "2 * 3 = 6"),
        ("a **b** \\* c ** d", "a b * c ** d", "b"),
        ("“**b**” and **“c”**", "“b” and “c”", "b“c”"),
        ("~~~\n```\n**a**\n~~~\n**b**", "~~~\n```\n**a**\n~~~\nb", "b"),
        ("````\n```\n**a**\n````\n**b**", "````\n```\n**a**\n````\nb", "b"),
    ],
)
def test_stars_are_bold_by_markdowns_rule(markdown: str, plain: str, bold: str) -> None:
    shown = laid_out(markdown)

    assert (plain, bold) == (shown.plain, "".join(shown.plain[span.start : span.end] for span in shown.spans))


KEY = "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nsecretbody\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----"


@pytest.mark.parametrize(
    "text",
    [
        f"The key:\n\n{KEY}\n\nIt is old.",
        "1. One\n\n   - a\n\n     - b\n\n2. Two\n\nThe end.",
        "Run:\n\n~~~\na\n\n```\n**b**\n~~~\n\n**c**",
        "Run:\n\n````\n```\na\n\n```\n\n**b**\n````\n\n**c** ~~~\n\nd",
        "> a\n>\n> b\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n# c",
    ],
)
async def test_what_is_printed_bit_by_bit_is_what_is_printed_at_once(text: str) -> None:
    said = await printed(*text)

    assert await printed(text) == said
    assert "secretbody" not in said


async def test_an_address_of_no_source_is_code_and_no_label_hides_one() -> None:
    said = await printed("See [here](https://evil.example/x) and [there](https://good.example/a).")

    assert "See here (`https://evil.example/x`) and [there](https://good.example/a)." in said


async def test_a_paragraph_is_printed_as_soon_as_it_is_whole(console: Console) -> None:
    presenter = TerminalPresenter(console, streams=True)
    await presenter.show(StepStarted(step="write", title="Writing"))
    await presenter.show(TextWritten(text="One **and"))
    assert "· Writing\n" == said(console)

    await presenter.show(TextWritten(text=" a half.**\n\nTwo."))
    assert "· Writing\n\nOne and a half.\n" == said(console)

    await presenter.show(DraftWithdrawn(reason="It fell short."))
    await presenter.show(TextWritten(text="Three."))
    await presenter.fail("It broke.")
    assert "· Writing\n\nOne and a half.\n\n· Taken back: It fell short.\n\nThree.\n" == said(console)


def test_the_text_of_a_json_answer_ends_without_empty_lines() -> None:
    assert "Twelve." == json.loads(as_json(AnswerCompleted(outcome="answered", text="Twelve.\n\n"), "t"))["text"]


STEERING = "a\x1b]0;b\x07\x1b[2Jc\x9b31md\u202ee"
"""Sequences that rename a window, clear and colour a screen, and change the direction of text."""


async def test_nothing_that_is_said_steers_the_terminal() -> None:
    written = io.StringIO()
    terminal = Terminal(file=written, width=200)
    source = Source(number=1, title=STEERING, heading=STEERING, url=None, dated=None, passage_id=1)
    answer = AnswerCompleted(outcome="admitted", text=STEERING, sources=(source,), notes=(STEERING,))

    presenter = TerminalPresenter(terminal, streams=True)
    await presenter.show(TextWritten(text=STEERING))
    await presenter.fail(STEERING)
    print_answer(terminal, answer)
    terminal.print(as_json(answer, "t"), markup=False)

    assert not set("\x1b\x07\x9b\u202e") & set(written.getvalue())
    assert "a]0;b[2Jc31mde" in written.getvalue()
