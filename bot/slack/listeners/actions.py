"""Reads interaction payloads of our buttons and modals. Unknown actions are `None`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TypeAlias, assert_never

from bot.conversation.address import Address, ChannelId, PersonId, Placed, TeamId, Ts
from bot.conversation.inputs import Click, Message, Rating, WishDenied
from bot.markup import storable
from bot.slack.blocks import buttons
from bot.slack.blocks.buttons import ModalOrigin, Unchecked
from bot.slack.blocks.menus import Pick
from bot.slack.listeners.events import Identity, Payload
from graph.asking.approvals import ALLOW, DENY
from graph.turn import Choice, Turn


@dataclass(frozen=True, kw_only=True)
class Retry:
    """A person wants to retry a failed turn."""

    reference: str
    thread_id: str
    """The thread of the button."""
    card: Placed | None = None
    """The message with the button."""


@dataclass(frozen=True, kw_only=True)
class LookAgain:
    """A person wants a message of an unchecked writer to be checked again."""

    message: Unchecked


@dataclass(frozen=True, kw_only=True)
class AskAgain:
    """A person wants to ask a superseded question again."""

    click: Click
    """A click that is refused and returns the question: nobody can answer a superseded card."""
    card_ts: Ts


@dataclass(frozen=True, kw_only=True)
class AskOffered:
    """A person wants to ask a question that an answer offers."""

    message: Message


@dataclass(frozen=True, kw_only=True)
class AskNextTime:
    """A person wants to be asked the next time, and not to have their earlier choice assumed."""

    click: Click


@dataclass(frozen=True, kw_only=True)
class Elaborate:
    """A person wants to answer in their own words."""

    trigger_id: str
    origin: ModalOrigin


@dataclass(frozen=True, kw_only=True)
class LookAtChange:
    """A person wants to see what they may approve."""

    trigger_id: str
    origin: ModalOrigin
    click: Click
    """A click that needs no fingerprint, and is refused to everybody who may not approve."""


Action: TypeAlias = (
    Click | AskOffered | WishDenied | Rating | Retry | LookAgain | AskAgain | AskNextTime | Elaborate | LookAtChange
)


def read_action(body: Payload, me: Identity) -> Action | None:
    """Return the action of a `block_actions` payload."""
    action: Payload = body["actions"][0]
    read = _READERS.get(action["action_id"].partition(":")[0])
    picked: Payload = action.get("selected_option") or action
    return read(body, picked.get("value") or "", me) if read else None


def is_typed_answer(body: Payload) -> bool:
    """Tell whether a `view_submission` payload is from our "Something else…" modal."""
    view: Payload = body["view"]
    return view["callback_id"] == buttons.TYPED_ANSWER and origin_of(view) is not None


def is_approval(body: Payload) -> bool:
    """Tell whether a `view_submission` payload approves a change."""
    return body["view"]["callback_id"] == buttons.LOOK_AT_CHANGE


def read_approval(body: Payload, me: Identity, *, at: Ts) -> Click | None:
    """Return the click that approves what a modal shows; `None` if the modal is forged."""
    origin, place = origin_of(body["view"]), place_of_submission(body, me)
    if origin is None or place is None:
        return None
    return replace(_submitted(body, origin, place, at=at), choice=Choice(kind="option", value=ALLOW))


def read_submission(body: Payload, me: Identity, *, at: Ts) -> Click | None:
    """Return the click of a "Something else…" modal, `None` without text; `at` is its time, not in the payload."""
    view: Payload = body["view"]
    origin, place = origin_of(view), place_of_submission(body, me)
    fields: Payload = view["state"]["values"].get(buttons.TYPED_ANSWER) or {}
    typed = storable(fields.get(buttons.TYPED_ANSWER, {}).get("value") or "").strip()
    if origin is None or place is None or not is_typed_answer(body) or not typed:
        return None
    return replace(_submitted(body, origin, place, at=at), choice=Choice(kind="text", value=typed, label=typed))


def _submitted(body: Payload, origin: ModalOrigin, place: Address, *, at: Ts) -> Click:
    return Click(
        event_key=f"view:{body['view']['id']}",
        token=origin.token,
        choice=Choice(kind="just_answer"),
        thread_id=place.thread_id,
        person=PersonId(body["user"]["id"]),
        clicked_at=at,
        revision=origin.revision,
        card=Placed(channel=ChannelId(origin.channel), ts=Ts(origin.card_ts)) if origin.card_ts else None,
        fingerprint=origin.fingerprint,
    )


def place_of_action(body: Payload, me: Identity) -> Address:
    """Return the address of a click and its person. The click has its own position in the thread."""
    message: Payload = body.get("message") or {}
    container: Payload = body["container"]
    return _address(
        body,
        me,
        channel=body["channel"]["id"],
        # For an ephemeral message, Slack sends no message, and nothing can be posted below it.
        thread_ts=message.get("thread_ts")
        or container.get("thread_ts")
        or ("" if container.get("is_ephemeral") else container["message_ts"]),
        message_ts=body["actions"][0]["action_ts"],
    )


def origin_of(view: Payload) -> ModalOrigin | None:
    """Return the card of a modal; `None` if the data are forged."""
    return ModalOrigin.of_text(view.get("private_metadata") or "")


def place_of_submission(body: Payload, me: Identity) -> Address | None:
    """Return the address of a modal's card, and the person who submitted the modal."""
    origin = origin_of(body["view"])
    if origin is None:
        return None
    return _address(body, me, channel=origin.channel, thread_ts=origin.thread_ts, message_ts=origin.thread_ts)


def question_again(again: AskAgain, question: str, address: Address) -> Message:
    """Return the superseded `question` as a message of the clicker, once for each card."""
    return Message(
        event_key=again.click.event_key,
        message_key=f"{address.channel}:{again.card_ts}:again",
        address=address,
        turn=Turn(question=question, asker=address.person, addressed=True, asks_again=again.click.token),
    )


