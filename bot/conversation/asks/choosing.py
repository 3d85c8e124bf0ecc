"""Answering an open question from outside of its thread's run: by a click, or from the bottom of a direct message."""

from dataclasses import asdict
from datetime import datetime

from bot.conversation import store
from bot.conversation.address import PersonId, Ts
from bot.conversation.asks import ask_store
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.asks.preferences import learn
from bot.conversation.policy import Policy
from bot.postgres.pool import Connection
from graph.turn import Choice


async def choose(
    connection: Connection, asked: Clarification, choice: Choice, *,
    person: PersonId, at: Ts, event_key: str, rules: Policy, now: datetime,
) -> None:  # fmt: skip
    """Claim a locked, open question for a choice, and store the reply that its thread goes on with."""
    await ask_store.decide(connection, asked.id, asdict(choice), by=person, now=now)
    await learn(connection, asked, choice, person=person, rules=rules, now=now)
    reply = asked.sequel("reply", place=at, event_key=event_key, person=person, choice=asdict(choice))
    await store.insert_sequel(connection, reply, now=now)
