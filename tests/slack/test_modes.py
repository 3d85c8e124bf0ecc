"""A channel's mode: how it changes, and what its card says."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.slack.blocks.share_cards import rests_on, shared_blocks
from bot.slack.channel_modes.mode_cards import mode_card, next_showing
from bot.slack.channel_modes.modes import MOST_A_DAY, SHADOW, ChannelMode, Mode, Noted, after_unwanted, chosen
from bot.slack.payloads import buttons

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
LINK = "https://x.slack.com/archives/C1/p1"
NEW = ChannelMode(channel="C1", since=NOW)
WATCHING = chosen(NEW, "questions", by="UADA", now=NOW)
A_WEEK_LATER = NOW + SHADOW


def test_questions_begins_with_a_shadow_week_and_is_turned_on_by_a_member_only_then() -> None:
    early = A_WEEK_LATER - timedelta(seconds=1)

    assert "shadow" == WATCHING.phase(early)
    assert WATCHING == chosen(WATCHING, "on", by="UBEN", now=early)
    assert "ready" == WATCHING.phase(A_WEEK_LATER)
    assert "on" == chosen(WATCHING, "on", by="UBEN", now=A_WEEK_LATER).phase(A_WEEK_LATER)


@pytest.mark.parametrize("mode", ["mentions", "privately"])
def test_other_modes_cannot_be_turned_on(mode: Mode) -> None:
    current = replace(NEW, mode=mode)

    assert current == chosen(current, "on", by="UADA", now=A_WEEK_LATER)


def test_the_same_choice_again_begins_no_new_week_and_a_later_one_does() -> None:
    later = NOW + timedelta(days=3)
    away = chosen(WATCHING, "mentions", by="UBEN", now=later)

    assert WATCHING == chosen(WATCHING, "questions", by="UBEN", now=later)
    assert "shadow" == chosen(away, "questions", by="UBEN", now=later).phase(A_WEEK_LATER)
    assert "on" == chosen(NEW, "privately", by="UADA", now=NOW).phase(NOW)


def test_the_second_not_for_you_leads_back_to_mentions() -> None:
    on = chosen(WATCHING, "on", by="UBEN", now=A_WEEK_LATER)
    back = after_unwanted(on, 2, now=A_WEEK_LATER)

    assert on == after_unwanted(on, 1, now=A_WEEK_LATER)
    assert ("mentions", True, "off") == (back.mode, back.is_led_back, back.phase(A_WEEK_LATER))
    assert "shadow" == chosen(back, "questions", by="UADA", now=A_WEEK_LATER).phase(A_WEEK_LATER)


def test_five_a_day_is_all() -> None:
    assert replace(WATCHING, taken_today=MOST_A_DAY - 1).has_room
    assert not replace(WATCHING, taken_today=MOST_A_DAY).has_room


def test_the_card_offers_what_may_be_chosen() -> None:
    assert ["mode_set:questions", "mode_set:privately"] == _actions(mode_card(NEW, [], now=NOW))
    assert ["mode_set:mentions", "mode_set:privately"] == _actions(mode_card(WATCHING, [], now=NOW))
    assert "mode_set:on" == _actions(mode_card(WATCHING, [], now=A_WEEK_LATER))[0]
    assert next_showing(WATCHING, now=NOW) == A_WEEK_LATER + timedelta(seconds=1)
    assert next_showing(NEW, now=NOW) is None


def test_the_card_lists_what_would_have_been_answered_and_no_words_of_it() -> None:
    one = Noted(
        ts="1764072000.000100", verdict="answer", link="https://x.slack.com/archives/C1/p1", document="A <b> *c*"
    )
    many = [one, replace(one, verdict="ask"), *[one] * 20]
    said = mode_card(WATCHING, many, now=NOW)[1]["text"]["text"]

    assert "would have answered 22" in said
    assert "… and 7 more" in said
    assert f"<{LINK}|question>" in said
    assert "&lt;b&gt;" in said
    assert "asked back privately" in said
    assert "|25 November, 12:00 UTC>" in said


def test_a_shared_copy_has_no_buttons() -> None:
    rating = {"negative_button": {"value": buttons.disliked_value([7, 8])}}
    blocks: list[dict[str, Any]] = [
        {"type": "markdown", "text": "145 EUR [1]", "block_id": "x"},
        {"type": "actions", "elements": []},
        {"type": "context_actions", "elements": [rating]},
        {"type": "section", "text": {}, "accessory": {}},
    ]

    assert [{"type": "markdown", "text": "145 EUR [1]"}] == shared_blocks(blocks, "UADA", is_restricted=False)[:-1]
    assert {7, 8} == rests_on(blocks)


def _actions(card: list[dict[str, Any]]) -> list[str]:
    return [one["action_id"] for block in card if block["type"] == "actions" for one in block["elements"]]
