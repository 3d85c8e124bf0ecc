"""Items that come of other items: the answer to a question, a change of a message, a stop… (pure)."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from bot.conversation.address import PersonId, Ts
from bot.conversation.items import Kind

OFFSETS: Final = {"before": Decimal("-0.0000005"), "after": Decimal("0.0000001")}
"""Less than Slack's timestamps differ by, so that nothing comes between."""


Place: TypeAlias = Ts | Literal["before", "after"]
"""A time, or directly beside another item."""


def new_reference() -> str:
    """Return what a person quotes to an administrator: eight characters that are easy to read out."""
    return "".join(secrets.choice("23456789ABCDEFGHJKMNPQRSTUVWXYZ") for _ in range(8))


@dataclass(frozen=True, kw_only=True)
class Sequel:
    """An item that comes of another, in whose thread and at whose address it is."""

    kind: Kind
    about: int
    """The other item's id."""
    place: Place
    """Where it stands in its thread."""
    event_key: str
    content: Mapping[str, object]
    person: PersonId | None = None
    """Whose doing it is; without one, that of the other's person."""
    reference: str = field(default_factory=new_reference)

    @property
    def position(self) -> Ts | None:
        """The time at which it stands, if it stands at one."""
        return None if self.place in OFFSETS else Ts(self.place)

    @property
    def offset(self) -> Decimal | None:
        """How far it stands from the other, if it stands beside it."""
        return OFFSETS.get(self.place)
