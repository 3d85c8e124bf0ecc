"""Answers and failures are blocks that Slack accepts."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from slack_sdk.models.blocks import Block as SdkBlock

from bot.conversation.address import PersonId
from bot.conversation.message_kinds import AssumptionBanner, Changeable
from bot.slack.blocks.answers import answer_text, closing_blocks, failure_blocks, misplaced_block, source_line
from bot.slack.blocks.elements import Block, button, notification, whole_lines
from bot.slack.blocks.parts import ANSWER_LIMIT, PART_LIMIT
from bot.slack.blocks.view import View
from graph.events import AnswerCompleted, Option
from graph.passages import Source
from playground.blocks.block_kit import check_message


def source(number: int = 1, **fields: str | None) -> Source:
    plain = {
        "title": "Leave",
        "heading": "Parents",
        "url": "https://docs.example/leave",
        "dated": "2025-03-01",
    } | fields
    return Source(
        number=number,
        title=plain["title"] or "",
        heading=plain["heading"] or "",
        url=plain["url"],
        dated=plain["dated"],
        passage_id=7,
    )


def completed(text: str = "Twelve weeks [1].", *, sources: Sequence[Source] = (), notes: Sequence[str] = ()) -> View:
    return View(ending=AnswerCompleted(outcome="answered", text=text, sources=tuple(sources), notes=tuple(notes)))


def valid(blocks: Sequence[Block]) -> bool:
    for block in SdkBlock.parse_all(blocks):
        block.validate_json()
    return len(blocks) <= 50


def test_below_an_answer_are_notes_sources_and_buttons() -> None:
    blocks = closing_blocks(completed(sources=[source()], notes=["I took it to mean *EU*."]))

    assert valid(blocks)
    assert [block["type"] for block in blocks] == ["context", "context", "context_actions"]
    assert blocks[1]["elements"][0]["text"] == "[1] <https://docs.example/leave|Leave › Parents> · 2025-03-01"


@pytest.mark.parametrize(("outcome", "rated"), [("answered", True), ("admitted", True), ("conversed", False)])
def test_only_answers_are_rated(outcome: str, rated: bool) -> None:
    view = View(ending=AnswerCompleted(outcome=outcome, text="Hello"))  # pyright: ignore[reportArgumentType]

    assert rated == ("context_actions" in [block["type"] for block in closing_blocks(view)])


def test_what_stands_below_an_answer_leaves_its_last_part_room() -> None:
    many = [source(number, title="A handbook page with a long title") for number in range(1, 60)]
    blocks = closing_blocks(completed(sources=many, notes=["A caveat of some length. " * 10] * 4))

    assert valid(blocks)
    assert sum(len(str(block)) for block in blocks) + PART_LIMIT < 13_172


def test_all_that_can_stand_below_an_answer_leaves_its_last_part_room() -> None:
    many = [{**source(number, title="A handbook page"), "flagged": f"{number}: doubtful " * 40} for number in range(60)]
    others = tuple(Option(id=f"id{place}", label="A long reading " * 9) for place in range(4))
    answer = AnswerCompleted(
        outcome="answered",
        text="Twelve weeks [1].",
        sources=tuple(many),  # pyright: ignore[reportArgumentType]
        notes=("A caveat of some length. " * 20,) * 4,
        follow_ups=("What does the handbook say about parental leave in Porto?",) * 2,
        has_wish=True,
    )
    banner = AssumptionBanner(
        label="A reading " * 40,
        instead_of="Another one " * 40,
        by=PersonId("U0ADA"),
        changeable=Changeable(token="tok", revision=1, others=others),
    )
    view = View(ending=answer, banner=banner, asker="U0ADA", clicked="Why? " * 90, untagged="C1:1.1", is_shareable=True)

    check_message([{"type": "markdown", "text": "x" * PART_LIMIT}, *closing_blocks(view)])


def test_an_answer_that_does_not_end_is_cut_and_says_so() -> None:
    text = answer_text(completed("A sentence of some length.\n\n" * 3000))

    assert ANSWER_LIMIT - 3000 < len(text) < ANSWER_LIMIT + 100
    assert text.endswith("length.\n\n_The rest is left out: an answer has at most 60,000 characters._")


def test_code_that_does_not_end_is_closed_before_it_is_said_so() -> None:
    text = answer_text(completed("```\n" + "x = 1\n" * 20_000))

    assert text.endswith("x = 1\n```\n\n_The rest is left out: an answer has at most 60,000 characters._")


def test_hostile_titles_and_notes_call_nobody() -> None:
    hostile = "<!channel> <@UBEN> @here [x](https://evil.example)"
    view = completed(hostile, sources=[source(title=hostile, url=None)], notes=[hostile])
    blocks = closing_blocks(view)
    text = answer_text(view) + json.dumps(blocks, ensure_ascii=False)

    assert valid(blocks)
    assert not any(call in text for call in ("<!channel", "<@UBEN", "@here"))


def test_small_print_makes_no_links_by_itself() -> None:
    note = closing_blocks(completed(notes=["see https://evil.example"]))[0]["elements"][0]

    assert note["verbatim"]


def test_a_failure_names_its_reference_and_offers_to_retry() -> None:
    blocks = failure_blocks("The documents cannot be searched just now.", "R-42")

    assert valid(blocks)
    assert blocks[1]["elements"][0]["text"] == "Reference: `R-42`"
    assert (blocks[2]["elements"][0]["action_id"], blocks[2]["elements"][0]["value"]) == ("retry", "R-42")


def test_a_source_without_link_heading_or_date_is_its_title() -> None:
    assert source_line(source(3, heading="Leave", url=None, dated=None)) == "[3] Leave"
    assert source_line({**source(3, url=None), "recognised": "read by OCR"}).endswith(" · read by OCR")


def test_long_labels_lines_and_notifications_are_shortened() -> None:
    assert len(button("x" * 200, "a", "v")["text"]["text"]) == 75
    assert whole_lines("a\nb\nc", limit=4) == "a\nb"
    assert whole_lines("abcdef", limit=4) == "…"
    assert len(notification("x" * 1000)) == 300


def test_a_direct_message_says_where_it_belongs() -> None:
    assert valid([misplaced_block("C1", is_shared=False), misplaced_block("C1", is_shared=True)])


def test_a_revised_answer_says_so_and_has_the_menu_where_no_card_has_it() -> None:
    menu = Changeable(token="tok", revision=1, others=(Option(id="a", label="Hamburg"),))
    banner = AssumptionBanner(label="Porto <!here>", instead_of="Hamburg", by=PersonId("UADA"), changeable=None)
    with_card, without = (replace(completed(), banner=replace(banner, changeable=one)) for one in (None, menu))

    assert "Revised: *Porto &lt;!here&gt;* instead of *Hamburg*, chosen by <@UADA>." in json.dumps(
        closing_blocks(with_card)
    )
    assert "accessory" not in closing_blocks(with_card)[0]
    assert "overflow" == closing_blocks(without)[0]["accessory"]["type"]
    assert all(
        (parsed := SdkBlock.parse(block)) and parsed.validate_json() is None for block in closing_blocks(without)
    )


def test_a_question_that_its_button_would_show_otherwise_is_not_offered() -> None:
    hidden, secret = "What does it say about “\u202eTips”?", f"Is AKIA{'Q3' * 8} the key?"
    ended = AnswerCompleted(outcome="answered", text="Twelve.", follow_ups=("Can I park here?", hidden, secret))
    values = [one.get("value") for block in closing_blocks(View(ending=ended)) for one in block.get("elements", [])]

    assert "Can I park here?" in values
    assert not {hidden, secret} & {*values}


def test_if_no_question_can_be_offered_there_are_no_buttons_for_them() -> None:
    ended = AnswerCompleted(outcome="conversed", text="Hello.", follow_ups=("Is it “\u202eso”?",))

    assert [] == closing_blocks(View(ending=ended))
