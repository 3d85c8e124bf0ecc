"""The menu to choose again is within Slack's limits, and its values come back unchanged."""

import pytest

from bot.conversation.message_kinds import Changeable
from bot.slack.blocks.menus import changeable_text
from bot.slack.payloads.buttons import Pick
from graph.events import Option
from tests.slack.test_cards import valid


def menu(count: int, label: str = "Reading", *, forgets: bool = False) -> Changeable:
    others = tuple(Option(id=f"id{place}|a", label=f"{label} {place}") for place in range(count))
    return Changeable(token="tok_-A1", revision=3, others=others, forgets=forgets)


@pytest.mark.parametrize("count", [1, 4])
def test_a_menu_offers_the_other_readings_and_something_else(count: int) -> None:
    block = changeable_text("Chosen.", menu(count, "A long reading " * 9))
    labels = [entry["text"]["text"] for entry in block["accessory"]["options"]]

    assert valid([block])
    assert (count + 1, "Something else…") == (len(labels), labels[-1])
    assert all(len(entry["value"]) <= 150 for entry in block["accessory"]["options"])


@pytest.mark.parametrize(("count", "forgets"), [(4, True), (5, False), (19, True)])
def test_what_does_not_fit_the_small_menu_is_a_large_one_with_all_of_it(count: int, *, forgets: bool) -> None:
    block = changeable_text("Chosen.", menu(count, forgets=forgets))

    assert valid([block])
    assert "static_select" == block["accessory"]["type"]
    assert count + 1 + forgets == len(block["accessory"]["options"])


@pytest.mark.parametrize("count", [1, 3, 4])
def test_where_a_reading_was_assumed_the_asker_may_be_asked_next_time(count: int) -> None:
    block = changeable_text("Assumed.", menu(count, forgets=True))

    assert valid([block])
    assert "Ask me next time" in [entry["text"]["text"] for entry in block["accessory"]["options"]]


def test_what_an_entry_carries_comes_back() -> None:
    pick = Pick(token="tok_-A1", revision=3, entry="option", option_id="path:1=a|b")

    assert pick == Pick.of_text(pick.as_text())


@pytest.mark.parametrize("forged", ["", "tok", "tok|1|option", "tok|x|option|a", "tok|-1|option|a", "tok|1|other|a"])
def test_a_forged_entry_is_nothing(forged: str) -> None:
    assert Pick.of_text(forged) is None
