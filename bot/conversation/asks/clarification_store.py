"""Clarifications in SQL; call everything here within the workspace."""

from dataclasses import asdict
from datetime import datetime

from psycopg.types.json import Jsonb

from bot.conversation import store
from bot.conversation.asks.clarifications import Clarification, Deadlines
from bot.conversation.inputs import Click
from bot.conversation.items import Item
from bot.postgres.pool import Connection
from graph.events import ClarificationRequested, ReadingRecalled
from graph.turn import Choice


async def open_clarification(
    connection: Connection, item: Item, asked: ClarificationRequested, *,
    about: str, token: str, now: datetime, deadlines: Deadlines,
) -> None:  # fmt: skip
    """Store the question that the item's run waits on."""
    await connection.execute(
        """
        INSERT INTO clarifications (workspace, token, inbox_id, thread_id, interrupt_id, asker, about, question,
                                    options, attribute, asked_at, remind_at, due_at)
        VALUES (%(workspace)s, %(token)s, %(inbox_id)s, %(thread_id)s, %(interrupt_id)s, %(asker)s, %(about)s,
                %(question)s, %(options)s, %(attribute)s, %(now)s, %(remind_at)s, %(due_at)s)
        """,
        {
            "workspace": item.workspace,
            "token": token,
            "inbox_id": item.id,
            "thread_id": item.thread_id,
            "interrupt_id": asked.interrupt_id,
            "asker": item.address.person,
            "about": about,
            "question": asked.question,
            "options": Jsonb([asdict(option) for option in asked.options]),
            "attribute": asked.attribute,
            "now": now,
            "remind_at": now + deadlines.remind_after,
            "due_at": now + deadlines.expire_after,
        },
    )


async def keep_assumed(
    connection: Connection, item: Item, recalled: ReadingRecalled, *, about: str, token: str, now: datetime
) -> Clarification:
    """Store the question that the item's run did not ask, once: an earlier run of the item may have done so.

    What is assumed may be another reading by then.
    """
    options = Jsonb([asdict(option) for option in recalled.options])
    chosen = next(option for option in recalled.options if option.id == recalled.chosen)
    cursor = await connection.execute(
        """
        WITH earlier AS (
            UPDATE clarifications SET choice = %(choice)s, answered_at = %(now)s
            WHERE inbox_id = %(inbox_id)s AND status = 'assumed' AND options = %(options)s
            RETURNING *
        ), stored AS (
            INSERT INTO clarifications (workspace, token, inbox_id, thread_id, interrupt_id, asker, about, question,
                                        options, attribute, status, choice, answered_at, asked_at, remind_at, due_at)
            SELECT %(workspace)s, %(token)s, %(inbox_id)s, %(thread_id)s, '', %(asker)s, %(about)s, %(question)s,
                   %(options)s, %(attribute)s, 'assumed', %(choice)s, %(now)s, %(now)s, %(now)s, %(now)s
            WHERE NOT EXISTS (SELECT FROM earlier)
            RETURNING *
        )
        SELECT * FROM earlier UNION ALL SELECT * FROM stored
        """,
        {
            "workspace": item.workspace,
            "token": token,
            "inbox_id": item.id,
            "thread_id": item.thread_id,
            "asker": item.address.person,
            "about": about,
            "question": recalled.question,
            "options": options,
            "attribute": recalled.attribute,
            "choice": Jsonb(asdict(Choice(kind="option", value=chosen.id, label=chosen.label))),
            "now": now,
        },
    )
    row = await cursor.fetchone()
    if row is None:
        raise LookupError("A question that was stored has no row.")
    return Clarification.from_row(row)


async def clarification_asked_by(connection: Connection, item_id: int) -> Clarification | None:
    """Return the question that the item's run asked last."""
    cursor = await connection.execute(
        "SELECT * FROM clarifications WHERE inbox_id = %(id)s ORDER BY id DESC LIMIT 1", {"id": item_id}
    )
    row = await cursor.fetchone()
    return Clarification.from_row(row) if row else None


async def clarification_by_id(connection: Connection, clarification_id: int) -> Clarification | None:
    """Return a question."""
    cursor = await connection.execute("SELECT * FROM clarifications WHERE id = %(id)s", {"id": clarification_id})
    row = await cursor.fetchone()
    return Clarification.from_row(row) if row else None


async def clarification_by_token(connection: Connection, token: str) -> Clarification | None:
    """Return the question that a button belongs to."""
    cursor = await connection.execute("SELECT * FROM clarifications WHERE token = %(token)s", {"token": token})
    row = await cursor.fetchone()
    return Clarification.from_row(row) if row else None


