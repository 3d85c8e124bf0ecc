"""Slack's own Stop and the stop reactions are read alike; other reactions mean nothing."""

from typing import Any

import pytest

from bot.conversation.address import ChannelId, PersonId, TeamId, Ts
from bot.conversation.inputs import Stop
from bot.conversation.message_kinds import PartialAnswer
from bot.slack.blocks.pages import draft_text, stopped_pages
from bot.slack.payloads.identity import Identity
from bot.slack.payloads.messages import read_stop
from graph.passages import Source

ME = Identity(team=TeamId("T0"), bot_user=PersonId("U0BOT"), bot="B0")


def reacted(name: str = "x", *, user: str = "U0ADA", **item: Any) -> dict[str, Any]:
    event = {
        "type": "reaction_added",
        "user": user,
        "reaction": name,
        "item_user": "U0BOT",
        "event_ts": "3.5",
        "item": {"type": "message", "channel": "C0", "ts": "1.5", **item},
    }
    return {"type": "event_callback", "event": event, "event_id": "Ev1"}


def test_slacks_stop_names_the_thread_and_the_streams() -> None:
    event = {
        "type": "agent_session_stopped",
        "channel": "C0",
        "thread_ts": "1.5",
        "user": "U0ADA",
        "streaming_message_ts": ["2.5"],
        "event_ts": "3.5",
    }

    stop = read_stop({"type": "event_callback", "event": event, "event_id": "Ev1"}, ME)

    assert stop == Stop(
        event_key="Ev1",
        channel=ChannelId("C0"),
        messages=(Ts("2.5"),),
        thread_id="T0:C0:1.5",
        person=PersonId("U0ADA"),
        stopped_at=Ts("3.5"),
    )
    assert stop
    assert stop.is_native


@pytest.mark.parametrize("name", ["x", "octagonal_sign"])
def test_a_reaction_names_its_message(name: str) -> None:
    stop = read_stop(reacted(name), ME)

    assert stop
    assert ((Ts("1.5"),), False) == (stop.messages, stop.is_native)


@pytest.mark.parametrize("body", [reacted("thumbsup"), reacted(user="U0BOT"), reacted(type="file")])
def test_other_reactions_mean_nothing(body: dict[str, Any]) -> None:
    assert read_stop(body, ME) is None


def test_a_stopped_answer_keeps_its_text_and_sources_and_can_be_had_after_all() -> None:
    source = Source(number=1, title="Leave", heading="", url="https://handbook.example/1", dated="", passage_id=1)
    said = PartialAnswer(text="It is <!here> 25 [1].\n\n", sources=(source,))

    (page,) = stopped_pages(said, by="U0ADA", reference="ABCD2345")
    text, sources, by, actions = page.blocks

    assert "<!here>" not in text["text"]
    assert "25 [1]." in text["text"]
    assert "Leave" in sources["elements"][0]["text"]
    assert "Stopped by <@U0ADA>." == by["elements"][0]["text"]
    assert "ABCD2345" == actions["elements"][0]["value"]


@pytest.mark.parametrize(
    ("by", "told"),
    [
        (None, "Stopped before this was answered again."),
        ("U0ADA", "Stopped by <@U0ADA> before this was answered again."),
    ],
)
def test_what_an_earlier_run_has_said_is_told_from_an_answer(by: str | None, told: str) -> None:
    (page,) = stopped_pages(PartialAnswer(text="It is 25 [1].", is_earlier=True), by=by, reference="ABCD2345")
    text, below, _ = page.blocks

    assert ("It is 25 [1].", told) == (text["text"], below["elements"][0]["text"])


def test_where_nothing_was_said_only_that_it_was_stopped_is_shown() -> None:
    (page,) = stopped_pages(PartialAnswer(), by=None, reference="ABCD2345")
    by, _ = page.blocks

    assert "Stopped." == by["elements"][0]["text"]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"text": "It is", "blocks": [{"type": "task_card"}, {"type": "markdown", "text": "It is"}]}, "It is"),
        ({"text": "It is", "blocks": [{"type": "rich_text"}]}, "It is"),
        ({"text": "Reading", "blocks": [{"type": "context"}, {"type": "markdown", "text": "It is"}]}, "It is"),
        ({"text": "Reading", "blocks": [{"type": "context"}]}, ""),
        ({"text": None}, ""),
    ],
)
def test_the_text_of_an_unfinished_answer_is_read_back(message: dict[str, Any], text: str) -> None:
    assert text == draft_text(message)
