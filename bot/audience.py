"""Audiences: who may read a document, and under which names a person reads in a conversation (pure)."""

from collections.abc import Awaitable, Callable, Collection
from typing import Final, Literal, TypeAlias

from bot.errors import KnowledgeError

Names: TypeAlias = frozenset[str]
NamesOf: TypeAlias = Callable[[str], Awaitable[Names]]
"""Returns the names under which a person, in a direct message, or a channel reads now."""

EVERYONE: Final = "everyone"
"""All members of the workspace, everywhere, but no guests."""
GUESTS: Final = "guests"
"""Guests of the workspace, wherever they get answers."""
BESIDE_GUESTS: Final = "+guests"
"""Among names: who reads under them reads only what is also for guests. It is no name of an audience."""
ALL: Final[Names] = frozenset({"*"})
"""Reads everything: for ingests, administrators in the terminal and evaluations, never in Slack."""


GROUP: Final = "group:"
CHANNEL: Final = "channel:"


def channel_name(channel: str) -> str:
    """Return a channel's name in an audience."""
    return f"{CHANNEL}{channel}"


def person_name(person: str) -> str:
    """Return a person's name in an audience."""
    return f"person:{person}"


def default_names(kind: str, location: str) -> list[str]:
    """Return who may read a new source: the channel's members if it is a channel, otherwise everyone.

    Of a direct message nobody is named, because its location does not tell whose it is.
    """
    if kind != "slack":
        return [EVERYONE]
    channel = location.partition(":")[2].partition("/")[0]
    return [] if is_direct(channel) else [channel_name(channel)]


def group_name(group: str) -> str:
    """Return a user group's name in an audience."""
    return f"{GROUP}{group}"


def is_direct(channel: str) -> bool:
    """Tell whether a conversation is a direct message between one person and the bot."""
    return channel.startswith("D")


def names_of(
    person: str,
    channel: str,
    *,
    account_type: Literal["member", "guest"],
    own_channels: Collection[str],
    own_groups: Collection[str] = (),
    has_outsiders: bool = False,
) -> Names:
    """Return the names under which a person reads in a conversation.

    In a channel others read along, so the names are everyone and this channel; if outsiders are in the channel, only
    what is also for guests. In a direct message the names are everyone, the person, and their channels and user groups.
    A guest reads as a guest, and in a direct message as themselves.
    """
    of_person = {person_name(person)} if is_direct(channel) else set[str]()
    if account_type == "guest":
        return frozenset({GUESTS, *of_person})
    if not is_direct(channel):
        return names_in(channel, has_outsiders=has_outsiders)
    return frozenset({EVERYONE, *of_person, *map(channel_name, own_channels), *map(group_name, own_groups)})


def names_in(channel: str, *, has_outsiders: bool) -> Names:
    """Return the names under which all of a channel reads."""
    beside = {BESIDE_GUESTS} if has_outsiders else set[str]()
    return frozenset({EVERYONE, channel_name(channel), *beside})


def read_names(words: Collection[str]) -> Names:
    """Read the names that an administrator writes: everyone, guests, nobody, ids of channels, user groups and people.

    Raises `KnowledgeError` that says which word is no name.
    """
    if "nobody" in words:
        if len(words) > 1:
            raise KnowledgeError("`nobody` excludes other names: leave them out.")
        return Names()
    return frozenset(_read_name(word) for word in words)


def known_names(words: Collection[str]) -> tuple[Names, list[str]]:
    """Read the names that a source gives its readers. Return them, and the words that are no names: nobody's."""
    names, unknown = set[str](), list[str]()
    for word in words:
        try:
            names |= read_names([word])
        except KnowledgeError:
            unknown.append(word)
    return frozenset(names), unknown


def written(names: Collection[str]) -> str:
    """Write an audience's names in the administrator's form."""
    return " ".join(sorted(name.rpartition(":")[2] for name in names)) or "nobody"


def is_person(word: str) -> bool:
    """Tell whether a word has the form of a person's id in Slack. Without a digit it counts as a word."""
    return _is_id(word, "UW")


def is_channel(word: str) -> bool:
    """Tell whether a word has the form of a channel's id in Slack. An old one may have no digit."""
    return _has_form(word, "CDG")


def is_any_person(word: str) -> bool:
    """Tell whether a word has the form of a person's id, also of an old one without a digit: it has nine letters."""
    return is_person(word) or (_has_form(word, "UW") and len(word) >= 9)  # noqa: PLR2004 (as said)


def is_person_id(recipient: str) -> bool:
    """Tell whether the id of a person or a channel is a person's. An old one may have no digit."""
    return recipient[:1] in ("U", "W")


def _is_id(word: str, initials: str) -> bool:
    # GUESTS and SUPPORT are no ids: those have a digit.
    return any(sign.isdigit() for sign in word) and _has_form(word, initials)


def _has_form(word: str, initials: str) -> bool:
    return word.isascii() and word.isalnum() and word.isupper() and word[0] in initials


def _read_name(word: str) -> str:
    if word in (EVERYONE, GUESTS):
        return word
    if _is_id(word, "CG"):
        return channel_name(word)
    if _is_id(word, "S"):
        return group_name(word)
    if is_person(word):
        return person_name(word)
    raise KnowledgeError(
        f"{word} is no name: give everyone, guests, nobody, or ids as Slack shows them (C0123ABCD for a channel, "
        "S0123ABCD for a user group, U0123ABCD for a person)."
    )
