"""The ports that show answers: what the reconciler needs from Slack and from the terminal."""

from collections.abc import Collection, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from bot.conversation.address import Address, PersonId, Placed, Ts
from bot.conversation.items import Item
from bot.conversation.message_kinds import (
    AssumptionBanner,
    CardOutcome,
    MessageRefused,
    PartialAnswer,
    Parts,
    Record,
    Shown,
)
from graph.events import AnswerEvent, ClarificationRequested
from graph.turn import Remark


class Presenter(Protocol):
    """Shows one item's run in the item's thread. Showing the same twice changes nothing."""

    async def begin(self) -> None:
        """Show that the bot is at work, and take over the messages of an earlier run."""
        ...

    async def show(self, event: AnswerEvent) -> None:
        """Show an event of the run. A question back gets its card from `ask`, after it is stored."""
        ...

    async def ask(self, token: str, event: ClarificationRequested) -> None:
        """Post the card with the question and its buttons."""
        ...

    async def show_outcome(self, card: Placed, token: str, asked: ClarificationRequested, outcome: CardOutcome) -> None:
        """Show on an earlier card how its question ended, and which choices are left."""
        ...

    def set_banner(self, banner: AssumptionBanner) -> None:
        """Name the assumed interpretation below the answer when the answer is complete."""
        ...

    async def remind(self, asker: PersonId, question: str, *, until: datetime) -> None:
        """Remind the asker of an open question, and say when it is answered without them."""
        ...

    async def remove(self, message: Placed) -> None:
        """Delete a message of ours. Do nothing if it is already gone."""
        ...

    async def stop(self, said: PartialAnswer, *, by: PersonId | None) -> None:
        """Show the partial answer, who stopped the run, and a button to answer after all."""
        ...

    async def refuse(self, refused: MessageRefused) -> None:
        """Tell the person that their message was refused, in private if possible."""
        ...

    async def tell(self, text: str) -> None:
        """Tell the item's person something that nobody else sees."""
        ...

    async def dismiss(self, reason: str) -> None:
        """Say why there will be no answer, without a way to retry."""
        ...

    async def fail(self, reason: str) -> None:
        """Say why there is no answer, with the reference and a way to retry."""
        ...

    async def close(self) -> None:
        """Wait for background updates, such as those of an earlier card. Nothing is shown after that."""
        ...


class Output(Protocol):
    """The output for answers: Slack, or the terminal."""

    def presenter(
        self, item: Item, *, posted: Mapping[Shown, Parts], record: Record
    ) -> AbstractAsyncContextManager[Presenter]:
        """Open a presenter that takes over `posted`, the messages of an earlier run of the item, in parts."""
        ...

    async def meet(self, address: Address, key: str) -> Address:
        """Begin a direct conversation about a question from a channel, once for each key; return its address.

        Raises `SlackError` if Slack allows none.
        """
        ...

    async def unrecorded(self, address: Address, known: Collection[Ts]) -> Placed | None:
        """Find a message of ours, newer than the address's, that is not recorded because its run died first.

        Only one run of a thread is active, so there is at most one such message, and it is the item's. Raises
        `SlackError` if the thread cannot be read: an unreadable thread is not an empty one.
        """
        ...

    async def posted_text(self, address: Address, message: Parts) -> str:
        """Read the text of a message of ours that an unfinished run has left. Raises `SlackError` if that fails."""
        ...

    async def earlier(self, address: Address) -> tuple[Remark, ...]:
        """Read the earlier messages of people in the thread."""
        ...
