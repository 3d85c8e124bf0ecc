"""The card shows the state of its question, within Slack's limits."""

import json
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from slack_sdk.models.blocks import Block as SdkBlock
from slack_sdk.models.views import View as SdkView

from bot.conversation.address import PersonId
from bot.conversation.inputs import ClickRefused, Refusal
from bot.conversation.message_kinds import CardOutcome, Changeable, Ending
from bot.slack.blocks.cards import (
    approval_card,
    approval_modal,
    asked_again_card,
    open_card,
    outcome_card,
    refusal,
    refusal_in_modal,
    reminder,
    typed_modal,
)
from bot.slack.blocks.elements import Block, modal, section
from bot.slack.blocks.menus import changeable_text
from bot.slack.payloads.buttons import ModalOrigin
from bot.tools.mcp.arguments import LONGEST, MOST_ARGUMENTS
from graph.events import Option
from graph.tools import PlannedChange, fingerprint

ADA = PersonId("UADA")
OPTIONS = (Option(id="path:1=lumen", label="Lumen Desk"), Option(id="path:1=pine", label="Pine Router"))
QUESTION = "Which product do you mean?"


def valid(blocks: list[Block]) -> bool:
    for block in SdkBlock.parse_all(blocks):
        block.validate_json()
    return True


def settled(how: Ending, *, by: PersonId | None = ADA, label: str = "Lumen Desk") -> list[Block]:
    return outcome_card("tok", QUESTION, OPTIONS, CardOutcome(how=how, by=by, label=label))


def test_an_open_card_offers_the_readings_other_words_and_to_go_on() -> None:
    card = open_card("tok", QUESTION, OPTIONS)
    buttons = [(each["text"]["text"], each["action_id"], each["value"]) for each in card[1]["elements"]]

    assert valid(card)
    assert buttons == [
        ("Lumen Desk", "option:0", "tok|path:1=lumen"),
        ("Pine Router", "option:1", "tok|path:1=pine"),
        ("Something else…", "something_else", "tok"),
        ("Just answer", "just_answer", "tok"),
    ]


def test_an_answered_card_says_who_chose_what() -> None:
    card = settled("answered")

    assert valid(card)
    assert card[1]["elements"][0]["text"] == "<@UADA> chose *Lumen Desk*."


@pytest.mark.parametrize("how", ["answered", "expired"])
def test_a_settled_card_keeps_one_menu_to_choose_again(how: Ending) -> None:
    menu = Changeable(token="tok", revision=0, others=OPTIONS[1:])
    card = outcome_card("tok", QUESTION, OPTIONS, CardOutcome(how=how, by=ADA, label="Lumen Desk", changeable=menu))

    assert valid(card)
    assert ["overflow"] == [block["accessory"]["type"] for block in card if "accessory" in block]
    assert "Lumen Desk" in card[-1]["text"]["text"]


@pytest.mark.parametrize("count", [5, 20])
def test_more_than_four_options_are_one_menu_with_all_of_them(count: int) -> None:
    many = [Option(id=f"{number:08}", label=f"Team {number} " * 12) for number in range(count)]
    card = open_card("t" * 16, QUESTION, many)
    menu, *others = card[1]["elements"]

    assert valid(card)
    assert ("static_select", "option:menu", count) == (menu["type"], menu["action_id"], len(menu["options"]))
    assert all(len(entry["text"]["text"]) <= 75 and len(entry["value"]) <= 75 for entry in menu["options"])
    assert ["Something else…", "Just answer"] == [other["text"]["text"] for other in others]


@pytest.mark.parametrize("how", ["answered", "superseded", "expired", "given_up"])
def test_a_settled_card_of_many_options_fits(how: Ending) -> None:
    many = [Option(id=f"{number:08}", label=f"Team {number} " * 40) for number in range(20)]
    menu = Changeable(token="tok", revision=0, others=tuple(many[1:]))
    card = outcome_card("tok", QUESTION, many, CardOutcome(how=how, by=ADA, label="Team 0", changeable=menu))

    assert valid(card)


