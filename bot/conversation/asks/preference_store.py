"""Remembered choices in SQL; call everything here within the workspace."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from bot.conversation.asks.ask import AskRules
from bot.conversation.asks.clarifications import Clarification, becomes_a_preference
from bot.postgres import fetch
from bot.postgres.pool import Connection, Database
from graph.asking.clarification import Ambiguity
from graph.context import Clock
from graph.turn import Choice

_ASK: Final = ""
"""Stands for a label: the person wants to be asked."""


@dataclass(frozen=True, kw_only=True)
class Preference:
    """What a person chose somewhere, and among what."""

    person: str
    channel: str
    labels: list[str]
    label: str
    chosen_at: datetime


async def learn(
    connection: Connection, asked: Clarification, choice: Choice, *, person: str, rules: AskRules, now: datetime
) -> None:
    """Remember what the asker of a question chose, in its channel; forget what contradicts it, and what is too old.

    A choice also ends the wish to be asked. One in a direct message ends it only there, because it counts only there.
    """
    if not becomes_a_preference(asked, choice, person, rules):
        return
    given = {**_given(asked, choice.label, now), "since": now - rules.remember_for}
    await connection.execute(
        """
        DELETE FROM preferences
        WHERE chosen_at < %(since)s
           OR (person = %(person)s AND attribute = %(attribute)s AND label = ANY(%(labels)s) AND label <> %(label)s
               AND channel = %(channel)s)
           OR (person = %(person)s AND attribute = %(attribute)s AND labels && %(labels)s AND label = ''
               AND (channel = %(channel)s OR NOT starts_with(%(channel)s, 'D')))
        """,
        given,
    )
    await _keep(connection, given)


async def forget(connection: Connection, asked: Clarification, *, rules: AskRules, now: datetime) -> None:
    """Forget in all channels what would be assumed for the asker of a question. Remember that they want to be asked.

    Otherwise their profile would decide next time. If nothing is to be remembered, this is not remembered either.
    """
    given = _given(asked, _ASK, now)
    await connection.execute(
        """
        DELETE FROM preferences
        WHERE person = %(person)s AND attribute = %(attribute)s AND labels @> %(labels)s AND label = ANY(%(labels)s)
        """,
        given,
    )
    if rules.remember_for:
        await _keep(connection, given)


def _given(asked: Clarification, label: str, now: datetime) -> dict[str, Any]:
    """Return what the statements say of the asker of a question, with a label."""
    return {
        "channel": asked.channel,
        "ask": asked.id,
        "person": asked.asker,
        "attribute": asked.attribute,
        "labels": asked.labels,
        "label": label,
        "now": now,
    }


async def _keep(connection: Connection, given: dict[str, Any]) -> None:
    """Store a label in the workspace of the ask."""
    await connection.execute(
        """
        INSERT INTO preferences (workspace, person, channel, attribute, labels, label, chosen_at)
        SELECT workspace, %(person)s, %(channel)s, %(attribute)s, %(labels)s, %(label)s, %(now)s
        FROM asks WHERE id = %(ask)s
        ON CONFLICT (workspace, person, channel, attribute, labels)
        DO UPDATE SET label = excluded.label, chosen_at = excluded.chosen_at
        """,
        given,
    )


async def all_preferences(connection: Connection) -> list[Preference]:
    """Return what is remembered, by person."""
    query = "SELECT person, channel, labels, label, chosen_at FROM preferences ORDER BY person, chosen_at DESC"
    return await fetch.rows(connection, Preference, query)


async def forget_person(connection: Connection, person: str) -> int:
    """Forget all that a person chose; return how many choices that were."""
    return await fetch.count(connection, "DELETE FROM preferences WHERE person = %(person)s", person=person)


@dataclass(frozen=True, kw_only=True)
class PreferencesIn:
    """The preferences of a workspace's people in one channel; implements `graph.context.Preferences`."""

    database: Database
    workspace: str
    channel: str
    rules: AskRules
    clock: Clock

    async def recall(self, asker: str, ambiguity: Ambiguity) -> str | None:
        """Return the label that the asker last preferred to all the others: in the channel if they did, else anywhere.

        Empty if they want to be asked.
        What they chose in a direct message stays there: an assumption is said, and others read along elsewhere.
        """
        if not self.rules.remember_for:
            return None
        query = """
            SELECT label FROM preferences
            WHERE person = %(person)s AND attribute = %(attribute)s AND chosen_at >= %(since)s
              AND labels @> %(labels)s AND (label = ANY(%(labels)s) OR label = '')
              AND (channel = %(channel)s OR label = '' OR NOT starts_with(channel, 'D'))
            ORDER BY channel = %(channel)s DESC, chosen_at DESC
            LIMIT 1
        """
        among = {"attribute": ambiguity.attribute, "labels": list(ambiguity.labels)}
        since = self.clock.now() - self.rules.remember_for
        async with self.database.transaction(self.workspace) as connection:
            return await fetch.value(connection, query, person=asker, **among, channel=self.channel, since=since)
