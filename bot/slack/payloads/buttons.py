"""What our buttons are called and what they carry: opaque text that comes back as it went out, or forged."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, StringConstraints, ValidationError

from bot.contributions.add import MessageChosen
from bot.conversation.address import ChannelId, PersonId, Ts
from graph import patterns

OPTION: Final = "option"
"""Buttons of one block need different ids, so those of options are `option:0`, `option:1`…"""
SOMETHING_ELSE: Final = "something_else"
JUST_ANSWER: Final = "just_answer"
LOOK_AT_CHANGE: Final = "look_at_change"
"""The button that shows its asker what they may approve, and the modal that it opens."""
ASK_AGAIN: Final = "ask_again"
CHANGE: Final = "change"
"""The menu in which people choose again."""
RETRY: Final = "retry"
FEEDBACK: Final = "feedback"
FOLLOW_UP: Final = "follow_up"
"""Buttons with questions to ask next: `follow_up:0`, `follow_up:1`."""
DENY_WISH: Final = "deny_wish"
"""The button that says that a phrase is no wish for a preset."""
LOOK_AGAIN: Final = "look_again"
"""Retry, below a message whose writer could not be checked."""

ASK_HUMAN: Final = "review_ask"
APPROVE: Final = "review_approve"
EDIT: Final = "review_edit"
REJECT: Final = "review_reject"
EDITED: Final = "review_edited"
"""The modal with the draft; its fields are `review_edited:0`, `review_edited:1`…"""
REJECTED: Final = "review_rejected"
"""The modal that asks why, and the field in it."""
OF_REVIEWS: Final = "review_"
"""How all of these begin."""

KEEP: Final = "verified_keep"
KEEP_WORDS: Final = "verified_keep_words"
OF_VERIFY: Final = "verified_"
"""How the buttons begin that keep an answer."""

RETIRE: Final = "kept_retire"
REVISE: Final = "kept_revise"
REVISED: Final = "kept_revised"
"""The modal with a verified answer, and the field in it."""
HOLDS: Final = "kept_holds"
HOLDS_NOT: Final = "kept_holds_not"
CHECKED: Final = "kept_checked"
OF_MAINTAIN: Final = "kept_"
"""How the buttons and the modal of verified answers begin."""

MODE: Final = "mode_set"
"""The buttons of a channel's card that choose a mode: `mode_set:questions`, `mode_set:on`…"""
NOT_FOR_YOU: Final = "mode_not_for_you"
OF_MODES: Final = "mode_"
"""How all of these begin."""

TELL_ALONE: Final = "share_tell_alone"
"""The button that answers a question in a direct message, from all that its asker may read."""
SHARE: Final = "share_in_channel"
OF_SHARES: Final = "share_"
"""How the buttons begin that tell an answer elsewhere."""

WHAT_WAS_WRONG: Final = "flag_what_was_wrong"
"""The modal that asks who disliked an answer; its fields follow."""
REASON: Final = "flag_reason"
DOCUMENT: Final = "flag_document"
WORDS: Final = "flag_words"
NAMED: Final = "flag_named"
IS_RIGHT: Final = "flag_is_right"
REREAD: Final = "flag_reread"
OF_FLAGS: Final = "flag_"
"""How the buttons and the modal about flagged documents begin."""

UNDO_ADDING: Final = "added_undo"
ADD_FILES: Final = "added_files"
OF_ADDED: Final = "added_"
"""How the buttons about additions to knowledge begin."""

ADD_TO_KNOWLEDGE: Final = "add_to_knowledge"
FORGET_THIS: Final = "forget_this"
WHY_THIS_ANSWER: Final = "why_this_answer"
"""The shortcuts on a message."""

TYPED_ANSWER: Final = "typed_answer"
"""The modal, and the field in it."""

