"""The guard removes all mentions and unknown links, and nothing else."""

import time
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.message_kinds import CardOutcome
from bot.slack.blocks.addresses import linkable
from bot.slack.blocks.answers import source_line
from bot.slack.blocks.cards import open_card, outcome_card
from bot.slack.blocks.elements import notification
from bot.slack.blocks.markdown import RenderingWarning, escaped, linked, pieces, plain, rendered_or_code, safe, spans
from bot.slack.blocks.markdown_prefix import stable_prefix
from bot.slack.blocks.pages import answer_pages, draft_pages
from bot.slack.blocks.view import Step, View
from bot.slack.presenter.stream_diff import Streamed, update_of
from graph.events import AnswerCompleted, Option
from graph.passages import Source
from tests.slack.test_guard import faults

DOC = "https://docs.example/leave"
FOREIGN_HOSTS = (
    "evil.ru", "evil.co.uk", "EVIL.TK", "evil.zip", "evil.рф", "www。evil。com", "evil。com/login", "evil．com",
    "evil｡com", "1.2.3.4/x", "evil.rocks", "login.evil.agency/x", "EVIL.TEAM", "evil.xn--p1ai",
    "evil.bond", "evil.lifestyle", "Evil.Zone", "Evil.Ai", "Evil.Com", "evil.it",
)  # fmt: skip
NO_HOSTS = (
    "Use Node.js on Friday.It is fine.You may ask.How it works",
    "Ask on Friday.Please e.g.this",
    "z.B. am 24.12./25.12. um 10.5/8",
    "使います。次に",
    "a.m./p.m., v1.2.3/x, 3.50/Monat",
)
LINKS = frozenset({DOC, "https://docs.example/a_(b)", "javascript:alert(1)"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain **bold** text [1][2].", "Plain **bold** text [1][2]."),
        (f"See [the page]({DOC}).", f"See [the page]({DOC})."),
        (f"See [the page]({DOC}#twins).", f"See [the page]({DOC}#twins)."),
        (f"See {DOC}.", f"See [{DOC}]({DOC})."),
        (f"(see {DOC})", f"(see [{DOC}]({DOC}))"),
        ("see https://docs.example/a_(b)", "see [https://docs.example/a_(b)](https://docs.example/a_(b))"),
        (f"See <{DOC}>.", f"See [{DOC}]({DOC})."),
        (f"See <{DOC}|the page>.", f"See [the page]({DOC})."),
        ("[win](https://evil.example)", "win (`https://evil.example`)"),
        ('[win](https://evil.example "title")', "win (`https://evil.example`)"),
        ("[win](<https://evil.example>)", "win (`https://evil.example`)"),
        ("![pixel](https://evil.example/?q=secret)", "pixel"),
        ("see https://evil.example/?q=1.", "see `https://evil.example/?q=1`."),
        ("see www.evil.example", "see `www.evil.example`"),
        ("<https://evil.example|our page>", "our page"),
        ("<https://evil.example>", "`https://evil.example`"),
        (f"[{DOC}](https://evil.example)", f"`{DOC}` (`https://evil.example`)"),
        (f"[https://evil.example]({DOC})", f"[`https://evil.example`]({DOC})"),
        ("[run](javascript:alert(1))", "run"),
        ("[a [b] c](https://evil.example)", "a [b] c (`https://evil.example`)"),
        ("[a\\]b](https://evil.example)", "a]b (`https://evil.example`)"),
        ("[a](https://evil.example and more)", "[a] (`https://evil.example` and more)"),
        ("[a [b [c]]](x)", "a [b [c]]"),
        ("[1]: https://evil.example", "[1] : `https://evil.example`"),
        ("write to <name> at <b>", "write to <name> at <b>"),
        ("a < b and b > c", "a < b and b > c"),
        ("run `curl https://x.example` now", "run `curl https://x.example` now"),
        ("```\ncurl https://x.example\n```", "```\ncurl https://x.example\n```"),
        ("\\`https://evil.example\\`", "'`https://evil.example`'"),
        ("- run\n  ```\n  make check\n\n  make demo\n  ```\n- done", "- run\n\n  `make check`\n  `make demo`\n- done"),
        ("1. a\n   - b\n   - c\n2. d", "1. a\n   - b\n   - c\n2. d"),
        (
            "| a | b |\n|:-|-:|\n| x \\| y | [p](" + DOC + ") |",
            "| a | b |\n| :--- | ---: |\n| x \\| y | [p](" + DOC + ") |",
        ),
        ("2*3*4 and *so* and _so_ and ~~no~~", "2*3*4 and *so* and _so_ and ~~no~~"),
        ("write to <ada@x.example>", "write to `ada@x.example`"),
        ("Ask: ada@x.example, or (ben@x.example).", "Ask: `ada@x.example`, or (`ben@x.example`)."),
        *((f"see {host}", f"see `{host}`") for host in FOREIGN_HOSTS),
        *((text, text) for text in NO_HOSTS),
        ("a | b\n:-- foo", "a | b\n:-- foo"),
        ("write to a=b@evil.example", "write to `a=b@evil.example`"),
        ("run `cat a | grep b`", "run `cat a | grep b`"),
        ("> said\n> > deeper", "> said\n>\n> > deeper"),
        ("text\n---\nmore", "text\n\n---\n\nmore"),
        ("#hash is no heading", "#hash is no heading"),
    ],
)
def test_only_links_of_the_sources_work(text: str, expected: str) -> None:
    assert expected == safe(text, links=LINKS)


