"""The shapes of payloads that we can read, and the faults of others (pure).

Only the parts that we read are described, by Slack's names. Other parts of a payload, now or later, are no fault.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from bot.slack.payloads.buttons import Stamp

Payload: TypeAlias = Mapping[str, Any]
Id: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,255}$")]
Value: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
"""What a button of ours carries: text that the database takes, so no half of a character either."""
_MOST_FAULTS: Final = 5
_ESSENCE: Final = ("ts", "bot_id", "user", "text")


class _Shape(BaseModel):
    """A part of a payload."""

    # An error may be logged: it must not hold what people wrote.
    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)


class _Installation(_Shape):
    """Whom a payload is for: the app in a workspace, or in an organization."""

    team_id: Id | None = None
    enterprise_id: Id | None = None


class Named(_Shape):
    """A channel, a workspace, an organization or a group, named by its id."""

    id: Id


class File(_Shape):
    """A file of a message."""

    id: Id | None = None
    name: str | None = None
    title: str | None = None
    size: int | None = None
    mode: str | None = None
    url_private_download: str | None = None


class _Edit(_Shape):
    """Who edited a message, and when."""

    user: Id | None = None
    ts: Stamp | None = None


class SlackMessage(_Shape):
    """A message, of an event or of a channel's history. It names no writer if a machine wrote it."""

    ts: Stamp
    user: Id | None = None
    text: str | None = None
    thread_ts: Stamp | None = None
    subtype: str | None = None
    hidden: bool | None = None
    bot_id: Id | None = None
    team: Id | None = None
    user_team: Id | None = None
    source_team: Id | None = None
    edited: _Edit | None = None
    files: list[File] | None = None
    action_token: str | None = None

    @property
    def root(self) -> str:
        """The first message of its thread, or itself."""
        return self.thread_ts or self.ts


class _InChannel(_Shape):
    type: Literal["message", "app_mention"]
    ts: Stamp
    channel: Id
    channel_type: str | None = None


class MessagePosted(SlackMessage, _InChannel):
    """A new message."""


class MessageChanged(_InChannel):
    """A message with its new content."""

    message: SlackMessage
    previous_message: SlackMessage | None = None


class MessageDeleted(_InChannel):
    """The end of a message."""

    deleted_ts: Stamp | None = None
    previous_message: SlackMessage | None = None


MessageEvent: TypeAlias = MessagePosted | MessageChanged | MessageDeleted


class MessageItem(_Shape):
    """A message that somebody reacted to."""

    type: Literal["message"]
    channel: Id
    ts: Stamp


class _OtherItem(_Shape):
    """Something else that somebody reacted to."""

    type: Literal["file", "file_comment"]


class ReactionAdded(_Shape):
    """A reaction."""

    reaction: str
    user: Id
    item: MessageItem | _OtherItem
    event_ts: Stamp


class SessionStopped(_Shape):
    """A press of Slack's own button that stops an answer."""

    channel: Id
    thread_ts: Stamp
    user: Id
    event_ts: Stamp
    streaming_message_ts: list[Stamp] | None = None


class MembershipChanged(_Shape):
    """Somebody joined or left a channel."""

    user: Id
    channel: Id


class GroupMembersChanged(_Shape):
    """People joined or left a user group."""

    subteam_id: Id


class GroupUpdated(_Shape):
    """A user group was changed, or switched off."""

    subteam: Named


class _OtherEvent(_Shape):
    """An event that we acknowledge without reading it."""

    type: Id


Event_co = TypeVar("Event_co", covariant=True)


class EventCallback(_Installation, Generic[Event_co]):
    """An event in its envelope."""

    event_id: Id
    event: Event_co
    api_app_id: Id | None = None
    context_team_id: Id | None = None
    context_enterprise_id: Id | None = None
    is_ext_shared_channel: bool | None = None
    authorizations: list[_Installation] | None = None

    @property
    def installations(self) -> list[_Installation]:
        """All that it names. In a channel that companies share, that is any of those that may see the event."""
        context = _Installation(team_id=self.context_team_id, enterprise_id=self.context_enterprise_id)
        return [self, context, *(self.authorizations or [])]


_EVENTS: Final[Mapping[str, type[EventCallback[Any]]]] = {
    "app_mention": EventCallback[MessagePosted],
    "message": EventCallback[MessagePosted],
    "member_joined_channel": EventCallback[MembershipChanged],
    "member_left_channel": EventCallback[MembershipChanged],
    "subteam_members_changed": EventCallback[GroupMembersChanged],
    "subteam_updated": EventCallback[GroupUpdated],
    "reaction_added": EventCallback[ReactionAdded],
    "agent_session_stopped": EventCallback[SessionStopped],
}
_CHANGES: Final[Mapping[str, type[EventCallback[Any]]]] = {
    "message_changed": EventCallback[MessageChanged],
    "message_deleted": EventCallback[MessageDeleted],
}
"""The subtypes of message events without a message of their own."""


