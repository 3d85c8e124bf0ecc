"""Answering an open question from outside of its thread's run: by a click, or from the bottom of a direct message."""

from dataclasses import asdict
from datetime import datetime

from bot.conversation import store
from bot.conversation.address import PersonId, Ts
from bot.conversation.asks import clarification_store
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.asks.preferences import learn
from bot.conversation.policy import Policy
from bot.conversation.turns.sequels import Sequel
from bot.postgres.pool import Connection
from graph.turn import Choice


async def choose(
    connection: Connection, asked: Clarification, choice: Choice, *,
    person: PersonId, at: Ts, event_key: str, rules: Policy, now: datetime,
) -> None:  # fmt: skip
    """Claim a locked, open question for a choice, and store the reply that its thread goes on with."""
    await clarification_store.mark_answered(connection, asked.id, choice, person=person, now=now)
    await learn(connection, asked, choice, person=person, rules=rules, now=now)
    content = {"clarification_id": asked.id, "choice": asdict(choice)}
    reply = Sequel(
        kind="reply", about=asked.inbox_id, place=at, event_key=event_key, content=content, person=person
    )  # fmt: skip
    await store.insert_sequel(connection, reply, now=now)
