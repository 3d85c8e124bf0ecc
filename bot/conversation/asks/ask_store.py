"""Asks in SQL, of every kind; call everything here within the workspace."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final, LiteralString, TypeVar

from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from bot.conversation import store, transitions
from bot.conversation.address import Placed
from bot.conversation.asks import preference_store
from bot.conversation.asks.ask import Ask, AskRules, AskStatus, NewAsk
from bot.conversation.asks.clarifications import Clarification, replaced_label
from bot.conversation.asks.review import Review
from bot.conversation.contents import ChoiceContent
from bot.conversation.inputs import Click
from bot.conversation.items import Item, Surface
from bot.postgres import fetch
from bot.postgres.pool import Connection

A = TypeVar("A", bound=Ask)

_CLOSED: Final = """
    closed AS (
        UPDATE asks SET status = 'superseded' FROM before WHERE asks.id = before.id
    )
    SELECT * FROM before ORDER BY id
"""


async def insert(connection: Connection, of: type[A], item: Item, new: NewAsk, *, now: datetime) -> A:
    """Store what an item's run asks, or offers with its answer."""
    query = """
        INSERT INTO asks (workspace, kind, token, inbox_id, thread_id, channel, interrupt_id, person, payload, status,
                          decision, decided_at, asked_at, remind_at, due_at)
        VALUES (%(workspace)s, %(kind)s, %(token)s, %(inbox_id)s, %(thread_id)s, %(channel)s, %(interrupt_id)s,
                %(person)s, %(payload)s, %(status)s, %(decision)s,
                CASE WHEN %(decision)s::jsonb IS NOT NULL THEN %(now)s END, %(now)s, %(remind_at)s, %(due_at)s)
        RETURNING *
    """
    given = {
        **vars(new),
        "payload": Jsonb(new.payload),
        "decision": Jsonb(new.decision) if new.decision else None,
        "workspace": item.workspace,
        "inbox_id": item.id,
        "thread_id": item.thread_id,
        "channel": item.address.channel,
    }
    return await fetch.only(connection, of.from_row, query, **given, kind=of.kind, now=now)


async def insert_assumed(connection: Connection, item: Item, new: NewAsk, *, now: datetime) -> Clarification:
    """Store the question that the item's run did not ask. If an earlier run has stored it, update what is assumed."""
    query = """
        UPDATE asks SET decision = %(decision)s, decided_at = %(now)s
        WHERE inbox_id = %(inbox_id)s AND kind = %(kind)s AND status = 'offered'
          AND payload -> 'options' = %(payload)s::jsonb -> 'options'
        RETURNING *
    """
    given = {"inbox_id": item.id, "decision": Jsonb(new.decision), "payload": Jsonb(new.payload), "now": now}
    stored = await _first(connection, Clarification, query, **given)
    return stored or await insert(connection, Clarification, item, new, now=now)


async def by_id(connection: Connection, of: type[A], ask_id: int) -> A | None:
    """Return an ask."""
    return await _first(connection, of, "SELECT * FROM asks WHERE kind = %(kind)s AND id = %(id)s", id=ask_id)


async def by_token(connection: Connection, of: type[A], token: str) -> A | None:
    """Return the ask that a button belongs to."""
    return await _first(connection, of, "SELECT * FROM asks WHERE kind = %(kind)s AND token = %(token)s", token=token)


async def lock(connection: Connection, of: type[A], token: str) -> A | None:
    """Return the ask that a button belongs to, locked; raise `LockNotAvailable` after a second.

    A run that reads what was typed may hold it for longer, and a click is acknowledged within three seconds.
    """
    await connection.execute("SET LOCAL lock_timeout = '1s'")
    query = "SELECT * FROM asks WHERE kind = %(kind)s AND token = %(token)s FOR UPDATE"
    return await _first(connection, of, query, token=token)