class User(_Shape):
    """The person who acts."""

    id: Id
    team_id: Id | None = None


class Interaction(_Shape):
    """What a person does with something of ours."""

    user: User
    api_app_id: Id | None = None
    team: Named | None = None
    enterprise: Named | None = None

    @property
    def installations(self) -> list[_Installation]:
        """All that it names."""
        return [_Installation(team_id=self.team and self.team.id, enterprise_id=self.enterprise and self.enterprise.id)]


class _Container(_Shape):
    """Where a button is."""

    message_ts: Stamp
    thread_ts: Stamp | None = None
    is_ephemeral: bool | None = None


class _Typed(_Shape):
    model_config = ConfigDict(extra="allow")

    type: str


class ShownMessage(_Shape):
    """The message with a button. Slack does not say it of an ephemeral one."""

    thread_ts: Stamp | None = None
    text: str | None = None
    blocks: list[_Typed] | None = None


class _Option(_Shape):
    """An entry of a menu."""

    value: Value | None = None


class Entered(_Shape):
    """What a field of a modal holds: text, or an option."""

    value: str | None = None
    selected_option: _Option | None = None


class _Action(_Option):
    """A press of a button, or a pick in a menu."""

    action_id: Id
    action_ts: Stamp
    selected_option: _Option | None = None


class BlockActions(Interaction):
    """A click on a message of ours."""

    channel: Named
    container: _Container
    trigger_id: str
    message: ShownMessage | None = None
    actions: list[_Action] = Field(min_length=1)


class MessageAction(Interaction):
    """A shortcut that a person chose on a message."""

    callback_id: Id
    trigger_id: str = ""
    channel: Named
    message: SlackMessage


Entries: TypeAlias = Mapping[str, Mapping[str, Entered]]
"""What was entered in a modal: by field, then by the field's element, which we give the same name."""


class _ViewState(_Shape):
    values: dict[str, dict[str, Entered]]


class _View(_Shape):
    """A modal."""

    id: Id
    callback_id: Id
    private_metadata: str | None = None
    app_installed_team_id: Id | None = None
    state: _ViewState


class ViewSubmission(Interaction):
    """A modal that a person sent."""

    view: _View

    @property
    def installations(self) -> list[_Installation]:
        """All that it names. The view names its team only if an organization installed the app."""
        (named,) = super().installations
        return [named, _Installation(team_id=self.view.app_installed_team_id, enterprise_id=named.enterprise_id)]


_INTERACTIONS: Final[Mapping[str, type[Interaction]]] = {
    "block_actions": BlockActions,
    "message_action": MessageAction,
    "view_submission": ViewSubmission,
}


def kind_of(payload: Payload) -> str:
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


def event_in(payload: Payload) -> EventCallback[Any]:
    """Return the event of a payload. Raises pydantic's `ValidationError` if the payload has faults."""
    return {**_EVENTS, **_CHANGES}.get(kind_of(payload), EventCallback[_OtherEvent]).model_validate(payload)


def payload_in(payload: Payload) -> EventCallback[Any] | Interaction:
    """Return a payload as an object. Raises pydantic's `ValidationError` if it has faults."""
    interaction = _INTERACTIONS.get(kind_of(payload))
    return interaction.model_validate(payload) if interaction else event_in(payload)


def essence_in(found: Payload) -> SlackMessage | None:
    """Return what finds a message of ours again, whatever is wrong with the rest; `None` if that has faults too."""
    try:
        return SlackMessage.model_validate(
            {name: said for name in _ESSENCE if isinstance(said := found.get(name), str)}
        )
    except ValidationError:
        return None


def faults(payload: Payload) -> list[str]:
    """Return the faults of a payload: their place and kind in our words, without any content."""
    if kind_of(payload) not in _INTERACTIONS and payload.get("type") != "event_callback":
        return ["type unread"]
    try:
        payload_in(payload)
    except ValidationError as error:
        return faults_in(error)
    return []


def faults_in(error: ValidationError) -> list[str]:
    """Return the faults that an error of pydantic names, like `faults`."""
    found = error.errors(include_input=False, include_context=False, include_url=False)
    return [f"{_place(fault['loc'])} {fault['type']}".strip() for fault in found[:_MOST_FAULTS]]


def _place(location: tuple[int | str, ...]) -> str:
    """Return the place of a fault, without names from the payload, such as a block's."""
    return ".".join(str(part) if isinstance(part, int) or part in _NAMES else "*" for part in location)


def _names(shape: type[BaseModel]) -> set[str]:
    inner = [_names(one) for one in shape.__subclasses__()]
    return set(shape.model_fields).union(*inner)


_NAMES: Final = frozenset(_names(_Shape))