def test_an_answered_card_says_who_chose_nothing() -> None:
    assert settled("answered", label="")[1]["elements"][0]["text"] == "<@UADA> said: just answer."


def test_a_superseded_card_keeps_one_button() -> None:
    card = settled("superseded")

    assert valid(card)
    assert [(each["action_id"], each["value"]) for each in card[-1]["elements"]] == [("ask_again", "tok")]


def test_the_card_of_an_edited_question_says_so_and_offers_nothing() -> None:
    card = settled("edited")

    assert valid(card)
    assert "The question was edited." == card[-1]["elements"][0]["text"]


def test_the_card_of_a_question_that_was_given_up_offers_nothing() -> None:
    card = settled("given_up")

    assert valid(card)
    assert "<@UADA> needs no answer any more." == card[-1]["elements"][0]["text"]


@pytest.mark.parametrize(
    ("label", "text"), [("", "Nobody answered."), ("A", "Nobody answered. I took it to mean *A*.")]
)
def test_an_expired_card_says_what_was_assumed(label: str, text: str) -> None:
    card = settled("expired", label=label)

    assert valid(card)
    assert text == card[-1]["elements"][0]["text"]


def test_a_card_that_was_asked_again_has_no_button_left() -> None:
    card = asked_again_card([{**block, "block_id": "b"} for block in settled("superseded")], "UBEN")

    assert valid(card)
    assert [block["type"] for block in card] == ["section", "context", "context", "context"]
    assert not any("block_id" in block for block in card)


@pytest.mark.parametrize(
    ("card", "asked"), [(open_card("tok", "Desk & <chair>?", OPTIONS), ["Desk &amp; &lt;chair&gt;?"]), ([], [])]
)
def test_the_modal_carries_its_card_and_shows_what_it_asks(card: list[Block], asked: list[str]) -> None:
    origin = ModalOrigin(token="tok", channel="C1", thread_ts="1.2")
    view: dict[str, Any] = typed_modal(origin, [{**block, "block_id": "b"} for block in card])
    SdkView(**view).validate_json()

    assert origin == ModalOrigin.of_text(view["private_metadata"])
    assert asked == [block["text"]["text"] for block in view["blocks"] if block["type"] == "section"]
    assert ["typed_answer"] == [block["block_id"] for block in view["blocks"] if "block_id" in block]


def test_the_modal_of_a_settled_card_shows_the_question_without_its_menu() -> None:
    origin = ModalOrigin(token="tok", channel="C1", thread_ts="1.2", revision=3)
    menu = Changeable(token="tok", revision=3, others=OPTIONS)
    view: dict[str, Any] = typed_modal(origin, [changeable_text("Chosen.", menu)])
    SdkView(**view).validate_json()

    assert origin == ModalOrigin.of_text(view["private_metadata"])
    assert "accessory" not in view["blocks"][0]


def test_hostile_text_on_a_card_calls_nobody() -> None:
    hostile = "<!channel> <@UBEN> @here" * 40
    options = (Option(id="a", label=hostile), Option(id="b", label="b"))
    cards = [
        open_card("tok", hostile, options),
        *(
            outcome_card("tok", hostile, options, CardOutcome(how=how, label=hostile))
            for how in ("answered", "expired")
        ),
    ]
    text = json.dumps([block for card in cards for block in card if block["type"] != "actions"], ensure_ascii=False)

    assert all(valid(card) for card in cards)
    assert not any(call in text for call in ("<!channel", "<@UBEN", "@here"))


def test_a_reminder_calls_the_asker_and_nobody_else() -> None:
    until = datetime(2026, 11, 22, 14, 5, tzinfo=UTC)
    shown = json.dumps(reminder("UADA", "Which <!channel>?", until=until))

    assert valid(reminder("UADA", "Which <!channel>?", until=until))
    assert ("<@UADA>" in shown, "<!channel>" in shown) == (True, False)
    assert "<!date^1795356300^{date_short_pretty} at {time}|22 November, 14:05 UTC>" in shown


