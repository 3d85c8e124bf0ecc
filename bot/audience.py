"""Who may read a document: the names of an audience, and which of them somebody has where they ask (pure)."""

from collections.abc import Collection
from typing import Final, Literal, TypeAlias

from bot.errors import KnowledgeError

Names: TypeAlias = frozenset[str]

EVERYONE: Final = "everyone"
"""All members of the workspace, everywhere; no guest."""
GUESTS: Final = "guests"
"""Guests of the workspace, everywhere they are answered."""
ALL: Final[Names] = frozenset({"*"})
"""Who reads everything: an ingest, an administrator at the terminal, a measurement. Nobody in Slack."""


def channel_name(channel: str) -> str:
    """Return the name that a channel has in an audience."""
    return f"channel:{channel}"


def person_name(person: str) -> str:
    """Return the name that a person has in an audience."""
    return f"person:{person}"


def is_direct(channel: str) -> bool:
    """Tell whether a conversation is between one person and the bot; one of several people is none."""
    return channel.startswith("D")


def names_of(
    person: str, channel: str, *, standing: Literal["member", "guest"], own_channels: Collection[str]
) -> Names:
    """Return by which names somebody reads in a conversation.

    In a channel others read along: only what is for everyone, or for that very channel. In a direct message also
    what is for the person, and for the channels that they are in. A guest has none of it but what names guests or them.
    """
    of_person = {person_name(person)} if is_direct(channel) else set[str]()
    if standing == "guest":
        return frozenset({GUESTS, *of_person})
    if not is_direct(channel):
        return frozenset({EVERYONE, channel_name(channel)})
    return frozenset({EVERYONE, *of_person, *map(channel_name, own_channels)})


def read_names(words: Collection[str]) -> Names:
    """Return the names that an administrator writes: everyone, guests, nobody, and the ids of channels and people.

    Raises `KnowledgeError` that says what is no name.
    """
    if "nobody" in words:
        if len(words) > 1:
            raise KnowledgeError("Nobody is for nobody else: leave the other names out.")
        return Names()
    return frozenset(_read_name(word) for word in words)


def written(names: Collection[str]) -> str:
    """Return an audience's names as an administrator writes them."""
    return " ".join(sorted(name.rpartition(":")[2] for name in names)) or "nobody"


def _read_name(word: str) -> str:
    if word in (EVERYONE, GUESTS):
        return word
    is_id = word.isascii() and word.isalnum() and word.isupper()
    if is_id and word[0] in "CG":
        return channel_name(word)
    if is_id and word[0] in "UW":
        return person_name(word)
    raise KnowledgeError(
        f"{word} names nobody: give everyone, guests, nobody, or ids as Slack shows them (C0123ABCD for a channel, "
        "U0123ABCD for a person)."
    )
