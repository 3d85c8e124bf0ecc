"""Our posted messages in SQL: where their parts are, by item, and what people think of them."""

from collections.abc import Sequence
from datetime import datetime

from bot.conversation.address import ChannelId, Placed, Ts
from bot.conversation.inputs import Rating
from bot.conversation.items import Item
from bot.conversation.message_kinds import Shown
from bot.postgres import fetch
from bot.postgres.pool import Connection


async def record_message(
    connection: Connection, item: Item, *, kind: Shown, parts: Sequence[Placed], now: datetime
) -> None:
    """Remember where the parts of an item's message are now.

    A message is one thing: what shows an answer now is no longer a failure, or another item's answer. Beside its card
    an item has one message.
    """
    query = """
        WITH placed AS (
            SELECT channel, ts, number - 1 AS part
            FROM unnest(%(channels)s::text[], %(stamps)s::text[]) WITH ORDINALITY AS given (channel, ts, number)
        ), known AS (
            SELECT inbox_id, kind FROM messages JOIN placed USING (channel, ts)
            UNION
            SELECT inbox_id, kind FROM messages
            WHERE inbox_id = %(id)s AND (kind = %(kind)s OR 'card' NOT IN (kind, %(kind)s))
        ), gone AS (
            DELETE FROM messages m USING known
            WHERE (m.inbox_id, m.kind) = (known.inbox_id, known.kind)
              AND NOT (m.inbox_id = %(id)s AND m.kind = %(kind)s AND m.part < %(count)s)
        )
        INSERT INTO messages (workspace, inbox_id, kind, part, channel, ts, posted_at)
        SELECT %(workspace)s, %(id)s, %(kind)s, part, channel, ts, %(now)s FROM placed
        ON CONFLICT (inbox_id, kind, part) DO UPDATE SET channel = excluded.channel, ts = excluded.ts
    """
    channels, stamps = [part.channel for part in parts], [part.ts for part in parts]
    places = {"channels": channels, "stamps": stamps, "count": len(parts)}
    given = {"workspace": item.workspace, "id": item.shown_for, "kind": kind, "now": now}
    await connection.execute(query, {**given, **places})


async def messages_of(connection: Connection, *items: int) -> dict[Shown, tuple[Placed, ...]]:
    """Return where the parts of the messages are that we posted for some items, by kind."""
    query = "SELECT kind, channel, ts FROM messages WHERE inbox_id = ANY(%(items)s) ORDER BY kind, inbox_id, part"
    found: dict[Shown, tuple[Placed, ...]] = {}
    for kind, placed in await fetch.rows(connection, _placed_as, query, items=list(items)):
        found[kind] = (*found.get(kind, ()), placed)
    return found


def _placed_as(kind: Shown, channel: ChannelId, ts: Ts) -> tuple[Shown, Placed]:
    return kind, Placed(channel=channel, ts=ts)


async def known_messages(connection: Connection, item: Item) -> frozenset[Ts]:
    """Return the timestamps of all that we posted in the item's channel since its message."""
    query = "SELECT ts FROM messages WHERE channel = %(channel)s AND ts::numeric > %(since)s::numeric"
    channel, since = item.address.channel, item.address.message_ts
    return frozenset(await fetch.values(connection, query, channel=channel, since=since))


async def drop_message(connection: Connection, placed: Placed) -> None:
    """Forget a message of ours that is gone."""
    query = "DELETE FROM messages WHERE channel = %(channel)s AND ts = %(ts)s"
    await connection.execute(query, {"channel": placed.channel, "ts": placed.ts})


async def adopt_answer(connection: Connection, family: list[int], *, by: int) -> None:
    """Give the family's last answer or failure to the one item whose next run takes it over.

    Other ones become further parts of it, which that run removes.
    """
    await connection.execute(
        """
        WITH dated AS (
            SELECT *, max(posted_at) OVER (PARTITION BY kind, inbox_id) AS dated_at
            FROM messages WHERE inbox_id = ANY(%(items)s) AND kind IN ('answer', 'failure')
        ), last_first AS (
            SELECT *, row_number() OVER (PARTITION BY kind ORDER BY dated_at DESC, inbox_id, part) AS number FROM dated
        )
        UPDATE messages m SET inbox_id = %(by)s, part = 1000 + number
        FROM last_first l WHERE (m.inbox_id, m.kind, m.part) = (l.inbox_id, l.kind, l.part)
        """,
        {"items": family, "by": by},
    )
    # In two steps, because a key must be unique in between, too.
    await connection.execute(
        "UPDATE messages SET part = part - 1001 WHERE inbox_id = %(by)s AND part > 1000", {"by": by}
    )


async def belongs(connection: Connection, thread_id: str, *, clicked_in: str) -> bool:
    """Tell whether somebody has clicked in a thread, or on a message of ours that belongs to it.

    If Slack refuses us the thread, we answer in the asker's direct messages.
    """
    if clicked_in == thread_id:
        return True
    query = """
        SELECT FROM inbox JOIN messages ON inbox_id = inbox.id
        WHERE thread_id = %(thread_id)s AND concat_ws(':', address ->> 'team', messages.channel, ts) = %(clicked_in)s
        LIMIT 1
    """
    return await fetch.found(connection, query, thread_id=thread_id, clicked_in=clicked_in)


async def joins_a_conversation(connection: Connection, item: Item) -> bool:
    """Tell whether the item calls the bot into a thread which people began without it, and has answered nothing yet."""
    if item.address.thread_ts == item.address.message_ts:
        return False
    query = """
        SELECT FROM inbox JOIN messages ON inbox_id = inbox.id AND messages.kind = 'answer'
        WHERE inbox.thread_id = %(thread_id)s AND inbox.id <> %(id)s
          AND inbox.status = 'finished' AND (content ->> 'addressed')::boolean
        LIMIT 1
    """
    return not await fetch.found(connection, query, thread_id=item.thread_id, id=item.id)


async def insert_feedback(connection: Connection, rating: Rating, *, now: datetime) -> bool:
    """Store a person's verdict on the answer that a message shows; return whether it is another than before."""
    query = """
        INSERT INTO feedback (workspace, inbox_id, person, verdict, given_at)
        SELECT workspace, inbox_id, %(person)s, %(verdict)s, %(now)s FROM messages
        WHERE channel = %(channel)s AND ts = %(message_ts)s AND kind = 'answer'
        ON CONFLICT (inbox_id, person) DO UPDATE SET verdict = excluded.verdict, given_at = excluded.given_at
        WHERE feedback.verdict <> excluded.verdict
    """
    return await fetch.found(connection, query, **vars(rating), now=now)
