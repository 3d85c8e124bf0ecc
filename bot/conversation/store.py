"""The inbox in SQL: every statement that stores, changes or deletes an item, but for the claim's."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Concatenate, Final, ParamSpec

from psycopg.sql import SQL, Identifier, Placeholder
from psycopg.types.json import Jsonb

from bot.conversation import transitions
from bot.conversation.address import Address
from bot.conversation.inputs import PAUSE, Arrival, Message, QueueLimits, Rating, notice_key
from bot.conversation.items import OFFSETS, Item, Sequel, Surface
from bot.conversation.message_kinds import MessageRefused
from bot.conversation.payloads import NoticePayload, TurnPayload
from bot.conversation.retry import ATTEMPTS
from bot.postgres.pool import Connection

P = ParamSpec("P")


async def listen(connection: Connection) -> None:
    """Let a connection hear of what came in, by its surface, and on `askback_changes` of runs to be ended, by item."""
    await connection.execute("LISTEN askback_inbox")
    await connection.execute("LISTEN askback_changes")


_ADMIT: Final = """
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
        RETURNING surface, status
    ), notice AS (
        INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, address, content,
                           due_at, reference, received_at)
        SELECT surface, %(workspace)s, %(thread_id)s || ':notice', %(position)s, 'notice', %(notice_key)s,
               %(address)s, CASE WHEN person_has_enough THEN %(person_limit)s::jsonb ELSE %(total_limit)s END,
               'epoch', 'N' || %(reference)s, %(now)s
        FROM stored, load
        WHERE status = 'refused' AND %(addressed)s AND NOT EXISTS (
            SELECT FROM inbox
            WHERE workspace = %(workspace)s AND person = %(person)s AND status = 'refused'
              AND received_at > %(now)s - %(pause)s
        )
        ON CONFLICT DO NOTHING
    )
    SELECT FROM stored