async def last_of(connection: Connection, item_id: int) -> Clarification | None:
    """Return the question that the item's run asked last."""
    query = "SELECT * FROM asks WHERE kind = %(kind)s AND inbox_id = %(id)s ORDER BY id DESC LIMIT 1"
    return await _first(connection, Clarification, query, id=item_id)


async def of_message(connection: Connection, of: type[A], shown: Placed) -> A | None:
    """Return the last ask about the answer that a message shows."""
    query = """
        SELECT asks.* FROM messages JOIN asks USING (inbox_id)
        WHERE messages.channel = %(channel)s AND ts = %(ts)s AND asks.kind = %(kind)s
        ORDER BY asks.id DESC LIMIT 1
    """
    return await _first(connection, of, query, channel=shown.channel, ts=shown.ts)


async def last_in(connection: Connection, of: type[A], thread_id: str) -> A | None:
    """Return the last ask of a thread that somebody wanted."""
    query = """
        SELECT * FROM asks
        WHERE thread_id = %(thread_id)s AND kind = %(kind)s AND person IS NOT NULL AND status <> 'superseded'
        ORDER BY id DESC LIMIT 1
    """
    return await _first(connection, of, query, thread_id=thread_id)


async def lock_waiting(connection: Connection, thread_id: str) -> Clarification | None:
    """Return the thread's open question, locked until the transaction ends."""
    query = "SELECT * FROM asks WHERE kind = %(kind)s AND thread_id = %(thread_id)s AND status = 'open' FOR UPDATE"
    return await _first(connection, Clarification, query, thread_id=thread_id)


async def lock_met(connection: Connection, item: Item) -> tuple[Clarification | None, Clarification | None]:
    """Return what a turn meets in its thread, locked: the open question, and the one that its words have answered.

    If none is open: the one that the turn has closed and whose card shows no later question, until the turn has ended.
    """
    query = """
        SELECT * FROM asks
        WHERE (thread_id = %(thread_id)s AND kind = %(kind)s AND status = 'open')
           OR (decided_in = %(id)s AND status = 'decided')
           OR (superseded_by = %(id)s AND status = 'superseded' AND thread_id = %(thread_id)s AND NOT EXISTS (
                SELECT FROM asks later
                WHERE later.inbox_id = asks.inbox_id AND later.kind = asks.kind AND later.id > asks.id
              ))
        ORDER BY id FOR UPDATE
    """
    every = await _all(connection, Clarification, query, thread_id=item.thread_id, id=item.id)
    met = {one.status: one for one in every}
    return met.get("open") or met.get("superseded"), met.get("decided")


async def lock_only_waiting(connection: Connection, item: Item) -> Clarification | None:
    """Return the one question in a turn's channel that is open for its person, locked.

    If the turn has closed or answered one, that one. None if several are open, or if another transaction holds it: that
    one comes first.
    """
    query = """
        SELECT * FROM asks
        WHERE kind = %(kind)s AND (superseded_by = %(id)s OR (
            status = 'open' AND person = %(person)s AND channel = %(channel)s AND NOT EXISTS (
                SELECT FROM asks other
                WHERE kind = %(kind)s AND status = 'open' AND person = %(person)s AND channel = %(channel)s
                  AND other.id <> asks.id
            ) AND NOT EXISTS (SELECT FROM asks own WHERE own.superseded_by = %(id)s)
        ))
        ORDER BY status = 'open' LIMIT 1
        FOR UPDATE SKIP LOCKED
    """
    person, channel = item.address.person, item.address.channel
    return await _first(connection, Clarification, query, id=item.id, person=person, channel=channel)


async def answered_by_words(connection: Connection, item_id: int) -> Clarification | None:
    """Return the question that a message has answered by its words."""
    query = "SELECT * FROM asks WHERE kind = %(kind)s AND decided_in = %(id)s AND status = 'decided'"
    return await _first(connection, Clarification, query, id=item_id)