@pytest.mark.parametrize(
    "text",
    [
        "<!channel> hi",
        "<!here|here> hi",
        "<@UBEN> hi",
        "<@UBEN|ben> hi",
        "<#C1|general>",
        "<!subteam^S1|@ops>",
        "@here @channel @everyone @Here",
        "`<!channel>` and `@here`",
        "```\n<@UBEN>\n```",
        "<[!channel](x)>",
        "<[@UBEN](x)>",
        "@[here](https://evil.example)",
        "[@here](https://docs.example/leave)",
        "<<!channel>>",
        "<![channel](x)>",
        "@herehere",
    ],
)
def test_nobody_is_called(text: str) -> None:
    shown = safe(text, links=LINKS).lower()

    assert not any(call in shown for call in ("<@", "<!", "<#", "@here", "@channel", "@everyone"))


@given(
    st.lists(st.sampled_from(["<", "@", "!", "here", "[", "]", "(", ")", "`", "|", "https://e.example", "UB", "\n"]))
)
def test_no_combination_calls_or_links(parts: list[str]) -> None:
    shown = safe("".join(parts), links=())

    assert not any(call in shown for call in ("<@", "<!", "@here"))
    # In code, the marks are only text.
    assert "`" in parts or not any(link in shown for link in ("](https", "<https"))


@pytest.mark.parametrize("piece", ["[", "`", "<", "![a](", "```\n", "www.", "(("])
def test_hostile_repetition_takes_no_time(piece: str) -> None:
    began = time.process_time()
    safe(piece * (12_000 // len(piece)), links=LINKS)

    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Whole sentences. [1]\n", "Whole sentences. [1]\n"),
        ("Before\n```\nhalf of it", "Before\n"),
        ("Before\n```\nall of it\n```\n", "Before\n```\nall of it\n```\n"),
        ("Half a `code", "Half a "),
        ("See [the page", "See "),
        ("See [the page](https://docs", "See "),
        ("See <https://docs", "See "),
        ("See https://docs", "See "),
        ("See https://docs.example now", "See https://docs.example now"),
    ],
)
def test_what_is_left_open_is_kept_back(text: str, expected: str) -> None:
    assert expected == stable_prefix(text)


WORDS = [
    "a sentence. ",
    "[the page](https://docs.example/leave) ",
    "`code` ",
    "```\nx\n```\n",
    "**b** ",
    "\n\n",
    "[1] ",
]


@given(st.lists(st.sampled_from(WORDS), max_size=12), st.data())
def test_what_is_settled_looks_the_same_later(words: list[str], data: st.DataObject) -> None:
    text = "".join(words)
    now = text[: data.draw(st.integers(0, len(text)))]

    assert safe(text, links=LINKS).startswith(safe(stable_prefix(now), links=LINKS).rstrip())


def test_links_and_code_within_a_line_are_kept_whole_and_code_of_its_own_lines_is_not() -> None:
    text = f"See [the page]({DOC}) or `this`.\n```\nthat\n```\n"

    assert [f"[the page]({DOC})", "`this`"] == sorted((text[begin:end] for begin, end in spans(text)), key=len)[::-1]


def test_pieces_end_between_paragraphs() -> None:
    text = "\n\n".join(["word " * 60] * 10).strip()
    found = pieces(text, limit=1000)

    assert all(len(piece) <= 1000 for piece in found)
    assert text.split() == " ".join(found).split()
    assert all(piece.endswith("word") for piece in found)


def test_pieces_never_end_within_a_link() -> None:
    link = f"[{'a long label ' * 5}]({DOC})"
    found = pieces(f"{'x' * 60} {link} end", limit=100)

    assert link in " ".join(found)
    assert any(link in piece for piece in found)


def test_text_without_a_place_to_divide_is_divided_all_the_same() -> None:
    assert pieces("x" * 9, limit=4) == ["xxxx", "xxxx", "x"]


def test_mrkdwn_shows_what_was_meant() -> None:
    assert escaped("a <!here> & @here") == "a &lt;!here&gt; &amp; @\u2060here"