"""


async def admit(connection: Connection, arrival: Arrival, limits: QueueLimits) -> bool:
    """Store a message in one statement, and return whether it was new and for us; its sender then wakes a worker.

    What was not said to the bot is stored only in a thread that the bot knows by then. It is due at once, whatever
    the clocks of other machines say. If an edit brings it in, its words are those of `changed_at`.

    Its rank is its start tag in start-time fair queueing (Goyal, Vin and Cheng, 1996): one more than the person's last
    turn that waits, and no less than that of the turn that is next. If too many wait it is refused; the first that is
    refused in a while brings a notice, in a thread of its own, for it shall not wait behind what it is about.
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

    An earlier message of the thread never arrives, but the bot may have read it as context.
    """
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
        _columns(arrival),
    )


async def insert_notice(connection: Connection, arrival: Arrival, why: MessageRefused, *, key: str) -> None:
    """Record, once for each key, that the writer of a message gets a notice. No words of it are stored.

    A message that did not address the bot may be for others, unless its writer has spoken with the bot there.
    """
    await connection.execute(
        """
        INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, address, content, due_at,
                           reference, received_at)
        SELECT %(surface)s, %(workspace)s, %(thread_id)s || ':notice', %(position)s, 'notice', %(key)s, %(address)s,
               %(content)s, 'epoch', 'N' || %(reference)s, %(now)s
        WHERE %(addressed)s
           OR EXISTS (SELECT FROM inbox
                      WHERE workspace = %(workspace)s AND thread_id = %(thread_id)s AND kind = 'turn'
                        AND person = %(person)s AND content ->> 'addressed' = 'true')
        ON CONFLICT DO NOTHING
        """,
        {**_columns(arrival), "key": key, "content": _notice(why)},
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


async def insert_sequel(connection: Connection, sequel: Sequel, *, now: datetime) -> bool:
    """Store an item about another, once, and wake a worker; return whether it was new. It is due at once."""
    cursor = await connection.execute(
        """
        WITH stored AS (
            INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, address, content, due_at,
                               reference, received_at)
            SELECT surface, workspace, thread_id, coalesce(%(position)s::numeric, position + %(offset)s), %(kind)s,
                   %(event_key)s, address || %(address)s, %(content)s, 'epoch', %(reference)s, %(now)s
            FROM inbox WHERE id = %(about)s
            ON CONFLICT DO NOTHING
            RETURNING surface
        )
        SELECT pg_notify('askback_inbox', surface) FROM stored
        """,
        {
            "about": sequel.about,
            "position": None if sequel.place in OFFSETS else sequel.place,
            "offset": OFFSETS.get(sequel.place),
            "kind": sequel.payload.kind,
            "event_key": sequel.event_key,
            "address": Jsonb({"person": sequel.person} if sequel.person else {}),
            "content": Jsonb(sequel.payload.to_json()),
            "reference": sequel.reference,
            "now": now,
        },
    )
    return cursor.rowcount > 0


async def wake(connection: Connection, surface: Surface) -> None:
    """Wake a worker for what is committed already.

    What is told within a transaction is told as it commits, which PostgreSQL lets one of all transactions do at a time:
    events that come together would wait for the disk one after another.
    """
    await connection.execute("SELECT pg_notify('askback_inbox', %(surface)s)", {"surface": surface})


async def end_runs(connection: Connection, items: Sequence[int]) -> None:
    """End the runs of some items, wherever they run, once the transaction is committed."""
    await connection.execute(
        "SELECT pg_notify('askback_changes', id::text) FROM unnest(%(items)s::bigint[]) AS items (id)",
        {"items": list(items)},
    )


async def change(
    connection: Connection, items: Sequence[int], transition: Callable[Concatenate[Item, P], Item | None],
    *given: P.args, **named: P.kwargs,
) -> list[int]:  # fmt: skip
    """Lock items, and write what a transition changes of each; return the ids of those that did not refuse it.

    An update that touches no indexed column stays in its page (HOT), so only what has changed is written.
    """
    if not items:
        return []
    cursor = await connection.execute(
        "SELECT * FROM inbox WHERE id = ANY(%(ids)s) ORDER BY id FOR NO KEY UPDATE", {"ids": list(items)}
    )
    taken: list[int] = []
    for before in map(Item.from_row, await cursor.fetchall()):
        after = transition(before, *given, **named)
        if after is not None:
            taken.append(before.id)
            await _write(connection, before.id, before.changes_to(after))
    return taken


async def _write(connection: Connection, item_id: int, changes: dict[str, Any]) -> None:
    if "payload" in changes:
        changes["content"] = changes.pop("payload").to_json()
    if changes:
        columns = SQL(", ").join(SQL("{} = {}").format(Identifier(name), Placeholder(name)) for name in changes)
        values = {name: Jsonb(value) if isinstance(value, Mapping) else value for name, value in changes.items()}
        await connection.execute(
            SQL("UPDATE inbox SET {changes} WHERE id = %(id)s").format(changes=columns), {**values, "id": item_id}
        )


async def forget_run_texts(connection: Connection, *, thread_id: str | None = None) -> int:
    """Forget what runs have said, of a thread or of all; return the number of partial answers."""
    cursor = await connection.execute(
        """
        SELECT id, partial IS NOT NULL AS is_partial FROM inbox
        WHERE thread_id = coalesce(%(thread_id)s::text, thread_id) AND (partial IS NOT NULL OR last_error ? 'reason')
        """,
        {"thread_id": thread_id},
    )
    rows = await cursor.fetchall()
    await change(connection, [row["id"] for row in rows], transitions.without_run_texts)
    return sum(row["is_partial"] for row in rows)


async def delete(connection: Connection, items: Collection[int]) -> None:
    """Delete items with all that hangs on them."""
    await connection.execute("DELETE FROM inbox WHERE id = ANY (%(items)s)", {"items": list(items)})


async def move(connection: Connection, item_id: int, address: Address) -> None:
    """Let an item wait in another thread with fresh attempts, and wake a worker."""
    await connection.execute(
        """
        WITH moved AS (
            UPDATE inbox
            SET address = %(address)s, thread_id = %(thread_id)s, position = %(position)s::numeric,
                attempts = 0, attempts_allowed = %(attempts)s
            WHERE id = %(id)s
            RETURNING surface
        )
        SELECT pg_notify('askback_inbox', surface) FROM moved
        """,
        {
            "id": item_id,
            "address": Jsonb(asdict(address)),
            "thread_id": address.thread_id,
            "position": address.message_ts,
            "attempts": ATTEMPTS,
        },
    )


async def by_reference(connection: Connection, reference: str, *, workspace: str) -> Item | None:
    """Return the item with a reference."""
    cursor = await connection.execute(
        "SELECT * FROM inbox WHERE workspace = %(workspace)s AND reference = %(reference)s",
        {"workspace": workspace, "reference": reference},
    )
    row = await cursor.fetchone()
    return Item.from_row(row) if row else None


async def belongs(connection: Connection, thread_id: str, *, place: str) -> bool:
    """Tell whether a place, named like a thread, is in a thread: its own, or a message of ours that belongs to it.

    Where Slack refused us the thread, what we say is a message in the asker's direct messages.
    """
    if place == thread_id:
        return True
    cursor = await connection.execute(
        """
        SELECT FROM inbox JOIN messages ON inbox_id = inbox.id
        WHERE thread_id = %(thread_id)s AND concat_ws(':', address ->> 'team', messages.channel, ts) = %(place)s
        LIMIT 1
        """,
        {"thread_id": thread_id, "place": place},
    )
    return await cursor.fetchone() is not None


async def retry(connection: Connection, item_id: int, *, now: datetime) -> bool:
    """Retry a failed, stopped, dropped or pending question with fresh attempts; return whether it is one.

    A stop or drop of it that still waits is taken back, for the later wish counts.
    """
    commands = await _lock_commands(connection, item_id)
    if not await change(connection, [item_id], transitions.retried, has_run=any(commands.values())):
        return False
    await change(connection, list(commands), transitions.finished, now=now)
    await connection.execute("SELECT pg_notify('askback_inbox', surface) FROM inbox WHERE id = %(id)s", {"id": item_id})
    return True


async def _lock_commands(connection: Connection, target_id: int) -> dict[int, bool]:
    """Lock the stops and drops of a question that wait; return whether each was begun, by its id."""
    cursor = await connection.execute(
        """
        SELECT commands.id, commands.attempts > 0 AS was_begun FROM inbox target JOIN inbox commands USING (thread_id)
        WHERE target.id = %(id)s AND commands.kind IN ('stop', 'drop') AND commands.status = 'waiting'
          AND (commands.content ->> 'target')::bigint = target.id
        FOR NO KEY UPDATE OF commands
        """,
        {"id": target_id},
    )
    return {row["id"]: row["was_begun"] for row in await cursor.fetchall()}


async def item_by_id(connection: Connection, item_id: int) -> Item:
    """Return an item, whatever became of it. Raises `LookupError` if it is gone."""
    cursor = await connection.execute("SELECT * FROM inbox WHERE id = %(id)s", {"id": item_id})
    row = await cursor.fetchone()
    if row is None:
        raise LookupError("An item that is wanted is gone.")
    return Item.from_row(row)


async def joins_a_conversation(connection: Connection, item: Item) -> bool:
    """Tell whether the item calls the bot into a thread which people began without it, and has answered nothing yet."""
    if item.address.thread_ts == item.address.message_ts:
        return False
    cursor = await connection.execute(
        """
        SELECT FROM inbox JOIN messages ON inbox_id = inbox.id AND messages.kind = 'answer'
        WHERE inbox.workspace = %(workspace)s AND inbox.thread_id = %(thread_id)s AND inbox.id <> %(id)s
          AND inbox.status = 'finished' AND (content ->> 'addressed')::boolean
        LIMIT 1
        """,
        {"workspace": item.workspace, "thread_id": item.thread_id, "id": item.id},
    )
    return await cursor.fetchone() is None


async def insert_feedback(connection: Connection, rating: Rating, *, workspace: str, now: datetime) -> bool:
    """Store a person's verdict on the answer that a message shows; return whether it is another than before."""
    cursor = await connection.execute(
        """
        INSERT INTO feedback (workspace, inbox_id, person, verdict, given_at)
        SELECT workspace, inbox_id, %(person)s, %(verdict)s, %(now)s FROM messages
        WHERE workspace = %(workspace)s AND channel = %(channel)s AND ts = %(ts)s AND kind = 'answer'
        ON CONFLICT (inbox_id, person) DO UPDATE SET verdict = excluded.verdict, given_at = excluded.given_at
        WHERE feedback.verdict <> excluded.verdict
        """,
        {
            "workspace": workspace, "channel": rating.channel, "ts": rating.message_ts, "person": rating.person,
            "verdict": rating.verdict, "now": now,
        },
    )  # fmt: skip
    return cursor.rowcount > 0


async def quiet_threads(connection: Connection, *, workspace: str, before: datetime) -> list[str]:
    """Return the threads with checkpoints to spare in which nothing waits and all was finished before a time."""
    cursor = await connection.execute(
        """
        SELECT thread_id FROM checkpoints
        WHERE EXISTS (SELECT FROM inbox i WHERE i.workspace = %(workspace)s AND i.thread_id = checkpoints.thread_id)
          AND NOT EXISTS (
            SELECT FROM inbox i
            WHERE i.workspace = %(workspace)s AND i.thread_id = checkpoints.thread_id
              AND (i.status IN ('waiting', 'asking') OR i.finished_at >= %(before)s)
          )
          AND NOT EXISTS (
            SELECT FROM asks WHERE asks.thread_id = checkpoints.thread_id AND asks.status = 'open'
          )
        GROUP BY thread_id
        HAVING count(*) > 1
        """,
        {"workspace": workspace, "before": before},
    )
    return [row["thread_id"] for row in await cursor.fetchall()]
