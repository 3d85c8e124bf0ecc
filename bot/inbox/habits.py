"""What people chose before: which choice becomes a habit, and the graph's port that recalls it for one run."""

from dataclasses import dataclass
from datetime import datetime

from bot.database import Connection, Database
from bot.inbox import habit_store
from bot.inbox.clarifications import Clarification
from bot.inbox.rules import Rules
from graph.context import Clock
from graph.habits import Ambiguity
from graph.turn import Choice


def becomes_a_habit(asked: Clarification, choice: Choice, person: str, rules: Rules) -> bool:
    """Tell whether a choice says something about its person: the asker knows what they mean, others guess."""
    remembers = bool(rules.remember_for and asked.attribute)
    return remembers and choice.kind == "option" and person == asked.asker


async def learn(
    connection: Connection, asked: Clarification, choice: Choice, *, person: str, rules: Rules, now: datetime
) -> None:
    """Remember a choice, if it becomes a habit."""
    if becomes_a_habit(asked, choice, person, rules):
        await habit_store.learn(connection, asked, choice.label, now=now, since=now - rules.remember_for)


@dataclass(frozen=True, kw_only=True)
class HabitsIn:
    """The habits of a workspace's people as they hold in one channel; implements `graph.habits.Habits`."""

    database: Database
    workspace: str
    channel: str
    rules: Rules
    clock: Clock

    async def recall(self, asker: str, ambiguity: Ambiguity) -> str | None:
        """Return the label that the asker preferred to all the others the last time."""
        if not self.rules.remember_for:
            return None
        since = self.clock.now() - self.rules.remember_for
        async with self.database.transaction(self.workspace) as connection:
            return await habit_store.recall(connection, asker, ambiguity, channel=self.channel, since=since)
