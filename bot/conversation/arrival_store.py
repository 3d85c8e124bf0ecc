"""Messages in SQL as they arrive: stored, refused with a notice, or left to people."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Final

from psycopg.types.json import Jsonb

from bot.conversation.inputs import PAUSE, Arrival, Message, QueueLimits, notice_key
from bot.conversation.message_kinds import MessageRefused
from bot.conversation.payloads import NoticePayload, TurnPayload
from bot.postgres.pool import Connection

_NOTICE: Final = """
    notice AS (
        INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, address, content, due_at,
                           reference, received_at)
        SELECT %(surface)s, %(workspace)s, %(thread_id)s || ':notice', %(position)s, 'notice', %(notice_key)s,
               %(address)s, why, 'epoch', 'N' || %(reference)s, %(now)s
        FROM told
        ON CONFLICT DO NOTHING
    )
"""
"""Stores what the writer of a message is told, in a thread of its own: it does not wait behind what it is about."""
_ADMIT: Final = f"""
    WITH load AS (
        SELECT (
            SELECT min(rank) FROM inbox WHERE surface = %(surface)s AND status IN ('waiting', 'asking')
        ) AS next_rank, (
            SELECT max(rank) FROM inbox
            WHERE workspace = %(workspace)s AND person = %(person)s
              AND kind = 'turn' AND status IN ('waiting', 'asking')
        ) AS last_rank, (
            SELECT count(*) FROM (
                SELECT FROM inbox
                WHERE workspace = %(workspace)s AND person = %(person)s
                  AND kind = 'turn' AND status IN ('waiting', 'asking')
                LIMIT %(per_person)s
            ) theirs
        ) >= %(per_person)s AS person_has_enough, (
            SELECT count(*) FROM (
                SELECT FROM inbox
                WHERE workspace = %(workspace)s AND kind = 'turn' AND status IN ('waiting', 'asking')
                LIMIT %(altogether)s
            ) everybodys
        ) >= %(altogether)s AS all_have_enough
    ), stored AS (
        INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, message_key, address, content,
                           status, person, rank, due_at, reference, received_at, changed_at)
        SELECT %(surface)s, %(workspace)s, %(thread_id)s, %(position)s, 'turn', %(event_key)s, %(message_key)s,
               %(address)s, %(content)s,
               CASE WHEN person_has_enough OR all_have_enough THEN 'refused' ELSE 'waiting' END,
               %(person)s, GREATEST(next_rank, last_rank + 1, 0), 'epoch', %(reference)s, %(now)s,
               %(changed_at)s::numeric
        FROM load
        WHERE %(addressed)s OR %(untagged)s
           OR EXISTS (SELECT FROM inbox WHERE workspace = %(workspace)s AND thread_id = %(thread_id)s
                                          AND position < %(position)s)
        ON CONFLICT DO NOTHING
        RETURNING status
    ), told AS (
        SELECT CASE WHEN person_has_enough THEN %(person_limit)s::jsonb ELSE %(total_limit)s END AS why
        FROM stored, load
        WHERE status = 'refused' AND %(addressed)s AND NOT EXISTS (
            SELECT FROM inbox
            WHERE workspace = %(workspace)s AND person = %(person)s AND status = 'refused'
              AND received_at > %(now)s - %(pause)s
        )
    ), {_NOTICE}
    SELECT FROM stored
