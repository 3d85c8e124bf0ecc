"""Reads interaction payloads: presses of our buttons, picks in our menus, and modals that people send."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.conversation.address import Address, ChannelId, PersonId, Placed, TeamId, Ts
from bot.conversation.inputs import Click
from bot.markup import storable
from bot.slack.blocks.buttons import ModalOrigin
from bot.slack.blocks.cards import APPROVAL, FORM_OUT_OF_DATE, MODAL_OUT_OF_DATE
from bot.slack.blocks.elements import Block, modal, section
from bot.slack.listeners.events import Identity, Payload
from graph.turn import Choice


@dataclass(frozen=True, kw_only=True)
class Pressed:
    """A press of a button, or a pick in a menu."""

    id: str
    value: str
    """What the button or the entry carries; empty if it carries nothing."""
    key: str
    """Names one person's press of one button: interactions have no event id."""
    place: Address
    """Where the press counts, and its person. It has its own position in the thread."""
    trigger_id: str
    message: Placed
    """The message with the button."""
    text: str
    blocks: Sequence[Block]
    """What that message shows. Slack does not say it of an ephemeral one, which also cannot be changed."""
    is_ephemeral: bool


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """A modal that somebody sent."""

    id: str
    key: str
    origin: ModalOrigin
    place: Address
    """The modal's card, and the person who sent the modal."""
    values: Mapping[str, Any]
    """What was entered, by field."""


def read_press(body: Payload, me: Identity) -> Pressed:
    """Return what a `block_actions` payload says."""
    action: Payload = body["actions"][0]
    container: Payload = body["container"]
    message: Payload = body.get("message") or {}
    picked: Payload = action.get("selected_option") or action
    return Pressed(
        id=action["action_id"],
        value=picked.get("value") or "",
        key=":".join((container["message_ts"], action["action_id"], action["action_ts"], body["user"]["id"])),
        place=_address(
            body,
            me,
            channel=body["channel"]["id"],
            # For an ephemeral message, Slack sends no message, and nothing can be posted below it.
            thread_ts=message.get("thread_ts")
            or container.get("thread_ts")
            or ("" if container.get("is_ephemeral") else container["message_ts"]),
            message_ts=action["action_ts"],
        ),
        trigger_id=body["trigger_id"],
        message=Placed(channel=ChannelId(body["channel"]["id"]), ts=Ts(container["message_ts"])),
        text=message.get("text") or "",
        blocks=message.get("blocks") or [],
        is_ephemeral="message" not in body,
    )


def read_submission(body: Payload, me: Identity) -> Submitted | None:
    """Return what a `view_submission` payload says; `None` if the modal is forged."""
    view: Payload = body["view"]
    origin = ModalOrigin.of_text(view.get("private_metadata") or "")
    if origin is None:
        return None
    return Submitted(
        id=view["callback_id"],
        key=f"view:{view['id']}",
        origin=origin,
        place=_address(body, me, channel=origin.channel, thread_ts=origin.thread_ts, message_ts=origin.thread_ts),
        values=view["state"]["values"],
    )


def click_of(pressed: Pressed, token: str, choice: Choice, *, revision: int | None = None) -> Click:
    """Return the choice that a press makes."""
    return Click(
        event_key=pressed.key,
        token=token,
        choice=choice,
        thread_id=pressed.place.thread_id,
        person=pressed.place.person,
        clicked_at=pressed.place.message_ts,
        revision=revision,
        card=pressed.message,
    )


def click_of_modal(submitted: Submitted, choice: Choice, *, at: Ts) -> Click:
    """Return the choice that a modal makes; `at` is its time, which is not in the payload."""
    origin = submitted.origin
    return Click(
        event_key=submitted.key,
        token=origin.token,
        choice=choice,
        thread_id=submitted.place.thread_id,
        person=submitted.place.person,
        clicked_at=at,
        revision=origin.revision,
        card=Placed(channel=ChannelId(origin.channel), ts=Ts(origin.card_ts)) if origin.card_ts else None,
        fingerprint=origin.fingerprint,
    )


def origin_of_press(pressed: Pressed, token: str, *, revision: int | None = None) -> ModalOrigin:
    """Return the card of a modal that a press opens."""
    place = pressed.place
    return ModalOrigin(
        token=token,
        channel=place.channel,
        thread_ts=place.thread_ts,
        revision=revision,
        card_ts=pressed.message.ts,
    )


def origin_of_form(pressed: Pressed) -> ModalOrigin:
    """Return the card of a form about what a press names. What it says is told beside the card, not in its thread."""
    return ModalOrigin(token=pressed.value, channel=pressed.message.channel, thread_ts="")


def words_of(values: Payload, name: str) -> str:
    """Return the text of a modal's fields that have a name, with a number behind it if there are several."""
    named = sorted((block for block in values if block.partition(":")[0] == name), key=_number)
    texts = (storable(values[block].get(block, {}).get("value") or "").strip() for block in named)
    return "\n\n".join(text for text in texts if text)


def answer_to_form(submitted: Submitted, wrong: str) -> dict[str, Any]:
    """Return how a modal is acknowledged: it closes, or stays open and says what is wrong.

    Slack shows that below the first field. A damaged payload names none; then it is called as the modal is.
    """
    if not wrong:
        return {}
    return {"response_action": "errors", "errors": {next(iter(submitted.values), submitted.id): wrong}}


def out_of_date(body: Payload) -> dict[str, Any]:
    """Return how a modal is acknowledged whose origin we cannot read: it shows why. Empty for every other modal.

    An earlier version of Askback may have opened it, so what a person typed must not be lost without a word.
    """
    view: Payload = body["view"]
    if ModalOrigin.of_text(view.get("private_metadata") or ""):
        return {}
    if field := next(iter(view["state"]["values"]), ""):
        return {"response_action": "errors", "errors": {field: FORM_OUT_OF_DATE}}
    # Slack shows an error only below a field.
    return {"response_action": "update", "view": modal(APPROVAL, [section(MODAL_OUT_OF_DATE)])}


def _address(body: Payload, me: Identity, *, channel: str, thread_ts: str, message_ts: str) -> Address:
    return Address(
        team=me.team,
        channel=ChannelId(channel),
        thread_ts=Ts(thread_ts),
        message_ts=Ts(message_ts),
        person=PersonId(body["user"]["id"]),
        person_team=TeamId(body["user"].get("team_id") or me.team),
    )


def _number(block: str) -> int:
    number = block.partition(":")[2]
    return int(number) if number.isdecimal() else 0