Stamp: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,12}\.[0-9]{1,9}$")]
"""The `ts` of a message."""
MenuEntry: TypeAlias = Literal["option", "something_else", "ask_next_time"]
_Printable: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\P{C}*$")]
_ID: Final = patterns.compile(r"[0-9]{1,18}")
VALUE_LIMIT: Final = 2000
"""Characters that a button's value holds, says Slack."""


def with_token(token: str, named: str) -> str:
    """Return the value of a button that names something of what the token stands for: an option, or a message.

    Raises `ValueError` if Slack would not take it.
    """
    value = f"{token}|{named}"
    if len(value) > VALUE_LIMIT:
        raise ValueError(f"What a button names may have {VALUE_LIMIT - len(token) - 1} characters.")
    return value


def token_and_named(value: str) -> tuple[str, str]:
    """Return what `with_token` was made of."""
    token, _, named = value.partition("|")
    return token, named


def disliked_value(passages: Sequence[int]) -> str:
    """Return the value of 👎 below an answer that cites these passages."""
    return "|".join(["bad", *map(str, passages)])


def passages_of(value: str) -> tuple[int, ...]:
    """Return the passages that `disliked_value` was made of; none if the value is forged."""
    _, *passages = value.split("|")
    return tuple(map(int, passages)) if all(_ID.fullmatch(one) for one in passages) else ()


def document_of(value: str) -> int | None:
    """Return the document that a button is about; `None` if the value is forged."""
    return int(value) if _ID.fullmatch(value) else None


def value_of_chosen(chosen: MessageChosen) -> str:
    """Return the value of a button about a message, wherever the button is."""
    return f"{chosen.channel}|{chosen.thread_ts}|{chosen.ts}"


def chosen_of_value(value: str, person: PersonId) -> MessageChosen | None:
    """Return the message that `value_of_chosen` was made of, as `person` clicks; `None` if the value is forged."""
    match value.split("|"):
        case [channel, thread_ts, ts] if channel and thread_ts and ts:
            return MessageChosen(channel=ChannelId(channel), thread_ts=Ts(thread_ts), ts=Ts(ts), person=person)
        case _:
            return None


class Carried(BaseModel):
    """What a button carries, with bars between the fields; only the last may hold bars of its own."""

    model_config = ConfigDict(frozen=True)

    def as_text(self) -> str:
        """Return it as a button's value."""
        return "|".join(map(str, self.model_dump().values()))

    @classmethod
    def of_text(cls, text: str) -> Self | None:
        """Return what `as_text` was made of, or None if somebody else wrote it."""
        names = list(cls.model_fields)
        try:
            return cls.model_validate(dict(zip(names, text.split("|", len(names) - 1), strict=True)))
        except ValueError:
            return None


class Unchecked(Carried):
    """A message that was not stored, because Slack did not say who wrote it. It is in the channel of its button."""

    thread_ts: Stamp
    ts: Stamp
    whose: Literal["ours", "shared"]
    """Whether another company reads along there."""


class AskedHere(Carried):
    """A question that may be answered elsewhere; it is in the channel of its button."""

    thread_ts: Stamp
    ts: Stamp
    question: Annotated[str, Field(min_length=1)]


class Pick(Carried):
    """What an entry of the menu carries: which choice it changes, and to what."""

    token: str
    revision: NonNegativeInt
    entry: MenuEntry
    option_id: str = ""


class ModalOrigin(BaseModel):
    """The card that a modal was opened from."""

    model_config = ConfigDict(frozen=True)

    token: _Printable
    channel: _Printable
    thread_ts: _Printable
    revision: int | None = None
    """The choice that its text changes; None if it answers an open question."""
    card_ts: Stamp | Literal[""] = ""
    fingerprint: _Printable = ""
    """What the modal shows, if it is to be approved."""

    def as_text(self) -> str:
        """Return it as a modal's `private_metadata`."""
        return self.model_dump_json()

    @classmethod
    def of_text(cls, text: str) -> Self | None:
        """Return what `as_text` was made of, or None if somebody else wrote it."""
        try:
            return cls.model_validate_json(text)
        except ValidationError:
            return None
