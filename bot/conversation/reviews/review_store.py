"""Reviews in SQL; call everything here within the workspace."""

from datetime import datetime
from typing import Literal

from psycopg.types.json import Jsonb

from bot.conversation import store
from bot.conversation.address import Placed
from bot.conversation.items import Item, Surface
from bot.conversation.reviews.review import Decision, HumanAsked, Review
from bot.conversation.turns.sequels import Place, Sequel
from bot.postgres.pool import Connection
from graph.state import ReviewPacket


async def insert_review(
    connection: Connection, item: Item, dossier: ReviewPacket, *,
    token: str, interrupt_id: str | None, now: datetime, due_at: datetime,
) -> int:  # fmt: skip
    """Store the review that the item's run waits on, or the offer of one for the answer that it has shown."""
    cursor = await connection.execute(
        """
        INSERT INTO reviews (workspace, token, inbox_id, thread_id, key, interrupt_id, dossier, status, opened_at,
                             due_at)
        VALUES (%(workspace)s, %(token)s, %(inbox_id)s, %(thread_id)s, %(key)s, %(interrupt_id)s, %(dossier)s,
                CASE WHEN %(interrupt_id)s::text IS NULL THEN 'offered' ELSE 'open' END, %(now)s, %(due_at)s)
        RETURNING id
        """,
        {
            "workspace": item.workspace,
            "token": token,
            "inbox_id": item.id,
            "thread_id": item.thread_id,
            "key": dossier["key"],
            "interrupt_id": interrupt_id,
            "dossier": Jsonb(dossier),
            "now": now,
            "due_at": due_at,
        },
    )
    row = await cursor.fetchone()
    if row is None:
        raise LookupError("A review that was stored has no row.")
    return row["id"]


async def insert_step(
    connection: Connection, kind: Literal["review", "ruling"], review_id: int, *, place: Place, now: datetime
) -> None:
    """Store, once, that a review's card is to be posted or its ruling applied; and wake a worker."""
    cursor = await connection.execute("SELECT inbox_id FROM reviews WHERE id = %(id)s", {"id": review_id})
    row = await cursor.fetchone()
    if row is None:
        raise LookupError("The review of a step is gone.")
    step = Sequel(
        kind=kind,
        about=row["inbox_id"],
        place=place,
        event_key=f"{kind}:{review_id}",
        content={"review_id": review_id, "answer_of": row["inbox_id"]},
    )
    await store.insert_sequel(connection, step, now=now)


async def review_by_id(connection: Connection, review_id: int) -> Review | None:
    """Return a review."""
    cursor = await connection.execute(
        "SELECT r.*, i.address FROM reviews r JOIN inbox i ON i.id = r.inbox_id WHERE r.id = %(id)s", {"id": review_id}
    )
    row = await cursor.fetchone()
    return Review.from_row(row) if row else None


async def review_by_token(connection: Connection, token: str) -> Review | None:
    """Return the review that a card belongs to."""
    cursor = await connection.execute(
        "SELECT r.*, i.address FROM reviews r JOIN inbox i ON i.id = r.inbox_id WHERE r.token = %(token)s",
        {"token": token},
    )
    row = await cursor.fetchone()
    return Review.from_row(row) if row else None


async def review_of_message(connection: Connection, channel: str, ts: str) -> Review | None:
    """Return the last review of the answer that a message shows."""
    cursor = await connection.execute(
        """
        SELECT r.*, i.address
        FROM messages m
        JOIN reviews r ON r.inbox_id = m.inbox_id
        JOIN inbox i ON i.id = r.inbox_id
        WHERE m.channel = %(channel)s AND m.ts = %(ts)s
        ORDER BY r.id DESC
        LIMIT 1
        """,
        {"channel": channel, "ts": ts},
    )
    row = await cursor.fetchone()
    return Review.from_row(row) if row else None