async def answered_by(connection: Connection, item: Item) -> Clarification | None:
    """Return the question that an item answers, by a click or by its words."""
    if isinstance(item.content, ChoiceContent):
        return await by_id(connection, Clarification, item.content.ask_id)
    return await answered_by_words(connection, item.id)


async def change(connection: Connection, ask_id: int, *, was: AskStatus | None, **columns: Any) -> bool:
    """Write columns of an ask, only if its status still is `was`; `None` is any. Return whether they were written."""
    changes, values = store.assignments(columns)
    query = SQL("UPDATE asks SET {changes} WHERE id = %(id)s AND status = coalesce(%(was)s, status)")
    query = query.format(changes=changes)
    return (await connection.execute(query, {**values, "id": ask_id, "was": was})).rowcount > 0


async def decide(
    connection: Connection, asked: Ask, decision: Mapping[str, Any], *, by: str, now: datetime, **more: int
) -> None:
    """Decide a locked ask. `more` tells which turn did so by its words, or the number of a changed decision."""
    decided: dict[str, Any] = {"status": "decided", "decision": decision, "decided_by": by, "decided_at": now}
    await change(connection, asked.id, was=asked.status, **decided, **more)


async def choose(connection: Connection, asked: Clarification, click: Click, *, rules: AskRules, now: datetime) -> None:
    """Let a click decide a locked, open ask, or change what a closed one chose; store the item that answers with it."""
    choice, person = click.choice, click.person
    content = ChoiceContent(ask_id=asked.id, choice=choice)
    if asked.status != "open":
        content = replace(content, revision=asked.revision + 1, instead_of=replaced_label(asked))
        await _end_earlier(connection, asked, now=now)
    await decide(connection, asked, asdict(choice), by=person, now=now, revision=content.revision)
    await preference_store.learn(connection, asked, choice, person=person, rules=rules, now=now)
    sequel = asked.sequel(content, click.clicked_at, event_key=click.event_key, person=person)
    await store.insert_sequel(connection, sequel, now=now)


async def _end_earlier(connection: Connection, asked: Clarification, *, now: datetime) -> None:
    """Let Retry no longer run what has failed for an earlier choice."""
    earlier = await fetch.values(
        connection,
        """
        SELECT id FROM inbox
        WHERE thread_id = %(thread_id)s AND status IN ('failed', 'dropped', 'stopped')
          AND ((content ->> 'ask_id')::bigint = %(id)s OR id = (SELECT decided_in FROM asks WHERE id = %(id)s))
        """,
        id=asked.id,
        thread_id=asked.thread_id,
    )
    await store.change(connection, earlier, transitions.replaced, now=now)


async def supersede_all(connection: Connection, of: type[A], items: Sequence[int]) -> list[A]:
    """Close all asks about some items; return them as they were.

    A decision that was applied stays. One that waits to be applied is closed too, because its answer is gone.
    """
    query = f"""
        WITH before AS (
            SELECT * FROM asks
            WHERE inbox_id = ANY(%(items)s) AND kind = %(kind)s AND status <> 'superseded' AND concluded_at IS NULL
            FOR UPDATE
        ), {_CLOSED}
    """  # noqa: S608 - of literals only
    return await _all(connection, of, query, items=list(items))


async def supersede_reviews(connection: Connection, *, thread_id: str, key: str) -> list[Review]:
    """Close the reviews of all answers to a message, as `supersede_all` does; return them as they were."""
    # Written as the predicates of two indexes. No index serves "of these items, or of this thread" in one statement.
    query = f"""
        WITH before AS (
            SELECT * FROM asks
            WHERE thread_id = %(thread_id)s AND payload ->> 'key' = %(key)s
              AND kind = 'review'
              AND (status IN ('offered', 'open') OR (status IN ('decided', 'expired') AND concluded_at IS NULL))
            FOR UPDATE
        ), {_CLOSED}
    """  # noqa: S608 - of literals only
    return await _all(connection, Review, query, thread_id=thread_id, key=key)


