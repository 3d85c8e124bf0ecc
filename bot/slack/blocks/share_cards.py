"""What goes with an answer that is told elsewhere: to its asker alone, or shared in its channel (pure)."""

from collections.abc import Sequence
from typing import Final

from bot.slack.blocks.elements import Block, context, unnamed
from bot.slack.payloads import buttons

TOLD_ALONE: Final = "I answer you in a direct message: look for me there."
NOT_TAKEN: Final = "Too many questions wait, so I have not taken this one. Please press the button again in a while."
SHARED: Final = "An answer from our documents"
NOT_YOURS: Final = "Only the person who asked can share this answer, and only while it is the current one."
NOT_FOR_ALL: Final = (
    "What this answer rests on has changed since, or is not for that channel any more, so I shared nothing. Please ask"
    " again."
)
NOT_FOR_YOU_ANY_MORE: Final = (
    "What this answer rests on has changed since, or you may not read it any more, so I shared nothing."
)
NOT_A_MEMBER: Final = "I cannot see that you are in that channel, so I shared nothing."
TOO_LONG: Final = "This answer is too long for one message, so I cannot share it. Copy the part that matters."
OUTSIDERS_THERE: Final = "People of another company can read that channel now, so I shared nothing."
NOT_THERE: Final = "I cannot write in that channel or thread any more, so I shared nothing."
GIVEN_UP: Final = "I could not post this answer for more than an hour, so I shared nothing. Please share it again."


def shared_blocks(blocks: Sequence[Block], by: str, *, is_restricted: bool) -> list[Block]:
    """Return the copy of an answer for its channel, from the message that shows it, without its buttons.

    `is_restricted` tells whether it rests on documents that not everybody there may read.
    """
    kept = [
        unnamed(block)
        for block in blocks
        if block["type"] not in ("actions", "context_actions") and "accessory" not in block
    ]
    of = ", from documents that not everybody here may read" if is_restricted else ""
    return [*kept, context(f"Shared by <@{by}>{of}")]


def rests_on(blocks: Sequence[Block]) -> set[int]:
    """Return the passages that an answer cites, as its buttons for rating it tell, from the message that shows it."""
    rating = [one for block in blocks if block["type"] == "context_actions" for one in block["elements"]]
    return {passage for one in rating for passage in buttons.passages_of(one["negative_button"]["value"])}