@pytest.mark.parametrize(
    ("url", "title", "expected"),
    [
        (DOC, "Leave | 2024", f"<{DOC}|Leave ¦ 2024>"),
        (DOC + "?a=1&b=2", "<b>", f"<{DOC}?a=1&amp;b=2|&lt;b&gt;>"),
        ("javascript:alert(1)", "Leave", "Leave"),
        (DOC + "@here", "Leave", f"<{DOC}%40here|Leave>"),
        ("https://x.example|fake>", "Leave", "Leave"),
        (None, "Leave", "Leave"),
        (None, "Leave\n[2] Pay\u2028[3] Sick", "Leave [2] Pay [3] Sick"),
    ],
)
def test_titles_link_where_they_can(url: str | None, title: str, expected: str) -> None:
    assert expected == linked(url, title)


def test_only_web_addresses_are_clickable() -> None:
    assert [linkable(url) for url in (DOC, "file:///etc/passwd", "https://a b")] == [True, False, False]


SIGNS = "< > | <|> @ ! # [ ] ( ) ` ``` ~~~ \\ * _ a &lt; https://e.example www.e.example mailto:a@e.example javascript:"
PARTS = st.sampled_from([*SIGNS.split(), "\n", "\n\n", "> ", "- ", "\0", "\u202e", "\ud800"])
ANY_TEXT = st.one_of(st.text(), st.lists(PARTS, max_size=40).map("".join))


def test_three_characters_in_a_sentence_do_not_make_it_unanswerable() -> None:
    assert "Write a<|>b." == safe("Write a<|>b.", links=()).replace("\\", "")


@given(ANY_TEXT, st.data())
def test_whatever_the_text_is_it_is_rendered(text: str, data: st.DataObject) -> None:
    prefix = text[: data.draw(st.integers(0, len(text)))]
    said = AnswerCompleted(outcome="answered", text=text, notes=(text,), recalled=text)
    view, option = View(text=prefix, steps=(Step(name="write", title=text),)), Option(id="1", label=text)
    source = Source(number=1, title=text, heading=text, url=text, dated=text, passage_id=1)

    answer_pages(View(ending=said, sources=(source,)))
    update_of(Streamed(), view)
    draft_pages(view)
    notification(text)
    source_line(source)
    open_card("T", text, [option])
    outcome_card("T", text, [option], CardOutcome(how="answered", label=text))


def test_what_cannot_be_rendered_is_shown_as_plain_text_and_a_warning_says_where_without_the_words() -> None:
    def fails(_text: str) -> NoReturn:
        raise LookupError("These words are Ada's.")

    with pytest.warns(RenderingWarning, match=r"LookupError in fails, line \d+") as caught:
        (shown,) = rendered_or_code(fails, "a <!here> ``` [x](y)")
    assert "```\na <!here> ``` [x](y)\n```" == shown.replace("\u2060", "")
    assert "Ada" not in str(caught[0].message)


def test_a_host_before_low_lines_that_may_end_an_emphasis_is_code() -> None:
    """The code that we make of what stands before lets the low lines begin one, and what they hold is a host."""
    assert "`evil.com`__" in safe("tel:1*@everyone__:\n    \\**evil.com__", links=())
    assert "`evil" not in safe("evil.com_old", links=())


@pytest.mark.parametrize("host", ["word|.il", "~~~.ps", "a=.com", "a+.rocks", "\u0336.com"])
def test_signs_that_no_host_has_make_no_host(host: str) -> None:
    assert "`" in safe(host, links=())


@pytest.mark.parametrize("sign", ["*", "**", "~~", "_", "> ", "- "])
@pytest.mark.filterwarnings("ignore::bot.slack.blocks.markdown.RenderingWarning")
def test_nesting_that_no_parser_follows_makes_no_link(sign: str) -> None:
    shown = safe(f"{f'{sign}a ' * 400}[win](https://evil.example) <!channel>{f' a{sign}' * 400}", links=[])

    assert set() == faults(shown)


@pytest.mark.parametrize("sign", ["[", "![", "`[", "[a](", "[a][b] "])
def test_brackets_without_end_hold_nobody_up(sign: str) -> None:
    begun = time.process_time()

    shown = safe(sign * (60_000 // len(sign)), links=[])

    # More than twenty seconds would end the process.
    assert time.process_time() - begun < 4
    assert len(shown) > 50_000


@pytest.mark.parametrize("sign", ["*_", "*a ", "<!", "~~a ", "`a "])
def test_what_of_a_growing_text_may_be_shown_is_found_in_no_time(sign: str) -> None:
    began = time.process_time()

    stable_prefix(sign * (60_000 // len(sign)))

    assert time.process_time() - began < 2


def test_a_source_whose_address_holds_a_key_has_no_link() -> None:
    assert linked("https://wiki.example/?token=xoxb-123456789-abcdefgh", "Wiki") == "Wiki"


def test_a_key_that_unseen_signs_divide_stands_in_no_label() -> None:
    assert plain("Use xoxb-1234\r5678-abcdefgh", limit=75) == "Use [removed]"


def test_what_nobody_sees_is_no_empty_label() -> None:
    assert "…" == plain("\u202e\u2066", limit=75)
