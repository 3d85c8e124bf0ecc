"""Reads interaction payloads of a review's buttons and modals. Unknown actions are `None`."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from bot.conversation.address import PersonId, Ts
from bot.conversation.asks.review import Decided, Decision, HumanAsked
from bot.markup import storable
from bot.slack.blocks import buttons
from bot.slack.blocks.buttons import ModalOrigin
from bot.slack.listeners.actions import place_of_action
from bot.slack.listeners.events import Identity, Payload


@dataclass(frozen=True, kw_only=True)
class FormWanted:
    """A reviewer wants to edit the answer, or to say why there is none."""

    kind: Literal["edited", "rejected"]
    trigger_id: str
    origin: ModalOrigin


ReviewGesture: TypeAlias = HumanAsked | Decision | FormWanted

_FORMS: dict[str, Decided] = {buttons.EDITED: "edited", buttons.REJECTED: "rejected"}


def read_review_action(body: Payload, me: Identity) -> ReviewGesture | None:
    """Return the review action of a `block_actions` payload."""
    action: Payload = body["actions"][0]
    token: str = action.get("value") or ""
    match action["action_id"]:
        case buttons.ASK_HUMAN:
            return HumanAsked(
                event_key=_key(body),
                channel=body["channel"]["id"],
                message_ts=Ts(body["container"]["message_ts"]),
                thread_id=place_of_action(body, me).thread_id,
                person=PersonId(body["user"]["id"]),
                asked_at=Ts(action["action_ts"]),
            )
        case buttons.APPROVE:
            return Decision(
                event_key=_key(body),
                token=token,
                kind="approved",
                person=PersonId(body["user"]["id"]),
                decided_at=Ts(action["action_ts"]),
            )
        case buttons.EDIT:
            return FormWanted(kind="edited", trigger_id=body["trigger_id"], origin=origin_of_form(body, token))
        case buttons.REJECT:
            return FormWanted(kind="rejected", trigger_id=body["trigger_id"], origin=origin_of_form(body, token))
        case _:
            return None


def is_review_form(body: Payload) -> bool:
    """Tell whether a `view_submission` payload is from a review's modal."""
    return body["view"]["callback_id"] in _FORMS and bool(body["view"]["state"]["values"])


def read_review_form(body: Payload, *, at: Ts) -> Decision | None:
    """Return the decision of a modal, `None` without text. `at` is its time, because the payload has none."""
    view: Payload = body["view"]
    origin = ModalOrigin.of_text(view.get("private_metadata") or "")
    kind = _FORMS.get(view["callback_id"])
    words = words_of(view["state"]["values"], view["callback_id"])
    if origin is None or kind is None or not words:
        return None
    return Decision(
        event_key=f"view:{view['id']}",
        token=origin.token,
        kind=kind,
        words=words,
        person=PersonId(body["user"]["id"]),
        decided_at=at,
    )


def answer_to_form(body: Payload, wrong: str) -> dict[str, Any]:
    """Return how a `view_submission` payload is acknowledged: the modal closes, or stays open and says what is wrong.

    Slack shows that below the first field. A damaged payload names none; then it is called as the modal is.
    """
    if not wrong:
        return {}
    view: Payload = body["view"]
    return {"response_action": "errors", "errors": {next(iter(view["state"]["values"]), view["callback_id"]): wrong}}


def words_of(values: Payload, name: str) -> str:
    """Return the text of a form's fields, which have the same name with a number at the end."""
    named = sorted((block for block in values if block.partition(":")[0] == name), key=_place)
    texts = (storable(values[block].get(block, {}).get("value") or "").strip() for block in named)
    return "\n\n".join(text for text in texts if text)


def _place(block: str) -> int:
    place = block.partition(":")[2]
    return int(place) if place.isdecimal() else 0


def origin_of_form(body: Payload, token: str) -> ModalOrigin:
    """Return where the button was clicked that opens a form."""
    return ModalOrigin(token=token, channel=body["channel"]["id"], thread_ts="")


def _key(body: Payload) -> str:
    action: Payload = body["actions"][0]
    return ":".join((body["container"]["message_ts"], action["action_id"], action["action_ts"], body["user"]["id"]))