@pytest.mark.parametrize(
    ("refused", "expected"),
    [
        (
            ClickRefused(reason="answered", answered_by=PersonId("UBEN"), label="Pine Router"),
            "<@UBEN> already answered this with *Pine Router*. Your click changed nothing.",
        ),
        (ClickRefused(reason="answered"), "Somebody already said: just answer. Your click changed nothing."),
        (ClickRefused(reason="not_yours"), "Only the person who asked can answer this."),
        (ClickRefused(reason="unknown"), "I do not know this question any more. Please ask again."),
        (
            ClickRefused(reason="too_late"),
            "This was chosen too long ago to be changed. Please ask again.",
        ),
        (
            ClickRefused(reason="held"),
            "What was just written here is still being read. Please try again in a moment.",
        ),
        (
            ClickRefused(reason="expired"),
            "Nobody answered in time, so I went on with the most likely meaning. Ask again if you meant another.",
        ),
    ],
)
def test_a_click_in_vain_is_explained(refused: ClickRefused, expected: str) -> None:
    assert expected == refusal(refused)


@pytest.mark.parametrize("reason", get_args(Refusal))
def test_no_click_is_refused_without_a_reason_but_one_that_is_repeated(reason: Refusal) -> None:
    refused = ClickRefused(reason=reason)

    assert (reason != "repeated", reason != "repeated") == (bool(refusal(refused)), bool(refusal_in_modal(refused)))


def test_a_superseded_click_is_pointed_to_the_button() -> None:
    assert "Ask this again" in refusal(ClickRefused(reason="superseded"))


def test_the_card_of_a_change_names_the_tool_and_who_may_approve_it() -> None:
    card = approval_card("tok", "May I use “Tracker: create”?", "UADA")

    assert valid(card)
    assert "<@UADA>" in card[1]["elements"][0]["text"]
    assert [("look_at_change", "tok"), ("option:deny", "tok|deny")] == [
        (each["action_id"], each["value"]) for each in card[2]["elements"]
    ]


def test_the_most_and_longest_arguments_fit_into_a_modal() -> None:
    arguments = {f"{'n' * 60}{number}": "*v* <!here>" for number in range(MOST_ARGUMENTS - 2)}
    arguments |= {"empty": " ", "long": "x" * 5_000}
    change = PlannedChange(tool="t.t", title="T" * 500, arguments=arguments)
    origin = ModalOrigin(token="t" * 40, channel="C" * 20, thread_ts="1795648383.298074", card_ts="1795648383.298074")

    view = approval_modal(origin, change)

    SdkView(**view).validate_json()
    SdkView(**modal("Approve", [section("Why not.")])).validate_json()
    assert valid(view["blocks"])
    assert 2 * MOST_ARGUMENTS + 1 == len(view["blocks"]) <= 100
    assert 3_000 >= max(len(block["text"]["text"]) for block in view["blocks"] if block["type"] == "section")
    assert view["blocks"][-1]["text"]["text"].endswith("x… (and 2100 characters more)")
    assert LONGEST < 2_900, "No argument that may be sent is ever cut."
    assert (restored := ModalOrigin.of_text(view["private_metadata"]))
    assert fingerprint(change) == restored.fingerprint


def test_any_other_argument_has_another_fingerprint() -> None:
    change = PlannedChange(tool="t.t", title="T", arguments={"a": "1", "b": "2"})

    assert fingerprint(change) == fingerprint({**change, "arguments": {"b": "2", "a": "1"}})
    for other in ({"a": "1"}, {"a": "1", "b": "2 "}, {"a": "1b", "": "2"}):
        assert fingerprint(change) != fingerprint({**change, "arguments": other})
