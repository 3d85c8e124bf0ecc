"""Channel modes, untagged questions and muted threads in SQL; call everything here within the workspace."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from bot.conversation.address import Address, ChannelId, PersonId, Placed, Ts
from bot.conversation.asks import family_store
from bot.conversation.inputs import Message
from bot.postgres import fetch
from bot.postgres.pool import Connection
from bot.slack.channel_modes.modes import KEPT, ChannelMode, Noted, UntaggedVerdict, after_unwanted

Storing: TypeAlias = Callable[[], AbstractAsyncContextManager[Connection]]
"""Lends a transaction of the workspace."""
LEASE: Final = timedelta(minutes=3)
"""After this time another process takes over what one has begun."""


@dataclass(frozen=True, kw_only=True)
class WaitingQuestion:
    """An untagged question that a process judges: where it stands, and no word of it."""

    message_key: str
    channel: ChannelId
    ts: Ts
    due_at: datetime
    """The end of the process's lease. An edit changes it, and a deletion deletes the row."""


async def mode_of(connection: Connection, channel: str, *, now: datetime) -> ChannelMode | None:
    """Return a channel's mode, and hold it until the transaction ends; `None` if nobody ever wanted its card."""
    query = """
        SELECT *, (SELECT count(*) FROM untagged_questions AS taken
                   WHERE taken.channel = channel_modes.channel AND decided_at > %(since)s) AS taken_today
        FROM channel_modes WHERE channel = %(channel)s FOR UPDATE
    """
    return await fetch.row(connection, _mode, query, channel=channel, since=now - timedelta(days=1))


async def save(connection: Connection, mode: ChannelMode, *, now: datetime) -> None:
    """Store a changed mode, and let the card show it."""
    query = """
        UPDATE channel_modes
        SET mode = %(mode)s, is_on = %(is_on)s, since = %(since)s, changed_by = %(changed_by)s,
            is_led_back = %(is_led_back)s, card_due = %(now)s
        WHERE channel = %(channel)s
    """
    await connection.execute(query, {**vars(mode), "now": now})


async def want_card(connection: Connection, channel: str, *, key: Ts, now: datetime) -> None:
    """Let a new card be posted, once for each message that asks for it."""
    query = """
        INSERT INTO channel_modes AS known (channel, since, card_key, card_due)
        VALUES (%(channel)s, %(now)s, %(key)s, %(now)s)
        ON CONFLICT (workspace, channel) DO UPDATE SET card_key = %(key)s, card_ts = NULL, card_due = %(now)s
        WHERE known.card_key < %(key)s
    """
    await connection.execute(query, {"channel": channel, "key": key, "now": now})


async def take_card(connection: Connection, *, now: datetime) -> ChannelMode | None:
    """Take a channel whose card is due, for as long as a lease lasts."""
    query = """
        UPDATE channel_modes SET card_due = %(until)s
        WHERE channel = (SELECT channel FROM channel_modes WHERE card_due <= %(now)s
                         ORDER BY card_due LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING *
    """
    return await fetch.row(connection, _mode, query, until=now + LEASE, now=now)


async def card_shown(connection: Connection, shown: ChannelMode, ts: Ts | None, *, again_at: datetime | None) -> None:
    """Note where a card is, and when it is to be shown again, unless it is due again already."""
    query = """
        UPDATE channel_modes
        SET card_ts = CASE WHEN card_key = %(key)s THEN %(ts)s ELSE card_ts END,
            card_due = CASE WHEN card_due = %(due)s THEN %(again)s::timestamptz ELSE card_due END
        WHERE channel = %(channel)s
    """
    given = {"key": shown.card_key, "ts": ts, "due": shown.card_due, "again": again_at, "channel": shown.channel}
    await connection.execute(query, given)


async def noted(connection: Connection, mode: ChannelMode) -> list[Noted]:
    """Return what would have been answered since the mode began, the newest first."""
    query = """
        SELECT ts, verdict, link, document FROM untagged_questions
        WHERE channel = %(channel)s AND state = 'noted' AND decided_at >= %(since)s ORDER BY ts DESC
    """
    return await fetch.rows(connection, Noted, query, channel=mode.channel, since=mode.since)


async def enqueue(connection: Connection, message: Message, *, due_at: datetime) -> None:
    """Enqueue an untagged question, once, if its channel's mode is another than mentions."""
    query = """
        INSERT INTO untagged_questions (message_key, channel, ts, person, due_at)
        SELECT %(key)s, channel, %(message_ts)s, %(person)s, %(due)s FROM channel_modes
        WHERE channel = %(channel)s AND mode <> 'mentions'
        ON CONFLICT DO NOTHING
    """
    await connection.execute(query, {**vars(message.address), "key": message.message_key, "due": due_at})


async def take_next(connection: Connection, *, now: datetime) -> WaitingQuestion | None:
    """Take the question that has been due the longest, for as long as a lease lasts."""
    query = """
        UPDATE untagged_questions SET due_at = %(until)s
        WHERE message_key = (SELECT message_key FROM untagged_questions WHERE state = 'waiting' AND due_at <= %(now)s
                             ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING message_key, channel, ts, due_at
    """
    return await fetch.row(connection, WaitingQuestion, query, until=now + LEASE, now=now)


