"""The intake of what people do with reviews: one person claims each, before Slack gets an acknowledgement."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from typing import TypeAlias

from psycopg.errors import LockNotAvailable

from bot.conversation import store
from bot.conversation.asks import ask_store, family_store
from bot.conversation.asks.review import (
    Decision,
    Looked,
    Review,
    ReviewRefused,
    refusal,
    refusal_to_ask,
)
from bot.conversation.inputs import AnswerClicked
from bot.conversation.workers import claim_store
from bot.postgres.pool import Connection, Database
from graph.context import Clock
from graph.tools import in_documents

ForEveryone: TypeAlias = Callable[[Connection, Collection[int]], Awaitable[bool]]
"""Tells whether all of these passages are for everyone now, and as they were."""


@dataclass(frozen=True)
class ReviewIntake:
    """The reviews of one workspace. When a method returns, what was done is committed."""

    database: Database
    clock: Clock
    _: KW_ONLY
    workspace: str
    expire_after: timedelta
    for_everyone: ForEveryone

    async def ask_human(self, asked: AnswerClicked) -> ReviewRefused | None:
        """Open the review of an answer and store the item that posts its card, once; say why not."""
        refused = await self._ask_human(asked)
        if refused and refused.reason == "unknown":
            # People see an answer a moment before it is stored.
            await claim_store.await_run(self.database, asked.address.thread_id, workspace=self.workspace)
            refused = await self._ask_human(asked)
        if refused and refused.reason == "unknown" and await self._is_being_replaced(asked):
            return ReviewRefused(reason="superseded")
        return refused

    async def look(self, token: str) -> Looked:
        """Return an open review, or why nobody can decide it."""
        async with self.database.transaction(self.workspace) as connection:
            review = await ask_store.by_token(connection, Review, token)
        refused = refusal(review)
        return refused or review or ReviewRefused(reason="unknown")

    async def decide(self, decision: Decision) -> ReviewRefused | None:
        """Claim a review for one decision and store the item that applies it, in one transaction; say why not."""
        try:
            async with self.database.transaction(self.workspace) as connection:
                review = await ask_store.lock(connection, Review, decision.token)
                if review is None or review.status != "open":
                    return refusal(review)
                now, ruled = self.clock.now(), {"kind": decision.kind, "text": decision.words}
                await ask_store.decide(connection, review, ruled, by=decision.person, now=now)
                await store.insert_sequel(connection, review.step(decision.decided_at, has_ended=True), now=now)
                return None
        except LockNotAvailable:
            # Only what closes it holds it for so long: a change of the question, or a new answer, as to another choice.
            return ReviewRefused(reason="superseded")

    async def _is_being_replaced(self, asked: AnswerClicked) -> bool:
        """Tell whether a changed choice has taken over the message that shows the answer, and has not replaced it."""
        async with self.database.transaction(self.workspace) as connection:
            question = await family_store.question_of(connection, asked.answer)
            return question is not None and await family_store.is_being_replaced(
                connection, question.id, thread_id=question.thread_id
            )

    async def _ask_human(self, asked: AnswerClicked) -> ReviewRefused | None:
        async with self.database.transaction(self.workspace) as connection:
            now, address = self.clock.now(), asked.address
            review = await ask_store.of_message(connection, Review, asked.answer)
            refused = refusal_to_ask(review)
            if review is None or refused:
                return refused
            if await family_store.is_being_replaced(connection, review.inbox_id, thread_id=address.thread_id):
                return ReviewRefused(reason="superseded")
            # What the run saw then may have been kept from some since, and reviewers see only what is for everyone.
            if not await self.for_everyone(
                connection, in_documents({one["passage_id"] for one in review.packet["sources"]})
            ):
                return ReviewRefused(reason="superseded")
            due_at = now + self.expire_after
            if not await ask_store.change(
                connection, review.id, was="offered", status="open", person=address.person, asked_at=now, due_at=due_at
            ):
                return refusal_to_ask(await ask_store.by_id(connection, Review, review.id))
            await store.insert_sequel(connection, review.step(address.message_ts), now=now)
        return None
