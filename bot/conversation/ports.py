"""Where answers are shown: what the spine asks of Slack, and of the terminal."""

from collections.abc import Collection, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from bot.conversation.address import Address, PersonId, Placed, Ts
from bot.conversation.message_kinds import AssumptionBanner, Changeable, MessageRefused, Parts, Record, Settled, Shown
from bot.conversation.partial_answer import PartialAnswer
from graph.events import AnswerEvent, ClarificationRequested, Option
from graph.turn import Remark


class Presenter(Protocol):
    """Shows one item's run where it was asked; shown twice, it looks the same."""

    async def begin(self) -> None:
        """Say at once that the bot is at work, and take over what an earlier run of the item left."""
        ...

    async def show(self, event: AnswerEvent) -> None:
        """Show what the run says."""
        ...

    async def ask(self, token: str, event: ClarificationRequested) -> None:
        """Post the card with the question and its buttons."""
        ...

    async def show_outcome(
        self, card: Placed, *, token: str, question: str, options: tuple[Option, ...],
        how: Settled, by: PersonId | None = None, label: str = "", changeable: Changeable | None = None,
    ) -> None:  # fmt: skip
        """Show on an earlier card what became of its question, and what people may still choose."""
        ...

    def set_banner(self, banner: AssumptionBanner) -> None:
        """Say below the answer which reading it stands on, once it is there."""
        ...

    async def remind(self, asker: PersonId, question: str, *, until: datetime) -> None:
        """Call the asker to a question that still waits, and say when it is answered without them."""
        ...

    async def remove(self, message: Placed) -> None:
        """Take a message of ours away; once it is gone, do nothing."""
        ...

    async def stop(self, said: PartialAnswer, *, by: PersonId | None) -> None:
        """Show what the run had said, that a person stopped it, and a way to have it answered after all."""
        ...

    async def refuse(self, refused: MessageRefused) -> None:
        """Tell the person that their message was not taken, in private where that is possible."""
        ...

    async def dismiss(self, reason: str) -> None:
        """Say why there will be no answer, for good."""
        ...

    async def fail(self, reason: str) -> None:
        """Say plainly why there is no answer, with the reference and a way to try again."""
        ...

    async def close(self) -> None:
        """Wait for what is shown in the background, as on an earlier card; nothing is shown after it."""
        ...


class Output(Protocol):
    """Where answers are shown: Slack, or the terminal."""

    def presenter(
        self,
        address: Address,
        *,
        reference: str,
        posted: Mapping[Shown, Parts],
        record: Record,
        is_discreet: bool,
    ) -> AbstractAsyncContextManager[Presenter]:
        """Open a presenter; `posted` are the messages of an earlier run of the item, in parts, to be taken over.

        `is_discreet` is for messages that may not be meant for the bot: it works without showing so.
        """
        ...

    async def meet(self, address: Address, key: str) -> Address:
        """Begin a direct conversation about what a person asked in company, once a key; return its address.

        Raises `SlackError` where there can be none.
        """
        ...

    async def unrecorded(self, address: Address, known: Collection[Ts]) -> Placed | None:
        """Find a message of ours, newer than the address's, that we do not know: its run died before it could say so.

        One run at a time goes on in a thread, so there is one at most, and it is the item's. Raise `SlackError` where
        that cannot be told: a thread that cannot be read is unknown, not empty.
        """
        ...

    async def said(self, address: Address, message: Parts) -> str:
        """Read what a message of ours says, which an unfinished run has left; raise `SlackError` where that fails."""
        ...

    async def earlier(self, address: Address) -> tuple[Remark, ...]:
        """Read what people said in the thread before this message."""
        ...
