"""Reads interaction payloads: presses of our buttons, picks in our menus, and modals that people send."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.conversation.address import Address, ChannelId, PersonId, Placed, TeamId, Ts
from bot.conversation.inputs import Click
from bot.markup import storable
from bot.slack.payloads.buttons import ModalOrigin
from bot.slack.payloads.identity import Identity
from bot.slack.payloads.shapes import BlockActions, Entered, Entries, Interaction, Payload, ShownMessage, ViewSubmission
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
    blocks: Sequence[dict[str, Any]]
    """What that message shows. Slack does not say it of an ephemeral one, which also cannot be changed."""
    is_ephemeral: bool

    @property
    def kind(self) -> str:
        """What the button is. Buttons of one block need different ids, so a number may follow behind a colon."""
        return self.id.partition(":")[0]


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """A modal that somebody sent."""

    id: str
    key: str
    origin: ModalOrigin
    place: Address
    """The modal's card, and the person who sent the modal."""
    values: Entries


def read_press(body: Payload, me: Identity) -> Pressed:
    """Return what a `block_actions` payload says."""
    click = BlockActions.model_validate(body)
    action, container, message = click.actions[0], click.container, click.message or ShownMessage()
    channel = ChannelId(click.channel.id)
    return Pressed(
        id=action.action_id,
        value=(action.selected_option or action).value or "",
        key=f"{container.message_ts}:{action.action_id}:{action.action_ts}:{click.user.id}",
        place=address_of(
            click,
            me,
            channel=channel,
            # For an ephemeral message, Slack sends no message, and nothing can be posted below it.
            thread_ts=message.thread_ts
            or container.thread_ts
            or ("" if container.is_ephemeral else container.message_ts),
            message_ts=action.action_ts,
        ),
        trigger_id=click.trigger_id,
        message=Placed(channel=channel, ts=Ts(container.message_ts)),
        text=message.text or "",
        blocks=[block.model_dump() for block in message.blocks or ()],
        is_ephemeral=click.message is None,
    )


def read_submission(body: Payload, me: Identity) -> Submitted | None:
    """Return what a `view_submission` payload says; `None` if the modal is forged."""
    sent = ViewSubmission.model_validate(body)
    view, origin = sent.view, ModalOrigin.of_text(sent.view.private_metadata or "")
    if origin is None:
        return None
    return Submitted(
        id=view.callback_id,
        key=f"view:{view.id}",
        origin=origin,
        place=address_of(sent, me, channel=origin.channel, thread_ts=origin.thread_ts, message_ts=origin.thread_ts),
        values=view.state.values,
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


def words_of(values: Entries, name: str) -> str:
    """Return the text of a modal's fields that have a name, with a number behind it if there are several."""
    named = sorted((block for block in values if block.partition(":")[0] == name), key=_number)
    texts = (storable(_entry(values, block).value or "").strip() for block in named)
    return "\n\n".join(text for text in texts if text)


def picked_in(values: Entries, name: str) -> str:
    """Return what the picked option of a modal's field carries; empty if none is picked."""
    option = _entry(values, name).selected_option
    return option.value or "" if option else ""


def _entry(values: Entries, name: str) -> Entered:
    return values.get(name, {}).get(name, Entered())


def address_of(acts: Interaction, me: Identity, *, channel: str, thread_ts: str, message_ts: str) -> Address:
    """Return a place with the person who acts."""
    return Address(
        team=me.team,
        channel=ChannelId(channel),
        thread_ts=Ts(thread_ts),
        message_ts=Ts(message_ts),
        person=PersonId(acts.user.id),
        person_team=TeamId(acts.user.team_id or me.team),
    )


def _number(block: str) -> int:
    number = block.partition(":")[2]
    return int(number) if number.isdecimal() else 0
