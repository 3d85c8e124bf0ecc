"""Hundreds of hostile strings in every text that people see: no mention, and no unknown link.

Code of others decides what is clickable: a CommonMark parser that finds addresses itself, and Slack's own markup. `make
guard` tries a million strings; every tenth is also tried without our guard, and shows the harm that it would do.
"""

import io
import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import Any, Final, TypeAlias

import pytest
from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.cli.ask import as_json, print_answer, print_question
from bot.cli.console import Terminal, inert
from bot.contributions.add import Added, AddRefused, LeftOut, MessageChosen
from bot.contributions.maintain import Asker, Dispute, KeptAnswer
from bot.conversation.address import ChannelId, PersonId, Ts
from bot.conversation.message_kinds import AssumptionBanner, CardOutcome, Changeable, PartialAnswer
from bot.slack.blocks import cards, review_cards
from bot.slack.blocks.answers import closing_blocks, failure_blocks
from bot.slack.blocks.contributed import added_cards, verified_cards
from bot.slack.blocks.elements import notification, section
from bot.slack.blocks.markdown import safe
from bot.slack.blocks.pages import stopped_pages
from bot.slack.blocks.view import Step, View
from bot.slack.payloads.buttons import ModalOrigin
from bot.slack.presenter.stream_diff import Streamed, update_of
from graph import patterns
from graph.events import AnswerCompleted, ClarificationRequested, Option
from graph.passages import Source
from graph.state import ReviewPacket
from graph.text.invisible import visible
from tests.slack.test_review_cards import PACKET, REVIEW

STRINGS: Final = int(os.environ.get("GUARD_STRINGS", "800"))
CHUNKS: Final = max(4, STRINGS // 4_000)
FIRST: Final = int(os.environ.get("GUARD_FIRST", "0"))
"""The first chunk: parts of a million can be tried at different times."""
DOC: Final = "https://docs.example/leave"
PIECES: Final = [
    *"< > | @ ! # [ ] ( ) ` `` ``` ~~~ \\ * ** _ __ & ; : / . , - + = ~ 1. \" ' \t".split(" "),
    "\n", "\n\n", "\n> ", "\n- ", "\n    ", "\n| a | b |\n|---|---|\n| ", " | ", "\n# ", "\n---\n", "\n```\n",
    "\n[x]: ", " ", " ", "a", "word", "[label](", "![i](", "](", "<http", "&lt;", "&#64;", "&#x3c;", "\u200b", "\u202e",
    "\0", "\r", "@here", "@channel", "@everyone", "<!here>", "<!channel|x>", "<@U0BEN>", "<#C1|g>", "<!subteam^S1>",
    "here", "channel", "https://evil.example/?q=", "http:evil.example", "http://", "https:", "//evil.example",
    "javascript:alert(1)", "data:text/html,x", "www.evil.example", "mailto:a@evil.example", "a@evil.example",
    "evil.example/login", "evil.com", "tel:1", "slack://x", "<https://evil.example|our page>",
    "[win](https://evil.example)", "[win](<https://evil.example>)", DOC, f"[page]({DOC})", f"<{DOC}|page>",
    "ftp://evil.example", "x:", "ev", "il", ".example", "htt", "ps://", "`https://evil.example`",
    "evil.ru", "evil.co.uk/x", "evil.TK", "evil.рф", "www。evil。com", "evil．com", "10.0.0.1/x", "magnet:?x", "\ufe0f",
    "\u0336", "xoxb-1234567890-abcdefgh", "xoxb-", "12345678", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2", "\x1b[2J", "\x9b31m",
]  # fmt: skip
Checked: TypeAlias = Iterator[tuple[str, AbstractSet[str]]]
SOURCE: Final = Source(number=1, title="Leave", heading="", url=DOC, dated=None, passage_id=1)
ORIGIN: Final = ModalOrigin(token="T", channel="C0PEOPLE", thread_ts="")
NOON: Final = datetime(2026, 2, 1, 12, tzinfo=UTC)
STYLES: Final = patterns.compile("\x1b\\[[0-9;]*m")
"""The terminal's own sequence for bold text."""
LONGEST: Final = {"mrkdwn": 3_000, "plain_text": 256, "markdown": 12_000, "markdown_text": 12_000}
SECRETS: Final = patterns.compile(r"xoxb-[\w-]*\d[\w-]{7,}|ghp_[A-Za-z0-9]{20,}")
STEERING: Final = frozenset(map(chr, (*range(9), *range(11, 32), *range(0x7F, 0xA0), *range(0x202A, 0x202F))))
OURS: Final = patterns.compile(r"<@U0\w+>|<#C0\w+>|<!date\^[^<>]*>")
CALLS: Final = patterns.compile(r"<[@!#]|@(?:here|channel|everyone)", patterns.IGNORE_CASE)
SLACK_LINK: Final = patterns.compile(r"<([a-z][a-z0-9+.-]*:[^<>|\s]+)(?:\|[^<>]*)?>", patterns.IGNORE_CASE)
SUSPECT: Final = patterns.compile(f"{CALLS.pattern}|{SECRETS.pattern}|{SLACK_LINK.pattern}", patterns.IGNORE_CASE)
LINKING: Final = patterns.compile(r"\]\(|\]:|<[^\s<>]*[:@]")
"""Without one of these, CommonMark has no links but those in bare text."""
ADDRESSES: Final = LinkifyIt(options={"fuzzy_email": True, "fuzzy_link": True, "fuzzy_ip": True})
READERS: Final = [
    MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]),
    # A reader who knows only lines: a list, a quotation or a table must not hide anything.
    MarkdownIt("commonmark", {"html": False}).disable(["blockquote", "list", "heading", "hr", "code"]),
]