async def expire_next(connection: Connection, of: type[A], *, surface: Surface, now: datetime) -> A | None:
    """Close the next open ask that nobody decided in time.

    Skips asks that are being decided, and questions in whose thread an item waits, which may be the answer.
    """
    query = """
        WITH due AS (
            SELECT asks.id FROM asks JOIN inbox ON inbox.id = inbox_id
            WHERE asks.kind = %(kind)s AND asks.status = 'open' AND asks.due_at <= %(now)s AND surface = %(surface)s
              AND (asks.kind <> 'clarification' OR NOT EXISTS (
                SELECT FROM inbox busy WHERE busy.thread_id = asks.thread_id AND busy.status IN ('waiting', 'asking')
              ))
            ORDER BY asks.due_at LIMIT 1
            FOR UPDATE OF asks SKIP LOCKED
        )
        UPDATE asks SET status = 'expired' FROM due WHERE asks.id = due.id RETURNING asks.*
    """
    return await _first(connection, of, query, surface=surface, now=now)


async def due_reminders(connection: Connection, *, surface: Surface, now: datetime) -> list[Clarification]:
    """Return the open questions that need their first reminder; unlocked, because a lock would refuse clicks."""
    query = """
        SELECT asks.* FROM asks
        JOIN inbox ON inbox.id = asks.inbox_id
        JOIN messages card ON card.inbox_id = inbox.id AND card.kind = 'card'
        WHERE asks.kind = %(kind)s AND asks.status = 'open' AND surface = %(surface)s
          AND remind_at <= %(now)s AND asks.due_at > %(now)s
          AND NOT EXISTS (
            SELECT FROM inbox sent WHERE sent.workspace = asks.workspace AND sent.event_key = 'reminder:' || asks.id
          )
          AND NOT EXISTS (
            SELECT FROM inbox busy WHERE busy.thread_id = asks.thread_id AND busy.status IN ('waiting', 'asking')
          )
        ORDER BY remind_at
    """
    return await _all(connection, Clarification, query, surface=surface, now=now)


async def show_again(connection: Connection, *, beside: int, now: datetime) -> None:
    """Show the open card of another item of the thread again, before anything later runs.

    A run of the item `beside` has failed or was ended, and may have closed that card's question, or shown it as closed.
    """
    await connection.execute(
        """
        UPDATE asks SET superseded_by = NULL, status = CASE
            WHEN asks.status = 'superseded' AND asks.thread_id = beside.thread_id AND NOT EXISTS (
                SELECT FROM asks other
                WHERE other.thread_id = asks.thread_id AND other.kind = 'clarification'
                  AND (other.status = 'open'
                       OR (other.status = 'superseded' AND other.superseded_by = beside.id AND other.id > asks.id))
            ) THEN 'open'
            ELSE asks.status
        END
        FROM inbox beside WHERE beside.id = superseded_by AND superseded_by = %(beside)s
        """,
        {"beside": beside},
    )
    asking = await fetch.values(
        connection,
        """
        SELECT asks.inbox_id AS id FROM asks JOIN inbox other USING (thread_id)
        WHERE other.id = %(beside)s AND asks.kind = 'clarification' AND asks.status = 'open'
          AND asks.inbox_id <> other.id
        """,
        beside=beside,
    )
    await store.change(connection, asking, transitions.shown_again, now=now)


async def _first(connection: Connection, of: type[A], query: LiteralString, **given: object) -> A | None:
    """Return the first ask that a query of its kind selects."""
    return await fetch.row(connection, of.from_row, query, **given, kind=of.kind)


async def _all(connection: Connection, of: type[A], query: LiteralString, **given: object) -> list[A]:
    """Return the asks that a query of their kind selects, in its order."""
    return await fetch.rows(connection, of.from_row, query, **given, kind=of.kind)
