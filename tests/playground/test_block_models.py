"""Wrong blocks that only `slack_sdk`'s models find, or only the documented limits."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from playground import Playground
from tests.playground.bots import WebApi

Block = dict[str, Any]


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def button(**changed: Any) -> Block:
    return {"type": "button", "action_id": "go", "text": plain("Go"), **changed}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def task(**changed: Any) -> Block:
    return {"type": "task_card", "task_id": "1", "title": "Search", "status": "complete", **changed}


WRONG = {
    "an element that nobody knows": actions({"type": "knob", "action_id": "turn"}),
    "a field that nobody knows": actions(button(colour="red")),
    "a style that nobody knows": actions(button(style="huge")),
    "markup on a button": actions(button(text={"type": "mrkdwn", "text": "*Go*"})),
    "a button without a word": actions(button(text=plain(""))),
    "an empty line of context": {"type": "context", "elements": [{"type": "mrkdwn", "text": ""}]},
    "a section without text": {"type": "section", "text": {"type": "mrkdwn", "text": ""}},
    "a header in markup": {"type": "header", "text": {"type": "mrkdwn", "text": "*Sources*"}},
    "a rating of one button": {"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": "r"}]},
    "a task in no state": {"type": "plan", "title": "Plan", "tasks": [task(status="lost")]},
    "a table without rows": {"type": "table", "rows": []},
    "a level that nobody knows": {"type": "alert", "text": plain("Careful"), "level": "panic"},
}


@pytest.mark.parametrize("name", WRONG)
async def test_slack_refuses(playground: Playground, client: WebApi, name: str) -> None:
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C0GENERAL", text="?", blocks=[{"type": "divider"}, WRONG[name]])

    assert "invalid_blocks" == caught.value.response["error"]
    assert "/blocks/1" in caught.value.response["response_metadata"]["messages"][0]
    assert [] == playground.messages("C0GENERAL")


async def test_slack_takes_every_kind_that_a_bot_uses(client: WebApi) -> None:
    rating = {
        "positive_button": {"text": plain("Good"), "value": "1"},
        "negative_button": {"text": plain("Bad"), "value": "0"},
    }
    options = [{"text": plain(name), "value": name.lower()} for name in ("Oslo", "Turin")]
    blocks = [
        {"type": "header", "text": plain("Sources")},
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "*Leave*"},
            "accessory": button(url="https://example.com"),
        },
        {"type": "section", "fields": [plain("one"), {"type": "mrkdwn", "text": "_two_"}]},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "updated today"}]},
        actions(button(style="primary", value="", confirm=confirm()), select(options)),
        {"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": "rate", **rating}]},
        {"type": "markdown", "text": "**30 days**"},
        {"type": "plan", "title": "Plan", "tasks": [task()]},
        task(),
        {"type": "divider"},
    ]

    assert (await client.chat_postMessage(channel="C0GENERAL", text="?", blocks=blocks))["ok"]


async def test_a_modal_with_a_wrong_element_is_refused(playground: Playground, client: WebApi) -> None:
    view = {"type": "home", "blocks": [actions(button(colour="red"))]}

    with pytest.raises(SlackApiError, match="invalid_arguments"):
        await client.views_publish(user_id="U0ADA", view=view)

    assert playground.person("U0ADA").home is None


def select(options: list[Block]) -> Block:
    return {"type": "static_select", "action_id": "office", "placeholder": plain("Where?"), "options": options}


def confirm() -> Block:
    return {"title": plain("Sure?"), "text": plain("Really?"), "confirm": plain("Yes"), "deny": plain("No")}
