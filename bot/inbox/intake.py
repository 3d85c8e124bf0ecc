"""The door: stores what comes in under its unique keys, and claims clicks, before anything is acknowledged."""

import secrets
from contextlib import suppress
from dataclasses import asdict, replace

from psycopg.errors import LockNotAvailable

from bot.database import Connection, Database
from bot.inbox import admission_store, change_store, clarification_store, store
from bot.inbox.admission import UNLIMITED, Limits
from bot.inbox.clarifications import Clarification, MayAnswer, labelled, refusal
from bot.inbox.items import Surface
from bot.intake import Change, Click, ClickOutcome, ClickRefused, ClickTaken, Message, Rating
from graph.context import Clock


class Inbox:
    """The intake of one workspace; implements `bot.intake.Intake`."""

    def __init__(
        self, database: Database, clock: Clock, *, workspace: str, surface: Surface, may_answer: MayAnswer = "anyone",
        limits: Limits = UNLIMITED,
    ) -> None:  # fmt: skip
        self._database = database
        self._clock = clock
        self._workspace = workspace
        self._surface: Surface = surface
        self._may_answer: MayAnswer = may_answer
        self._limits = limits

    async def receive(self, message: Message) -> None:
        """Store a message once; drop one that was not said to the bot in a thread the bot does not know."""
        async with self._database.connection() as connection:
            await self._admit(connection, message)

    async def change(self, change: Change) -> None:
        """Store, once, that a message was edited or deleted; one that has not come in yet, as if it came so."""
        workspace, surface, now = self._workspace, self._surface, self._clock.now()
        async with self._database.transaction(workspace) as connection:
            if change.kind == "edit":
                await self._admit(connection, change.message)
            else:
                await change_store.insert_removed(
                    connection, change.message,
                    workspace=workspace, surface=surface, reference=new_reference(), now=now,
                )  # fmt: skip
            await change_store.insert_change(
                connection, change, workspace=workspace, surface=surface, reference=new_reference(), now=now
            )

    async def choose(self, click: Click) -> ClickOutcome:
        """Claim the clarification and store the reply in one transaction, or say why not."""
        try:
            async with self._database.transaction(self._workspace) as connection:
                clarification = await clarification_store.lock_clicked(connection, click)
                refused = refusal(clarification, click, self._may_answer)
                if clarification is None or refused:
                    return refused or ClickRefused(reason="unknown")
                await self._take(connection, clarification, click)
                return ClickTaken()
        except LockNotAvailable:
            # Whoever holds the row answers by typing, or clicked in this very moment: either way it is answered.
            return await self._outrun(click)

    async def rate(self, rating: Rating) -> None:
        """Store a verdict; a person's last one counts."""
        async with self._database.transaction(self._workspace) as connection:
            await store.insert_feedback(
                connection,
                workspace=self._workspace,
                channel=rating.channel,
                ts=rating.message_ts,
                person=rating.person,
                verdict=rating.verdict,
                now=self._clock.now(),
            )

    async def retry(self, reference: str) -> None:
        """Let a failed turn run again; one that runs is left alone."""
        with suppress(LockNotAvailable):
            async with self._database.transaction() as connection:
                await store.retry(connection, reference, workspace=self._workspace, now=self._clock.now())

    async def _admit(self, connection: Connection, message: Message) -> None:
        await admission_store.admit(
            connection, message,
            workspace=self._workspace, surface=self._surface, reference=new_reference(), limits=self._limits,
            now=self._clock.now(),
        )  # fmt: skip

    async def _take(self, connection: Connection, clarification: Clarification, click: Click) -> None:
        now = self._clock.now()
        choice = labelled(click.choice, clarification)
        await clarification_store.mark_answered(connection, clarification.id, choice, person=click.person, now=now)
        address, surface, _ = await clarification_store.origin(connection, clarification.inbox_id)
        await store.insert_about_clarification(
            connection,
            "reply",
            replace(address, person=click.person),
            {"clarification_id": clarification.id, "choice": asdict(choice)},
            workspace=self._workspace,
            surface=surface,
            event_key=click.event_key,
            position=click.clicked_at,
            reference=new_reference(),
            now=now,
        )

    async def _outrun(self, click: Click) -> ClickRefused:
        async with self._database.transaction(self._workspace) as connection:
            clarification = await clarification_store.clarification_by_token(connection, click.token)
        refused = refusal(clarification, click, self._may_answer)
        return refused or ClickRefused(reason="answered", question=clarification.about if clarification else "")


def new_reference() -> str:
    """Return what a person quotes to an administrator: eight characters that are easy to read out."""
    return "".join(secrets.choice("23456789ABCDEFGHJKMNPQRSTUVWXYZ") for _ in range(8))
