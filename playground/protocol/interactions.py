"""Slack's interactions as payloads: clicks, submitted and closed modals."""

from dataclasses import dataclass
from typing import Any

from playground.state.workspace import Channel, Member, Workspace
from playground.wire import Json

SELECTS = {"static_select", "radio_buttons", "overflow"}


@dataclass(frozen=True, kw_only=True)
class Pressed:
    """A pressed element, its block, and its value."""

    block_id: str
    element: Json
    says: Json
    """The fields that depend on the element: `value`, `selected_option`, `text`…"""


class NotThereError(LookupError):
    """The message has no element of this name."""


def find(blocks: list[Json], *, action_id: str | None, label: str | None, value: str | None) -> Pressed:
    """Return the element of this name. Raises `NotThereError` if there is none."""
    for pressed in _pressable(blocks):
        if action_id is not None and pressed.element.get("action_id") != action_id:
            continue
        if label is not None and _label(pressed.says) != label:
            continue
        if value is not None and _value(pressed.says) != value:
            continue
        return pressed
    shown = [f"{pressed.element.get('action_id')} “{_label(pressed.says)}”" for pressed in _pressable(blocks)]
    raise NotThereError(
        f"No action_id={action_id}, label={label}, value={value} among: {', '.join(shown) or 'nothing'}"
    )


def block_actions(
    workspace: Workspace, member: Member, pressed: Pressed, *, place: Json, trigger_id: str, action_ts: str
) -> Json:
    """Return a click. `place` has the fields that depend on the place: container, channel, message, view."""
    return {
        "type": "block_actions",
        "user": _user(workspace, member),
        **_app(workspace),
        "trigger_id": trigger_id,
        "state": {"values": {}},
        **place,
        "actions": [
            {
                "action_id": pressed.element.get("action_id", ""),
                "block_id": pressed.block_id,
                **pressed.says,
                "type": pressed.element["type"],
                "action_ts": action_ts,
            }
        ],
    }


def message_place(channel: Channel, message: Json, *, response_url: str) -> Json:
    """Return the place of a click on a message."""
    is_ephemeral = "visible_to" in message
    thread = {"thread_ts": message["thread_ts"]} if "thread_ts" in message else {}
    container = {
        "type": "message",
        "message_ts": message["ts"],
        "channel_id": channel.id,
        "is_ephemeral": is_ephemeral,
        **thread,
    }
    place = {
        "container": container,
        "channel": {"id": channel.id, "name": channel.name or "directmessage"},
        "response_url": response_url,
    }
    # Slack omits the message if it did not keep it.
    return place if is_ephemeral else {**place, "message": message}


def message_action(
    workspace: Workspace, member: Member, channel: Channel, message: Json, *, callback_id: str, given: Json
) -> Json:
    """Return a shortcut on a message. `given` has trigger, response address and time."""
    return {
        "type": "message_action",
        "callback_id": callback_id,
        "user": _user(workspace, member),
        **_app(workspace),
        "channel": {"id": channel.id, "name": channel.name or "directmessage"},
        "message_ts": message["ts"],
        "message": message,
        **given,
    }


def view_place(view: Json) -> Json:
    """Return the place of a click in a modal or on the Home tab."""
    return {"container": {"type": "view", "view_id": view["id"]}, "view": view}


def view_submission(workspace: Workspace, member: Member, view: Json, *, values: Json, trigger_id: str) -> Json:
    """Return a submitted modal. `values` is `state.values`, by block and action."""
    return {
        "type": "view_submission",
        "user": _user(workspace, member),
        **_app(workspace),
        "trigger_id": trigger_id,
        "view": {**view, "state": {"values": values}},
        "response_urls": [],
    }


def view_closed(workspace: Workspace, member: Member, view: Json) -> Json:
    """Return a modal that was closed without submitting."""
    return {
        "type": "view_closed",
        "user": _user(workspace, member),
        **_app(workspace),
        "view": view,
        "is_cleared": False,
    }


def state_values(view: Json, given: Json) -> Json:
    """Return `state.values` of a modal from values by action id or block id; options by value or label."""
    values: dict[str, dict[str, Json]] = {}
    for block in view.get("blocks", []):
        if element := block.get("element"):
            name = next((key for key in (element.get("action_id"), block.get("block_id")) if key in given), None)
            entered = given[name] if name else element.get("initial_value")
            values.setdefault(block["block_id"], {})[element["action_id"]] = _entered(element, entered)
    return values


def _entered(element: Json, entered: Any) -> Json:
    if element["type"] not in SELECTS:
        return {"type": element["type"], "value": entered or None}
    fits = (option for option in _options(element) if entered in {option.get("value"), option["text"]["text"]})
    return {"type": element["type"], "selected_option": next(fits, None)}


def _pressable(blocks: list[Json]) -> list[Pressed]:
    found: list[Pressed] = []
    for block in blocks:
        elements = [
            *(block.get("elements") or ()),
            *(block[name] for name in ("accessory", "element") if name in block),
        ]
        for element in elements:
            found += [
                Pressed(block_id=block.get("block_id", ""), element=element, says=says) for says in _sayings(element)
            ]
    return found


def _sayings(element: Json) -> list[Json]:
    match element.get("type"):
        case "button" | "icon_button":
            return [{name: element[name] for name in ("text", "value", "style", "url") if name in element}]
        case "feedback_buttons":
            return [element[name] for name in ("positive_button", "negative_button") if name in element]
        case "static_select" | "radio_buttons" | "overflow":
            return [{"selected_option": option} for option in _options(element)]
        case _:
            return []


def _options(element: Json) -> list[Json]:
    groups: list[Json] = element.get("option_groups") or []
    options: list[Json] = element.get("options") or []
    return options + [option for group in groups for option in group["options"]]


def _label(says: Json) -> str:
    text: Json = says.get("text") or says.get("selected_option", {}).get("text") or {}
    return str(text.get("text", ""))


def _value(says: Json) -> str | None:
    return says.get("value") or says.get("selected_option", {}).get("value")


def _user(workspace: Workspace, member: Member) -> Json:
    team = member.team_id or workspace.team_id
    return {"id": member.id, "username": member.name, "name": member.name, "team_id": team}


def _app(workspace: Workspace) -> Json:
    return {
        "api_app_id": workspace.app_id,
        "token": "playground",
        "team": {"id": workspace.team_id, "domain": workspace.domain},
        "enterprise": None,
        "is_enterprise_install": False,
    }