async def lock_open_clarification(connection: Connection, thread_id: str) -> Clarification | None:
    """Return the thread's open question, locked until the transaction ends."""
    cursor = await connection.execute(
        "SELECT * FROM clarifications WHERE thread_id = %(thread_id)s AND status = 'open' FOR UPDATE",
        {"thread_id": thread_id},
    )
    row = await cursor.fetchone()
    return Clarification.from_row(row) if row else None


async def lock_met(connection: Connection, item: Item) -> tuple[Clarification | None, Clarification | None]:
    """Return what a turn meets in its thread, locked: the open question, and the one that its words have answered."""
    cursor = await connection.execute(
        """
        SELECT * FROM clarifications
        WHERE (thread_id = %(thread_id)s AND status = 'open') OR (answered_in = %(id)s AND status = 'answered')
        ORDER BY id FOR UPDATE
        """,
        {"thread_id": item.thread_id, "id": item.id},
    )
    met = {row["status"]: Clarification.from_row(row) for row in await cursor.fetchall()}
    return met.get("open"), met.get("answered")


async def lock_only_open(connection: Connection, item: Item) -> Clarification | None:
    """Return the one question in a turn's channel that is open for its person, locked.

    None if there are several, or if somebody else is at it: what they read comes first.
    """
    cursor = await connection.execute(
        """
        WITH waiting AS (
            SELECT asked.id FROM clarifications asked JOIN inbox asking ON asking.id = asked.inbox_id
            WHERE asked.status = 'open' AND asked.asker = %(person)s AND asking.address ->> 'channel' = %(channel)s
        )
        SELECT * FROM clarifications
        WHERE id IN (SELECT id FROM waiting) AND (SELECT count(*) FROM waiting) = 1 AND status = 'open'
        FOR UPDATE SKIP LOCKED
        """,
        {"person": item.address.person, "channel": item.address.channel},
    )
    row = await cursor.fetchone()
    return Clarification.from_row(row) if row else None


async def lock_clicked(connection: Connection, click: Click) -> Clarification | None:
    """Return the question that a click names, locked; raise `LockNotAvailable` after a second.

    A run holds it that reads what was written since, and most of these leave it open soon. One that takes what it reads
    for the answer may go on for longer; and a click is acknowledged within three seconds, once it was taken.
    """
    await connection.execute("SET LOCAL lock_timeout = '1s'")
    cursor = await connection.execute(
        "SELECT * FROM clarifications WHERE token = %(token)s FOR UPDATE", {"token": click.token}
    )
    row = await cursor.fetchone()
    return Clarification.from_row(row) if row else None


async def mark_answered(
    connection: Connection, clarification_id: int, choice: Choice, *,
    person: str, now: datetime, answered_in: int | None = None,
) -> bool:  # fmt: skip
    """Claim an open question for one answer, which may be a turn of its own; return whether it still was open."""
    cursor = await connection.execute(
        """
        UPDATE clarifications
        SET status = 'answered', choice = %(choice)s, answered_by = %(person)s, answered_at = %(now)s,
            answered_in = %(answered_in)s
        WHERE id = %(id)s AND status = 'open'
        """,
        {
            "id": clarification_id,
            "choice": Jsonb(asdict(choice)),
            "person": person,
            "now": now,
            "answered_in": answered_in,
        },
    )
    return cursor.rowcount > 0


async def mark_superseded(connection: Connection, clarification_id: int, *, by: int | None = None) -> None:
    """Close an open question that a new one has made pointless, for good once the item of that has ended."""
    await connection.execute(
        "UPDATE clarifications SET status = 'superseded', superseded_by = %(by)s WHERE id = %(id)s AND status = 'open'",
        {"id": clarification_id, "by": by},
    )


async def show_again(connection: Connection, *, beside: int, now: datetime) -> None:
    """Let the card of a question that another item of the thread has open be shown as it is, before anything later.

    A run of the item beside which it is open came to nothing, and may have closed it, or shown it as closed.
    """
    await connection.execute(
        """
        UPDATE clarifications asked SET status = 'open', superseded_by = NULL
        WHERE superseded_by = %(beside)s AND status = 'superseded' AND NOT EXISTS (
            SELECT FROM clarifications other WHERE other.thread_id = asked.thread_id AND other.status = 'open'
        )
        """,
        {"beside": beside},
    )
    cursor = await connection.execute(
        """
        UPDATE inbox SET status = 'asking', due_at = %(now)s
        FROM clarifications asked JOIN inbox other USING (thread_id)
        WHERE other.id = %(beside)s AND asked.status = 'open' AND asked.inbox_id <> other.id
          AND inbox.id = asked.inbox_id
        RETURNING inbox.id
        """,
        {"beside": beside, "now": now},
    )
    await store.renew_attempts(connection, [row["id"] for row in await cursor.fetchall()])
