"""The intake: stores inputs under unique keys, and decides clicks, before Slack gets an acknowledgement."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Final

from psycopg.errors import LockNotAvailable

from bot.conversation import command_store, message_store, store
from bot.conversation.address import Placed, Ts
from bot.conversation.arrival_store import Arrivals
from bot.conversation.asks import ask_store, channel_store, family_store, preference_store
from bot.conversation.asks.ask import USUAL, AskRules
from bot.conversation.asks.clarifications import Clarification, labelled, refusal
from bot.conversation.contents import ChangeContent, StopContent
from bot.conversation.inputs import (
    UNLIMITED,
    AnswerClicked,
    Change,
    Click,
    ClickedQuestion,
    ClickRefused,
    Declined,
    Message,
    QueueLimits,
    Rating,
    Stop,
    notice_key,
)
from bot.conversation.items import Surface
from bot.conversation.message_kinds import MessageRefused
from bot.conversation.workers import claim_store
from bot.postgres.pool import Connection, Database
from graph.context import Clock
from graph.tools import PlannedChange

REMEMBERED: Final = 1000


@dataclass
class _Arrival:
    """A message that this process has received lately."""

    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_stored: bool = False
    """Whether this process has committed it."""


class Intake:
    """The intake of one workspace. When a method returns, its input is committed."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        workspace: str,
        surface: Surface,
        rules: AskRules = USUAL,
        limits: QueueLimits = UNLIMITED,
    ) -> None:
        self._database = database
        self._clock = clock
        self._workspace = workspace
        self._rules = rules
        self._arrivals = Arrivals(workspace=workspace, surface=surface, clock=clock, limits=limits)
        self._lately: dict[str, _Arrival] = {}

    async def receive(self, message: Message) -> None:
        """Store a message once. Ignore one that does not address the bot in a thread that the bot does not know.

        A mention comes as two events, nearly at once. The second one waits, and mostly needs no statement of its own.
        """
        arrival = self._lately.setdefault(message.message_key, _Arrival())
        if len(self._lately) > REMEMBERED:
            del self._lately[next(iter(self._lately))]
        async with arrival.one_at_a_time:
            if not arrival.is_stored:
                async with self._database.connection() as connection:
                    is_new = await self._arrivals.admit(connection, message)
                # Only now: through a pooler, the end of the loan commits it, or fails.
                arrival.is_stored = is_new

    async def receive_untagged(self, message: Message, *, concluded: Callable[[Connection], Awaitable[bool]]) -> None:
        """Store a message for which nobody called the bot, in the transaction that concludes that it is answered."""
        async with self._database.transaction(self._workspace) as connection:
            if await concluded(connection):
                await self._arrivals.admit(connection, message)

    async def concerns(self, message: Message, *, earlier_too: bool = False) -> bool:
        """Tell whether a message is for the bot: addressed to it, or in a thread that it knows.

        `earlier_too`: also if it is older than that, because the bot may have read it as context.
        """
        if message.turn.addressed:
            return True
        async with self._database.connection() as connection:
            return await self._arrivals.is_for_us(connection, message, earlier_too=earlier_too)

    async def decline(self, message: Message, why: Declined, *, edited_at: Ts | None) -> None:
        """Record, once, that the writer gets a notice about a refused message or edit. No words of it are stored.

        A guest gets one notice a minute. A person who could not be checked gets one for each message, with Retry.
        """
        now = self._clock.now()
        each = f"notice:{message.message_key}:{edited_at or ''}"
        async with self._database.connection() as connection:
            key = each if why == "unchecked" else notice_key(message.address.person, now)
            await self._arrivals.insert_notice(connection, message, MessageRefused(of=why), key=key)

    async def change(self, change: Change) -> None:
        """Store an edit or a deletion once. If the message is not stored yet, store it with its new text."""
        async with self._database.transaction(self._workspace) as connection:
            if not change.of_known_only:
                store_it = self._arrivals.admit if change.kind == "edit" else self._arrivals.insert_removed
                await store_it(connection, change.message, changed_at=change.changed_at)
            await self._pass_on(connection, change)
            # The asker may have had the same question answered alone.
            await self._pass_on(connection, replace(change, message=change.message.told_alone))

    async def stop(self, stop: Stop) -> bool:
        """Store a stop once, and end the run. Return whether there was something to stop."""
        async with self._database.transaction(self._workspace) as connection:
            target = await command_store.meant_by(connection, stop)
            if target is None:
                return False
            rules = await channel_store.rules_for(connection, self._rules, target.address.channel)
            if not (stop.is_native or rules.lets(stop.person, asker=target.address.person)):
                return False
            content = StopContent(target=target.id, by=stop.person)
            await command_store.insert(connection, content, event_key=stop.event_key, now=self._clock.now())
        return True

    async def choose(self, click: Click) -> ClickRefused | None:
        """Store a choice, or a change of a choice, with the item that answers it; or say why not."""
        try:
            async with self._database.transaction(self._workspace) as connection:
                asked = await ask_store.lock(connection, Clarification, click.token)
                refused = await self._refused(connection, asked, click)
                if asked and not refused:
                    labelled_click = replace(click, choice=labelled(click.choice, asked))
                    await ask_store.choose(connection, asked, labelled_click, rules=self._rules, now=self._clock.now())
                return refused
        except LockNotAvailable:
            async with self._database.transaction(self._workspace) as connection:
                asked = await ask_store.by_token(connection, Clarification, click.token)
                # What holds the question may leave it open: talk among people is read, too.
                return await self._refused(connection, asked, click) or ClickRefused(reason="held")

    async def look_at_change(self, click: Click) -> PlannedChange | ClickRefused:
        """Return the change that the person may approve, or why they may not."""
        async with self._database.transaction(self._workspace) as connection:
            asked = await ask_store.by_token(connection, Clarification, click.token)
            refused = await self._refused(connection, asked, click)
        return refused or (asked and asked.change) or ClickRefused(reason="unknown")

    async def ask_next_time(self, click: Click) -> ClickRefused | None:
        """Delete the preference that was assumed, and ask from now on. Only the asker of the question may do that."""
        async with self._database.transaction(self._workspace) as connection:
            asked = await ask_store.by_token(connection, Clarification, click.token)
            if asked is None:
                return ClickRefused(reason="unknown")
            if refused := await self._elsewhere(connection, asked, click):
                return refused
            if asked.asker != click.person:
                return ClickRefused(reason="not_yours")
            await preference_store.forget(connection, asked, rules=self._rules, now=self._clock.now())
        return None

    async def ask_clicked(self, message: Message) -> ClickedQuestion:
        """Store the question that somebody clicked, once, as theirs; return who asked it and whether it waits.

        If too many messages waited at an earlier click, this one may ask.
        """
        async with self._database.transaction(self._workspace) as connection:
            await self._arrivals.drop_refused(connection, message)
            is_new = await self._arrivals.admit(connection, message)
            (known,) = await store.known_message(connection, message.message_key)
            item = await store.item_by_id(connection, known)
        return ClickedQuestion(asker=item.address.person, is_new=is_new, is_refused=item.status == "refused")

    async def deny_wish(self, denied: AnswerClicked) -> ClickRefused | None:
        """Run the question of an answer again with its full text, as if it was edited; or say why not.

        A person says that what was taken as a wish for a preset belongs to the question.
        """
        async with self._database.transaction(self._workspace) as connection:
            question, click = await family_store.question_of(connection, denied.answer), denied.address
            if question is None:
                return ClickRefused(reason="held")
            if not await message_store.belongs(connection, question.thread_id, clicked_in=click.thread_id):
                return ClickRefused(reason="elsewhere")
            rules = await channel_store.rules_for(connection, self._rules, question.address.channel)
            if not rules.lets(click.person, asker=question.address.person):
                return ClickRefused(reason="not_yours")
            if question.turn.is_literal:
                return ClickRefused(reason="repeated")
            literal = replace(question.turn, is_literal=True)
            edit = ChangeContent(target=question.id, changed_at=click.message_ts, turn=literal)
            key = f"literal:{question.id}:{question.changed_at or ''}"
            await command_store.insert(connection, edit, event_key=key, now=self._clock.now())
        return None

    async def rate(self, rating: Rating) -> bool:
        """Store a verdict; a person's last one counts. Return whether it is a new one."""
        async with self._database.transaction(self._workspace) as connection:
            return await message_store.insert_feedback(connection, rating, now=self._clock.now())

    async def retry(self, reference: str, thread_id: str, *, card: Placed | None = None) -> bool:
        """Retry a failed or unfinished item of a thread; leave a running one alone.

        Return whether the thread, and the message of the click, have such an item.
        """
        async with self._database.transaction(self._workspace) as connection:
            item = await store.by_reference(connection, reference)
            if item is None or not await message_store.belongs(connection, item.thread_id, clicked_in=thread_id):
                return False
            if card and not await family_store.shows(connection, card, item.id, item.shown_for):
                return False
        # Slack shows a failure a moment before it is committed.
        if await claim_store.await_run(self._database, item.thread_id, workspace=self._workspace):
            async with self._database.transaction(self._workspace) as connection:
                await store.retry(connection, item.id, now=self._clock.now())
        return True

    async def _refused(self, connection: Connection, asked: Clarification | None, click: Click) -> ClickRefused | None:
        """Say why a click does not count: it comes from elsewhere, or the question does not allow it."""
        if asked is None:
            return ClickRefused(reason="unknown")
        if refused := await self._elsewhere(connection, asked, click):
            return refused
        rules = await channel_store.rules_for(connection, self._rules, asked.channel)
        return refusal(asked, click, rules, now=self._clock.now())

    async def _pass_on(self, connection: Connection, change: Change) -> None:
        """Store a change as a command about its message, if this is known."""
        for target in await store.known_message(connection, change.message.message_key):
            turn = change.message.turn if change.kind == "edit" else None
            content = ChangeContent(target=target, changed_at=change.changed_at, turn=turn)
            await command_store.insert(connection, content, event_key=change.message.event_key, now=self._clock.now())

    async def _elsewhere(self, connection: Connection, asked: Clarification, click: Click) -> ClickRefused | None:
        """Refuse a click from outside the question's conversation or messages; name neither question nor choice."""
        is_here = await message_store.belongs(connection, asked.thread_id, clicked_in=click.thread_id)
        if is_here and (click.card is None or await family_store.shows(connection, click.card, asked.inbox_id)):
            return None
        return ClickRefused(reason="elsewhere")
