"""What people choose, and what they chose before: a preference, which the graph's port recalls for one run."""

from dataclasses import asdict, dataclass
from datetime import datetime

from bot.conversation import store
from bot.conversation.asks import ask_store, preference_store
from bot.conversation.asks.clarifications import Clarification, replaced_label
from bot.conversation.inputs import Click
from bot.conversation.policy import Policy
from bot.postgres.pool import Connection, Database
from graph.asking.preferences import Ambiguity
from graph.context import Clock
from graph.turn import Choice


def becomes_a_preference(asked: Clarification, choice: Choice, person: str, rules: Policy) -> bool:
    """Tell whether a choice says something about its person: the asker knows what they mean, others guess."""
    remembers = bool(rules.remember_for and asked.attribute)
    return remembers and choice.kind == "option" and person == asked.asker


async def learn(
    connection: Connection, asked: Clarification, choice: Choice, *, person: str, rules: Policy, now: datetime
) -> None:
    """Remember a choice, if it becomes a habit."""
    if becomes_a_preference(asked, choice, person, rules):
        await preference_store.learn(connection, asked, choice.label, now=now, since=now - rules.remember_for)


async def choose(connection: Connection, asked: Clarification, click: Click, *, rules: Policy, now: datetime) -> None:
    """Decide a locked, open ask by a click, and store the reply that its thread goes on with."""
    choice, person = click.choice, click.person
    await ask_store.decide(connection, asked.id, asdict(choice), by=person, now=now)
    await learn(connection, asked, choice, person=person, rules=rules, now=now)
    reply = asked.sequel(
        "reply", place=click.clicked_at, event_key=click.event_key, person=person, choice=asdict(choice)
    )
    await store.insert_sequel(connection, reply, now=now)


async def revise(connection: Connection, asked: Clarification, click: Click, *, rules: Policy, now: datetime) -> None:
    """Let a click change the choice of a locked, closed ask, and store the item that answers its question again."""
    choice, person = click.choice, click.person
    await ask_store.revise(connection, asked, choice, by=person, now=now)
    await learn(connection, asked, choice, person=person, rules=rules, now=now)
    revision = asked.sequel(
        "revision", place=click.clicked_at, event_key=click.event_key, person=person,
        choice=asdict(choice), revision=asked.revision + 1, instead_of=replaced_label(asked),
    )  # fmt: skip
    await store.insert_sequel(connection, revision, now=now)


@dataclass(frozen=True, kw_only=True)
class PreferencesIn:
    """The preferences of a workspace's people in one channel; implements `graph.asking.preferences.Preferences`."""

    database: Database
    workspace: str
    channel: str
    rules: Policy
    clock: Clock

    async def recall(self, asker: str, ambiguity: Ambiguity) -> str | None:
        """Return the label that the asker preferred to all the others the last time."""
        if not self.rules.remember_for:
            return None
        since = self.clock.now() - self.rules.remember_for
        async with self.database.transaction(self.workspace) as connection:
            return await preference_store.recall(connection, asker, ambiguity, channel=self.channel, since=since)