def _address(body: Payload, me: Identity, *, channel: str, thread_ts: str, message_ts: str) -> Address:
    return Address(
        team=me.team,
        channel=ChannelId(channel),
        thread_ts=Ts(thread_ts),
        message_ts=Ts(message_ts),
        person=PersonId(body["user"]["id"]),
        person_team=TeamId(body["user"].get("team_id") or me.team),
    )


def _event_key(body: Payload) -> str:
    """Name one person's press of one button: interactions have no event id."""
    action: Payload = body["actions"][0]
    return ":".join((body["container"]["message_ts"], action["action_id"], action["action_ts"], body["user"]["id"]))


def _click(body: Payload, token: str, choice: Choice, me: Identity, *, revision: int | None = None) -> Click:
    return Click(
        event_key=_event_key(body),
        token=token,
        choice=choice,
        thread_id=place_of_action(body, me).thread_id,
        person=PersonId(body["user"]["id"]),
        clicked_at=Ts(body["actions"][0]["action_ts"]),
        revision=revision,
        card=_card(body),
    )


def _card(body: Payload) -> Placed:
    return Placed(channel=ChannelId(body["channel"]["id"]), ts=Ts(body["container"]["message_ts"]))


def _read_option(body: Payload, value: str, me: Identity) -> Click:
    token, option_id = buttons.token_and_rest(value)
    return _click(body, token, Choice(kind="option", value=option_id), me)


def _read_just_answer(body: Payload, value: str, me: Identity) -> Click:
    return _click(body, value, Choice(kind="just_answer"), me)


def _read_something_else(body: Payload, value: str, me: Identity) -> Elaborate:
    return _elaborate(body, value, me)


def _read_look(body: Payload, value: str, me: Identity) -> LookAtChange:
    looking = _elaborate(body, value, me)
    click = _click(body, value, Choice(kind="option", value=DENY), me)
    return LookAtChange(trigger_id=looking.trigger_id, origin=looking.origin, click=click)


def _read_change(body: Payload, value: str, me: Identity) -> Click | AskNextTime | Elaborate:
    pick = Pick.of_text(value)
    if pick is None:
        # This is forged, and the intake tells the person so.
        return _click(body, value, Choice(kind="option"), me)
    match pick.entry:
        case "option":
            return _click(body, pick.token, Choice(kind="option", value=pick.option_id), me, revision=pick.revision)
        case "something_else":
            return _elaborate(body, pick.token, me, revision=pick.revision)
        case "ask_next_time":
            click = _click(body, pick.token, Choice(kind="just_answer"), me, revision=pick.revision)
            return AskNextTime(click=click)
        case _:
            assert_never(pick.entry)


def _elaborate(body: Payload, token: str, me: Identity, *, revision: int | None = None) -> Elaborate:
    place = place_of_action(body, me)
    origin = ModalOrigin(
        token=token, channel=place.channel, thread_ts=place.thread_ts, revision=revision, card_ts=_card(body).ts
    )
    return Elaborate(trigger_id=body["trigger_id"], origin=origin)


def _read_ask_again(body: Payload, value: str, me: Identity) -> AskAgain:
    click = replace(_click(body, value, Choice(kind="just_answer"), me), asks_again=True)
    return AskAgain(click=click, card_ts=Ts(body["container"]["message_ts"]))


def _read_follow_up(body: Payload, value: str, me: Identity) -> AskOffered:
    """Return the question as a message of the clicker, once for each answer that offers it."""
    # A button from before 0.1.0 carries a token instead. Its label says the question more briefly.
    question = storable(value if value.endswith("?") else body["actions"][0]["text"]["text"])
    address, answer, named = place_of_action(body, me), _card(body), sha256(question.encode()).hexdigest()[:16]
    message = Message(
        event_key=_event_key(body),
        message_key=f"{answer.channel}:{answer.ts}:follow_up:{named}",
        address=address,
        turn=Turn(question=question, asker=address.person, addressed=True, is_follow_up=True),
    )
    return AskOffered(message=message)


def _read_denial(body: Payload, _value: str, me: Identity) -> WishDenied:
    return WishDenied(answer=_card(body), address=place_of_action(body, me))


def _read_retry(body: Payload, value: str, me: Identity) -> Retry:
    return Retry(reference=value, thread_id=place_of_action(body, me).thread_id, card=_card(body))


def _read_look_again(_body: Payload, value: str, _me: Identity) -> LookAgain | None:
    unchecked = Unchecked.of_text(value)
    return LookAgain(message=unchecked) if unchecked else None


def _read_rating(body: Payload, value: str, _me: Identity) -> Rating | None:
    verdict = value.partition("|")[0]
    if verdict not in ("good", "bad"):
        return None
    return Rating(
        channel=body["channel"]["id"],
        message_ts=Ts(body["container"]["message_ts"]),
        person=PersonId(body["user"]["id"]),
        verdict=verdict,
    )


_READERS: Mapping[str, Callable[[Payload, str, Identity], Action | None]] = {
    buttons.OPTION: _read_option,
    buttons.JUST_ANSWER: _read_just_answer,
    buttons.SOMETHING_ELSE: _read_something_else,
    buttons.LOOK_AT_CHANGE: _read_look,
    buttons.ASK_AGAIN: _read_ask_again,
    buttons.FOLLOW_UP: _read_follow_up,
    buttons.DENY_WISH: _read_denial,
    buttons.CHANGE: _read_change,
    buttons.RETRY: _read_retry,
    buttons.LOOK_AGAIN: _read_look_again,
    buttons.FEEDBACK: _read_rating,
}
