"""The shapes of payloads that we can read, and the faults of others (pure).

Only the parts that we read are described. Other parts of a payload, now or later, are no fault.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

Id: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,255}$")]
Ts: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,12}\.[0-9]{1,9}$")]
Value: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
"""What a button of ours carries: text that the database takes, so no half of a character either."""
_MOST_FAULTS: Final = 5


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True)


class _Installed(_Shape):
    team_id: Id | None = None
    enterprise_id: Id | None = None


class _Envelope(_Installed):
    event_id: Id
    api_app_id: Id | None = None
    context_team_id: Id | None = None
    context_enterprise_id: Id | None = None
    is_ext_shared_channel: bool | None = None
    authorizations: list[_Installed] | None = None


class _File(_Shape):
    id: Id | None = None
    name: str | None = None
    title: str | None = None
    size: int | None = None
    mode: str | None = None
    url_private_download: str | None = None


class _Edited(_Shape):
    user: Id | None = None
    ts: Ts | None = None


class _Said(_Shape):
    """A message. It names no writer if a machine wrote it."""

    ts: Ts
    user: Id | None = None
    text: str | None = None
    thread_ts: Ts | None = None
    subtype: str | None = None
    bot_id: Id | None = None
    team: Id | None = None
    user_team: Id | None = None
    source_team: Id | None = None
    edited: _Edited | None = None
    files: list[_File] | None = None


class _Posted(_Said):
    channel: Id
    channel_type: str | None = None


class _Changed(_Shape):
    ts: Ts
    channel: Id
    channel_type: str | None = None
    message: _Said
    previous_message: _Said | None = None


class _Deleted(_Shape):
    ts: Ts
    deleted_ts: Ts | None = None
    channel: Id
    channel_type: str | None = None
    previous_message: _Said | None = None


class _MessageItem(_Shape):
    type: Literal["message"]
    channel: Id
    ts: Ts


class _OtherItem(_Shape):
    type: Literal["file", "file_comment"]


class _Reacted(_Shape):
    reaction: str
    user: Id
    item: _MessageItem | _OtherItem
    event_ts: Ts


class _Stopped(_Shape):
    channel: Id
    thread_ts: Ts
    user: Id
    event_ts: Ts
    streaming_message_ts: list[Ts] | None = None


class _Moved(_Shape):
    user: Id
    channel: Id


class _Place(_Shape):
    id: Id


class _GroupMoved(_Shape):
    subteam_id: Id


class _GroupChanged(_Shape):
    subteam: _Place


class _Other(_Shape):
    """An event that we acknowledge without reading it."""

    type: Id


_EVENTS: Final[Mapping[str, type[_Shape]]] = {
    "app_mention": _Posted,
    "message": _Posted,
    "member_joined_channel": _Moved,
    "member_left_channel": _Moved,
    "subteam_members_changed": _GroupMoved,
    "subteam_updated": _GroupChanged,
    "reaction_added": _Reacted,
    "agent_session_stopped": _Stopped,
}
_CHANGES: Final[Mapping[str, type[_Shape]]] = {"message_changed": _Changed, "message_deleted": _Deleted}
"""The subtypes of message events without a message of their own."""


class _Interaction(_Shape):
    api_app_id: Id | None = None
    team: _Place | None = None
    enterprise: _Place | None = None


class _User(_Shape):
    id: Id
    team_id: Id | None = None


class _Container(_Shape):
    message_ts: Ts
    thread_ts: Ts | None = None
    is_ephemeral: bool | None = None


class _Block(_Shape):
    type: str


class _Message(_Shape):
    thread_ts: Ts | None = None
    text: str | None = None
    blocks: list[_Block] | None = None


class _Picked(_Shape):
    value: Value | None = None


class _Entered(_Shape):
    """What a field of a modal holds: text, or an option."""

    value: str | None = None
    selected_option: _Picked | None = None


class _Action(_Picked):
    action_id: Id
    action_ts: Ts
    selected_option: _Picked | None = None


class _Click(_Interaction):
    user: _User
    channel: _Place
    container: _Container
    trigger_id: str
    message: _Message | None = None
    actions: list[_Action] = Field(min_length=1)


class _Shortcut(_Interaction):
    callback_id: Id
    user: _User
    channel: _Place
    message: _Said


class _Entries(_Shape):
    values: dict[str, dict[str, _Entered]]


class _View(_Shape):
    id: Id
    callback_id: Id
    private_metadata: str | None = None
    app_installed_team_id: Id | None = None
    state: _Entries


class _Submission(_Interaction):
    user: _User
    view: _View


_INTERACTIONS: Final[Mapping[str, type[_Shape]]] = {
    "block_actions": _Click,
    "message_action": _Shortcut,
    "view_submission": _Submission,
}


def kind_of(payload: Mapping[str, Any]) -> str:
    """Return our name for a payload's kind; “other” if we read none of it."""
    match payload:
        case {"type": "event_callback", "event": {"type": "message", "subtype": str(subtype)}} if subtype in _CHANGES:
            return subtype
        case {"type": "event_callback", "event": {"type": str(event)}} if event in _EVENTS:
            return event
        case {"type": str(interaction)} if interaction in _INTERACTIONS:
            return interaction
        case _:
            return "other"


def faults(payload: Mapping[str, Any]) -> list[str]:
    """Return the faults of a payload: their place and kind in our words, without any content."""
    kind = kind_of(payload)
    if kind in _INTERACTIONS:
        return _faults_of(_INTERACTIONS[kind], payload)
    if payload.get("type") != "event_callback":
        return ["type unread"]
    event = {**_EVENTS, **_CHANGES}.get(kind, _Other)
    return [*_faults_of(_Envelope, payload), *_faults_of(event, payload.get("event"))]


def _faults_of(shape: type[_Shape], given: Any) -> list[str]:
    try:
        shape.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_input=False, include_context=False, include_url=False)
        return [f"{_place(fault['loc'])} {fault['type']}".strip() for fault in found[:_MOST_FAULTS]]
    return []


def _place(location: tuple[int | str, ...]) -> str:
    """Return the place of a fault, without names from the payload, such as a block's."""
    return ".".join(str(part) if isinstance(part, int) or part in _NAMES else "*" for part in location)


def _names(shape: type[BaseModel]) -> set[str]:
    inner = [_names(one) for one in shape.__subclasses__()]
    return set(shape.model_fields).union(*inner)


_NAMES: Final = frozenset(_names(_Shape))
