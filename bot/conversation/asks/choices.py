"""What people choose: it decides a question, is answered by an item, and may be remembered as a preference."""

from dataclasses import asdict
from datetime import datetime
from functools import partial

from bot.conversation import store
from bot.conversation.asks import ask_store, preference_store
from bot.conversation.asks.clarifications import Clarification, replaced_label
from bot.conversation.inputs import Click
from bot.conversation.policy import Policy
from bot.postgres.pool import Connection
from graph.turn import Choice


def becomes_a_preference(asked: Clarification, choice: Choice, person: str, rules: Policy) -> bool:
    """Tell whether a choice says something about its person: the asker knows what they mean, others guess."""
    remembers = bool(rules.remember_for and asked.attribute)
    return remembers and choice.kind == "option" and person == asked.asker


async def learn(
    connection: Connection, asked: Clarification, choice: Choice, *, person: str, rules: Policy, now: datetime
) -> None:
    """Remember a choice, if it becomes a preference."""
    if becomes_a_preference(asked, choice, person, rules):
        await preference_store.learn(connection, asked, choice.label, now=now, since=now - rules.remember_for)


async def choose(connection: Connection, asked: Clarification, click: Click, *, rules: Policy, now: datetime) -> None:
    """Let a click decide a locked, open ask, or change what a closed one chose; store the item that answers with it."""
    choice, person = click.choice, click.person
    sequel = partial(
        asked.sequel, place=click.clicked_at, event_key=click.event_key, person=person, choice=asdict(choice)
    )
    if asked.status == "open":
        await ask_store.decide(connection, asked.id, asdict(choice), by=person, now=now)
        answering = sequel("reply")
    else:
        await ask_store.revise(connection, asked, choice, by=person, now=now)
        answering = sequel("revision", revision=asked.revision + 1, instead_of=replaced_label(asked))
    await learn(connection, asked, choice, person=person, rules=rules, now=now)
    await store.insert_sequel(connection, answering, now=now)