async def drop(connection: Connection, waiting: WaitingQuestion) -> None:
    """Leave a question to people: delete its row, unless an edit made it another question."""
    query = "DELETE FROM untagged_questions WHERE message_key = %(key)s AND state = 'waiting' AND due_at = %(due)s"
    await connection.execute(query, {"key": waiting.message_key, "due": waiting.due_at})


async def conclude(
    connection: Connection,
    waiting: WaitingQuestion,
    mode: ChannelMode,
    verdict: UntaggedVerdict,
    *,
    link: str,
    now: datetime,
) -> bool:
    """Store a verdict; return whether the question is to be answered now.

    It is not if the mode, the question or its deletion came first, or the channel has had its share of today.
    """
    current = await mode_of(connection, waiting.channel, now=now)
    if current is None or current != mode or not current.has_room:
        await drop(connection, waiting)
        return False
    is_on = mode.phase(now) == "on"
    query = """
        UPDATE untagged_questions
        SET state = %(state)s, verdict = %(verdict)s, decided_at = %(now)s, link = %(link)s, document = %(document)s
        WHERE message_key = %(key)s AND state = 'waiting' AND due_at = %(due)s
    """
    given = {
        "state": "handed" if is_on else "noted",
        "verdict": verdict.kind,
        "now": now,
        "link": link,
        "document": verdict.document,
        "key": waiting.message_key,
        "due": waiting.due_at,
    }
    is_stored = await fetch.found(connection, query, **given)
    await connection.execute("DELETE FROM untagged_questions WHERE decided_at < %(before)s", {"before": now - KEPT})
    if not is_on:
        await save(connection, mode, now=now)
    return is_on and is_stored


async def forget(connection: Connection, message_key: str) -> None:
    """Forget a question that was deleted before it was answered."""
    query = "DELETE FROM untagged_questions WHERE message_key = %(key)s AND state <> 'handed'"
    await connection.execute(query, {"key": message_key})


async def postpone(connection: Connection, message_key: str, *, due_at: datetime) -> None:
    """Let an edited question wait longer: a judgement of its old words concludes nothing."""
    query = "UPDATE untagged_questions SET due_at = %(due)s WHERE message_key = %(key)s AND state = 'waiting'"
    await connection.execute(query, {"due": due_at, "key": message_key})


async def handed(connection: Connection, message_key: str) -> Mapping[str, Any] | None:
    """Return the row of an untagged question that was answered, and hold it until the transaction ends."""
    query = """
        SELECT person, unwanted_by FROM untagged_questions
        WHERE message_key = %(key)s AND state = 'handed' FOR UPDATE
    """
    return await fetch.row(connection, dict[str, Any], query, key=message_key)


async def is_answered_by(connection: Connection, message_key: str, clicked: Placed) -> bool:
    """Tell whether a message of ours answers this question, and not another one."""
    item_id = await fetch.value(connection, "SELECT id FROM inbox WHERE message_key = %(key)s", key=message_key)
    return item_id is not None and await family_store.shows(connection, clicked, item_id)


async def mark_unwanted(connection: Connection, message_key: str, *, by: PersonId, now: datetime) -> bool:
    """Note a click on "Not for you", once for each answer; return whether the answer is known.

    The second one leads the channel back to mentions.
    """
    mode = await mode_of(connection, message_key.partition(":")[0], now=now)
    query = """
        UPDATE untagged_questions SET unwanted_by = coalesce(unwanted_by, %(by)s)
        WHERE message_key = %(key)s AND state = 'handed'
    """
    if not await fetch.found(connection, query, by=by, key=message_key) or mode is None:
        return False
    query = """
        SELECT count(*) AS unwanted FROM untagged_questions
        WHERE channel = %(channel)s AND unwanted_by IS NOT NULL AND decided_at >= %(since)s
    """
    unwanted = await fetch.value(connection, query, channel=mode.channel, since=mode.since)
    after = after_unwanted(mode, unwanted, now=now)
    if after != mode:
        await save(connection, after, now=now)
    return True


async def save_mute(connection: Connection, address: Address, *, is_muted: bool) -> bool:
    """Store what a message says of its thread, once; return whether it counts.

    The latest message in the thread counts, in whatever order they come.
    """
    query = """
        INSERT INTO muted_threads AS known (channel, thread_ts, is_muted, since)
        VALUES (%(channel)s, %(thread_ts)s, %(is_muted)s, %(ts)s::numeric)
        ON CONFLICT (workspace, channel, thread_ts) DO UPDATE SET is_muted = %(is_muted)s, since = %(ts)s::numeric
        WHERE known.since < %(ts)s::numeric
    """
    return await fetch.found(connection, query, **_place(address), is_muted=is_muted)


async def is_muted(connection: Connection, address: Address) -> bool:
    """Tell whether the thread of a message was muted before it."""
    query = """
        SELECT FROM muted_threads
        WHERE channel = %(channel)s AND thread_ts = %(thread_ts)s AND is_muted AND since < %(ts)s::numeric
    """
    return await fetch.found(connection, query, **_place(address))


def _place(address: Address) -> dict[str, str]:
    return {"channel": address.channel, "thread_ts": address.thread_ts, "ts": address.message_ts}


def _mode(*, workspace: str, **columns: Any) -> ChannelMode:
    del workspace
    return ChannelMode(**columns)