async def request(
    connection: Connection, review_id: int, asked: HumanAsked, *, now: datetime, due_at: datetime
) -> bool:
    """Open the review of an answer for the first who asks; return whether they were."""
    cursor = await connection.execute(
        """
        UPDATE reviews SET status = 'open', requester = %(person)s, opened_at = %(now)s, due_at = %(due_at)s
        WHERE id = %(id)s AND status = 'offered'
        """,
        {"id": review_id, "person": asked.person, "now": now, "due_at": due_at},
    )
    return cursor.rowcount > 0


async def decide(connection: Connection, decision: Decision, *, now: datetime) -> int | None:
    """Claim an open review for one decision; return its id, or nothing where another was first.

    Raises `LockNotAvailable` after two seconds, while an edit, a deletion or a new answer closes it.
    """
    await connection.execute("SET LOCAL lock_timeout = '2s'")
    cursor = await connection.execute(
        """
        UPDATE reviews
        SET status = %(kind)s, reviewer = %(person)s, words = %(words)s, decided_at = %(now)s
        WHERE token = %(token)s AND status = 'open'
        RETURNING id
        """,
        {
            "token": decision.token,
            "kind": decision.kind,
            "person": decision.person,
            "words": decision.words,
            "now": now,
        },
    )
    row = await cursor.fetchone()
    return row["id"] if row else None


async def expire(connection: Connection, review_id: int, *, now: datetime) -> bool:
    """Close an open review that nobody will decide; return whether it still was open."""
    cursor = await connection.execute(
        "UPDATE reviews SET status = 'expired', decided_at = %(now)s WHERE id = %(id)s AND status = 'open'",
        {"id": review_id, "now": now},
    )
    return cursor.rowcount > 0


async def expire_next(connection: Connection, *, surface: Surface, now: datetime) -> int | None:
    """Close the next open review that nobody decided in time; one that is being decided is passed over."""
    cursor = await connection.execute(
        """
        WITH due AS (
            SELECT r.id
            FROM reviews r
            JOIN inbox i ON i.id = r.inbox_id
            WHERE r.status = 'open' AND r.due_at <= %(now)s AND i.surface = %(surface)s
            ORDER BY r.due_at
            LIMIT 1
            FOR UPDATE OF r SKIP LOCKED
        )
        UPDATE reviews SET status = 'expired', decided_at = %(now)s FROM due WHERE reviews.id = due.id
        RETURNING due.id
        """,
        {"surface": surface, "now": now},
    )
    row = await cursor.fetchone()
    return row["id"] if row else None


async def supersede(
    connection: Connection, *, items: list[int] | None = None, thread_id: str = "", key: str = ""
) -> list[Review]:
    """Close the reviews of some items' answers, or of all answers to a message; return them.

    Only a ruling that is in force stays: one that waits to be applied is about an answer that is gone.
    """
    cursor = await connection.execute(
        """
        WITH closed AS (
            UPDATE reviews SET status = 'superseded'
            WHERE (inbox_id = ANY(%(items)s) OR (thread_id = %(thread_id)s AND key = %(key)s))
              AND status <> 'superseded' AND concluded_at IS NULL
            RETURNING *
        )
        SELECT closed.*, i.address FROM closed JOIN inbox i ON i.id = closed.inbox_id ORDER BY closed.id
        """,
        {"items": items or [], "thread_id": thread_id, "key": key},
    )
    return [Review.from_row(row) for row in await cursor.fetchall()]


async def conclude(connection: Connection, review_id: int, *, now: datetime) -> None:
    """Note that a ruling is in force."""
    await connection.execute(
        "UPDATE reviews SET concluded_at = %(now)s WHERE id = %(id)s", {"id": review_id, "now": now}
    )


async def record_card(connection: Connection, review_id: int, card: Placed) -> None:
    """Remember where a review's card is."""
    await connection.execute(
        "UPDATE reviews SET card_channel = %(channel)s, card_ts = %(ts)s WHERE id = %(id)s",
        {"id": review_id, "channel": card.channel, "ts": card.ts},
    )
