"""The stored runs in SQL, for administrators. Call each function within the workspace."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from bot.postgres.pool import Connection
from graph.trace import Step, cost_of, without_words


@dataclass(frozen=True, kw_only=True)
class KeptRun:
    """A stored run, with its item."""

    id: int
    reference: str
    kind: str
    thread_id: str
    person: str
    ended_at: datetime
    outcome: str
    calls: int
    tokens_in: int
    tokens_out: int
    ms: int
    question: str | None
    """The item's question or choice."""
    ratings: list[str]
    """What people think of the answer, such as `bad (outdated)`."""
    objections: list[str]
    """What people wrote against the answer."""
    steps: list[Step]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "KeptRun":
        """Read a row of the queries."""
        return cls(**{one.name: row[one.name] for one in fields(cls)})

    @property
    def cost(self) -> float | None:
        """What its calls cost, if their prices were known."""
        return cost_of(self.steps)

    def without_words(self) -> "KeptRun":
        """Return the run without words."""
        return replace(self, question=None, objections=[], steps=without_words(self.steps))


async def runs(
    connection: Connection, *, limit: int, run_id: int | None = None, reference: str | None = None
) -> list[KeptRun]:
    """Return stored runs, the newest first: all of them, one by its id, or those of an item."""
    cursor = await connection.execute(
        """
        SELECT runs.*, reference, kind, thread_id, address ->> 'person' AS person,
               coalesce(content ->> 'question', content #>> '{choice,label}') AS question, ARRAY(
                   SELECT verdict || coalesce(' (' || reason || ')', '') FROM feedback
                   WHERE feedback.inbox_id = inbox.id ORDER BY given_at
               ) AS ratings, ARRAY(
                   SELECT words FROM feedback
                   WHERE feedback.inbox_id = inbox.id AND words IS NOT NULL ORDER BY given_at
               ) AS objections
        FROM runs JOIN inbox ON inbox.id = inbox_id
        WHERE runs.id = coalesce(%(run_id)s::bigint, runs.id) AND reference = coalesce(%(reference)s::text, reference)
        ORDER BY runs.id DESC
        LIMIT %(limit)s
        """,
        {"limit": limit, "run_id": run_id, "reference": reference},
    )
    return [KeptRun.from_row(row) for row in await cursor.fetchall()]