"""  # noqa: S608 - of literals only


async def admit(connection: Connection, arrival: Arrival, limits: QueueLimits) -> bool:
    """Store a message in one statement, and return whether it was new and for us; the caller then wakes a worker.

    What was not said to the bot is stored only in a thread that the bot knows by then. If too many messages wait, it is
    refused, and the first refusal in a while brings a notice.

    Its rank is its start tag in start-time fair queueing (Goyal, Vin and Cheng, 1996): one more than the person's last
    turn that waits, and no less than that of the turn that is next.
    """
    cursor = await connection.execute(
        _ADMIT,
        {
            **_columns(arrival),
            "per_person": limits.per_person,
            "altogether": limits.altogether,
            "notice_key": notice_key(arrival.message.address.person, arrival.now),
            "person_limit": _notice(MessageRefused(of="person", limit=limits.per_person)),
            "total_limit": _notice(MessageRefused(of="everybody", limit=limits.altogether)),
            "pause": PAUSE,
        },
    )
    return cursor.rowcount > 0


async def insert_removed(connection: Connection, arrival: Arrival) -> None:
    """Store a message that was deleted before it arrived, so that it gets no answer when it arrives.

    An earlier message of the thread never arrives, but the bot may have read it as context. No words of it are stored.
    """
    emptied = replace(arrival.message.turn, question="", unread=())
    await connection.execute(
        """
        INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, message_key, address, content,
                           status, changed_at, due_at, reference, received_at, finished_at)
        SELECT %(surface)s, %(workspace)s, %(thread_id)s, %(position)s, 'turn', %(event_key)s || ':removed',
               %(message_key)s, %(address)s, %(content)s, 'removed', %(changed_at)s::numeric, %(now)s, %(reference)s,
               %(now)s, %(now)s
        WHERE %(addressed)s
           OR EXISTS (SELECT FROM inbox WHERE workspace = %(workspace)s AND thread_id = %(thread_id)s)
        ON CONFLICT DO NOTHING
        """,
        # The deletion is stored too, under the event's own key.
        {**_columns(arrival), "content": Jsonb(TurnPayload(turn=emptied).to_json())},
    )


async def insert_notice(connection: Connection, arrival: Arrival, why: MessageRefused, *, key: str) -> None:
    """Record, once for each key, that the writer of a message gets a notice. No words of it are stored.

    A message that did not address the bot may be for others, unless its writer has spoken with the bot there.
    """
    await connection.execute(
        f"""
        WITH told AS (
            SELECT %(why)s::jsonb AS why
            WHERE %(addressed)s
               OR EXISTS (SELECT FROM inbox
                          WHERE workspace = %(workspace)s AND thread_id = %(thread_id)s AND kind = 'turn'
                            AND person = %(person)s AND content ->> 'addressed' = 'true')
        ), {_NOTICE}
        SELECT
        """,  # noqa: S608 - of literals only
        {**_columns(arrival), "notice_key": key, "why": _notice(why)},
    )


async def is_for_us(connection: Connection, message: Message, *, workspace: str, earlier_too: bool) -> bool:
    """Tell whether a message is stored, or in a thread that the bot knows or knew then."""
    cursor = await connection.execute(
        """
        SELECT FROM inbox
        WHERE workspace = %(workspace)s
          AND (message_key = %(message_key)s
               OR (thread_id = %(thread_id)s AND (position < %(position)s OR %(earlier_too)s)))
        LIMIT 1
        """,
        {
            "workspace": workspace,
            "message_key": message.message_key,
            "thread_id": message.address.thread_id,
            "position": message.address.message_ts,
            "earlier_too": earlier_too,
        },
    )
    return await cursor.fetchone() is not None


def _notice(why: MessageRefused) -> Jsonb:
    return Jsonb(NoticePayload(refused=why).to_json())


def _columns(arrival: Arrival) -> Mapping[str, Any]:
    message = arrival.message
    return {
        "surface": arrival.surface,
        "workspace": arrival.workspace,
        "thread_id": message.address.thread_id,
        "position": message.address.message_ts,
        "event_key": message.event_key,
        "message_key": message.message_key,
        "address": Jsonb(asdict(message.address)),
        "content": Jsonb(TurnPayload(turn=message.turn).to_json()),
        "person": message.address.person,
        "addressed": message.turn.addressed,
        "untagged": message.address.untagged,
        "reference": arrival.reference,
        "now": arrival.now,
        "changed_at": arrival.changed_at,
    }