def hostile(seed: int, count: int) -> Iterator[list[str]]:
    """Yield strings, built from typical parts of attacks."""
    chance = random.Random(seed)
    for _ in range(count):
        yield chance.choices(PIECES, k=chance.randint(1, 24))


def clickable(text: str) -> set[str]:
    """Return the addresses that a reader of Markdown, or of Slack's markup, may turn into links."""
    found = {match[1] for match in SLACK_LINK.finditer(text)}
    tokens = list(walk(READERS[0].parse(text)))
    for token in (*tokens, *(walk(READERS[1].parse(text)) if LINKING.search(text) else ())):
        if token.type in ("link_open", "image"):
            found.add(str(token.attrs.get("href") or token.attrs.get("src")))
    for token in tokens:
        if token.type == "text":
            found |= {match.url for match in ADDRESSES.match(token.content) or []}
    return found


def walk(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from walk(token.children or [])


def is_known(url: str) -> bool:
    return url.partition("#")[0] in (DOC, "") or url in ("", DOC)


@lru_cache(maxsize=100)
def faults(text: str) -> frozenset[str]:
    """Return the faults in Markdown; an answer, its stream, its blocks and its JSON show the same text."""
    calls = {match[0] for pattern in (CALLS, SECRETS) for match in pattern.finditer(text)} | STEERING.intersection(text)
    return frozenset(calls | {url for url in clickable(text) if not is_known(url)})


def streamed(pieces: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield the shown text each time it has grown, and whether the whole message was rewritten."""
    shown, text = Streamed(), ""
    for place, piece in enumerate(pieces, 1):
        text += piece
        ending = AnswerCompleted(outcome="answered", text=text, sources=(SOURCE,)) if place == len(pieces) else None
        view = View(text=text, sources=(SOURCE,), ending=ending)
        more = (going_on := update_of(shown, view)) or update_of(Streamed(), view)
        assert more is not None
        if more.shown.text != shown.text:
            yield more.shown.text, going_on is None
        shown = more.shown


def blocks_with(text: str) -> Iterator[Any]:
    """Yield all posted blocks, with a text in each place that others can fill."""
    source = replace_in(SOURCE, title=text, heading=text, dated=text)
    options = [Option(id=str(number), label=text) for number in range(5)]
    menu = Changeable(token="T", revision=1, others=tuple(options[:2]), forgets=True)
    banner = AssumptionBanner(label=text, by=PersonId("U0BEN"), instead_of=text, changeable=menu)
    ended = AnswerCompleted(outcome="answered", text=text, notes=(text,), sources=(source,), recalled=text)
    view = View(ending=ended, sources=(source,), steps=(Step(name="search", title=text),), banner=banner)
    packet: ReviewPacket = {
        **PACKET,
        "question": text,
        "draft": text,
        "issues": [text],
        "sources": [{**source, "text": text}],
    }
    decision = {"kind": "rejected", "text": text}
    review = replace(REVIEW, payload=packet, status="decided", decision=decision, decided_by=PersonId("U0BEN"))
    card = cards.open_card("T", text, options[:4])
    yield from (card, cards.open_card("T", text, options), cards.typed_modal(ORIGIN, card))
    for how in ("answered", "stopped", "edited", "given_up", "superseded", "expired"):
        yield cards.outcome_card(
            "T", text, options, CardOutcome(how=how, by=PersonId("U0BEN"), label=text, changeable=menu)
        )
    yield cards.reminder("U0BEN", text, until=NOON)
    yield closing_blocks(view)
    yield failure_blocks(text, "ref")
    yield [
        page.blocks for page in stopped_pages(PartialAnswer(text=text, sources=(source,)), by="U0BEN", reference="r")
    ]
    yield review_cards.decided_card(review, DOC)
    yield [review_cards.edit_modal(ORIGIN, packet), review_cards.reject_modal(ORIGIN, packet)]
    yield [] if (more := update_of(Streamed(), view)) is None else list(more.chunks)
    yield from knowledge_blocks_with(text)


def knowledge_blocks_with(text: str) -> Iterator[Any]:
    """Yield what people are told privately of additions and verified answers, with a text in each place."""
    ada, today = PersonId("U0ADA"), NOON.date()
    chosen = MessageChosen(channel=ChannelId("C0"), thread_ts=Ts("1.0"), ts=Ts("1.0"), person=ada)
    left_out = (LeftOut(name=text, why="I cannot read this format"),)
    yield added_cards.added(Added(with_text=True, whole_thread=True, files=(text,), left_out=left_out), chosen)
    yield added_cards.offer([text, text], chosen)
    yield [section(added_cards.refused(AddRefused(reason="unreadable", left_out=left_out)))]
    asker = Asker(person=ada, channel=ChannelId("C0"), asked_ts=Ts("1.0"), asked_on=today, question=text)
    answer = KeptAnswer(origin="o", question=text, text=text, writer=ada, writer_name=text, kept_on=today, until=NOON)
    yield verified_cards.answered_since(answer, asker, DOC)
    yield verified_cards.who_is_right(Dispute(answer=answer, title=text, dated=today, said=text))


def shown_in(block: Any) -> Iterator[tuple[str, str]]:
    """Yield each text in blocks and chunks, and how Slack reads it."""
    match block:
        case {"type": "mrkdwn", "text": str(text)}:
            yield ("mrkdwn" if block.get("verbatim") else "links by itself"), text
        case {"type": "plain_text" | "markdown" | "markdown_text" as how, "text": str(text)}:
            yield how, text
        case {"type": "task_update", "title": str(title)}:
            yield from (("plain_text", title), ("mrkdwn", block.get("details", "")))
        case dict():
            yield from (found for value in block.values() for found in shown_in(value))
        case list() | tuple():
            yield from (found for value in block for found in shown_in(value))
        case _:
            pass


def faults_in(how: str, text: str) -> AbstractSet[str]:
    """Return the faults in a block's text."""
    match how:
        case "plain_text":
            return {match[0] for match in SECRETS.finditer(text)} | STEERING.intersection(text) | {"\n"} & set(text)
        case "mrkdwn":
            if not SUSPECT.search(text := OURS.sub("", text) if "<" in text else text):
                return STEERING.intersection(text)
            links = {match[1] for match in SLACK_LINK.finditer(text) if not is_known(match[1])}
            calls = {match[0] for pattern in (CALLS, SECRETS) for match in pattern.finditer(text)}
            return links | calls | STEERING.intersection(text)
        case "markdown" | "markdown_text":
            return faults(text)
        case _:
            return {how}


@pytest.mark.parametrize("seed", range(FIRST, FIRST + CHUNKS))
def test_nothing_hostile_gets_through(seed: int) -> None:
    """Each string in every place; one test, because most places show the same rendered text."""
    found, tried = dict[str, AbstractSet[str]](), Counter[str]()
    for number, pieces in enumerate(hostile(seed, STRINGS // CHUNKS)):
        text = "".join(pieces)
        if number % 10 == 0:
            tried.update(bare=1, bare_faults=bool(faults(text)))
        checks = (in_answers(text), as_it_grows(pieces, tried), in_blocks(text, tried), in_the_terminal(text))
        for place, wrong in chain.from_iterable(checks):
            if wrong:
                found[text] = {place, *wrong}
    print(f"Chunk {seed}, {STRINGS // CHUNKS} strings: {len(found)} got through. {dict(tried)}")  # noqa: T201

    assert {} == found
    assert tried["bare_faults"] > tried["bare"] // 2
    assert tried["appends"] > STRINGS // CHUNKS // 2
    # Pieces end anywhere; the released text ends with a sentence.
    assert tried["begun_anew"] <= 0.06 * tried["prefixes"]


def in_answers(text: str) -> Checked:
    yield "answer", faults(safe(text, links=(DOC,)))


def as_it_grows(pieces: list[str], tried: Counter[str]) -> Checked:
    """Check what is shown after each piece."""
    tried.update(prefixes=len(pieces))
    for shown, is_anew in streamed(pieces):
        tried.update(appends=1, begun_anew=is_anew)
        yield "stream", faults(shown)


def in_blocks(text: str, tried: Counter[str]) -> Checked:
    """Check cards, modals, menus, titles and notifications."""
    for how, shown in {("mrkdwn", notification(text)), *shown_in(list(blocks_with(text)))}:
        tried.update(texts=1)
        yield how, faults_in(how, shown)


def in_the_terminal(text: str) -> Checked:
    """Check what a terminal prints and what a program gets."""
    written = io.StringIO()
    terminal = Terminal(file=written, width=200, force_terminal=True, color_system=None)
    source = replace_in(SOURCE, title=text, heading=text, url=text, dated=text)
    answer = AnswerCompleted(outcome="admitted", text=text, notes=(text,), sources=(source,))
    asked = ClarificationRequested(question=text, options=(Option(id="1", label=text),), interrupt_id="1")
    print_answer(terminal, answer)
    print_question(terminal, asked)
    yield "terminal", steering_or_secret(STYLES.sub("", written.getvalue()))
    # The address of a source is known, whatever it is.
    answer = replace(answer, sources=(replace_in(source, url=DOC),))
    for written_as_json in (as_json(answer, text), as_json(("token", asked), text)):
        yield "json", faults(json.loads(written_as_json).get("text", "")) | steering_or_secret(written_as_json)


def steering_or_secret(text: str) -> AbstractSet[str]:
    return STEERING.intersection(text) | {match[0] for match in SECRETS.finditer(text)}


@pytest.mark.parametrize("text", ["[\x00/evil.example]", "[\x9blink=https://evil.example]our page", "\\", "a\\\\\\"])
def test_a_sign_that_is_left_out_makes_no_markup_of_the_terminal(text: str) -> None:
    """Printing raised an exception, or made a link that hides where it leads."""
    written = io.StringIO()
    terminal = Terminal(file=written, width=200, force_terminal=True, color_system=None)
    terminal.print(f"[dim]{inert(text)}[/dim]")

    assert visible(text) == STYLES.sub("", written.getvalue()).rstrip("\n")


@pytest.mark.parametrize("sign", ["&", "<", "@here ", "a", "http://e.x ", "\n", "* ", "<http://a.b|", "`"])
@pytest.mark.parametrize("size", [80, 300, 1_000, 3_000, 20_000])
def test_no_text_is_longer_than_slack_takes_however_it_is_written(sign: str, size: int) -> None:
    """Slack would refuse the whole message, and nobody would see the card."""
    text = (sign * size)[:size]

    assert [] == [(how, len(shown)) for how, shown in shown_in(list(blocks_with(text))) if len(shown) > LONGEST[how]]


def replace_in(source: Source, **fields: Any) -> Source:
    return Source(**{**source, **fields})


@pytest.mark.parametrize(
    "text",
    [
        "```,xoxb-](12345678]__", "~~~xoxb-\x1b[2J<@U0BEN>javascript:alert(1)x:", "~~~xoxb-1.__channel_\x00!\n",
        "~<httpjavascript:alert(1)\u202exoxb->a12345678[page](https://docs.example/leave)<#C1|g>",
        "**\n> http:evil.examplex:https://evil.example/?q=<https://evil.example|our page>.il>evil.co.uk/x``",
        "@channel<@U0BEN>channel\u200b.ps://", "[our page](javascript:x).il", "our.[com](data:x)", "![our page](x).il",
        "[our page](http:x).il", "our.<javascript:x|com>", "evil\u200d.com", "evil\u2060.co.uk", "![x`page`](x).il",
        "<https://docs.example/leave|page>.il", "`a`]<https://x.example|page>.il", "_10.0.0.1/x>__10.0.0.1/x&_",
        "_www.evil.unknown_", "_ftp://evil_", "http\\~.ps://", "`a`\\*.com", "\\_.com",
        "\n# '```//a=\x9b31mwww.evil.examplehttps:\r#`````il", "\n> <http@word\n[x]: #<@U0BEN>]#\n",
    ],
)  # fmt: skip
def test_markup_that_is_left_out_joins_no_credential_and_no_address(text: str) -> None:
    """A million strings found these cases."""
    assert set() == faults(safe(text, links=(DOC,)))


@pytest.mark.parametrize(
    "text",
    [
        "xoxb-`12345678__`a",
        "xoxb-**1234**5678",
        "xoxb-~~1234~~5678",
        f"xoxb-[12345678]({DOC})",
        f"[xoxb-]({DOC})12345678",
        "[win](<https://evil.example>)=]([xoxb-\x9b31mev[win](<https://evil.example>)>\n---\n",
        "| a | b |\n|---|---|\n| xoxb-**12345678** | x |",
    ],
)
def test_markup_divides_no_credential(text: str) -> None:
    """A reader does not see the markup, and reads both parts as one word."""
    shown = f"The key:\n\n{text}\n\n**bold** [page]({DOC})"
    read = safe(shown, links=(DOC,)).replace(f"]({DOC})", "").translate(dict.fromkeys(map(ord, "`*~[")))

    assert [] == [match[0] for match in SECRETS.finditer(read)]
    assert f"**bold** [page]({DOC})" in safe(shown, links=(DOC,))


def test_a_code_block_keeps_its_language() -> None:
    assert "```c++\nx\n```" == safe("```c++ numbered\nx\n```", links=())
