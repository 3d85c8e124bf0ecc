"""The SQL that forgets conversations. Call each function in a transaction of the workspace that reads everything."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, LiteralString, TypeAlias

from psycopg.sql import SQL, Identifier

from bot.conversation import store, transitions
from bot.conversation.address import Address, Placed
from bot.conversation.asks import call_store
from bot.postgres import fetch
from bot.postgres.pool import Connection
from graph.turn import Remark

Kind: TypeAlias = Literal["person", "channel"]
_ALL: Final = (
    "checkpoint_writes", "checkpoint_blobs", "checkpoints", "phrasings", "tellings", "verified_answers", "runs",
    "flags", "reports", "feedback", "tool_calls", "asks", "messages", "inbox", "claims", "preferences", "channels",
    "memberships", "places", "postcodes", "failures", "reported_changes", "added_messages", "passages", "documents",
    "audiences", "forgotten", "sources", "serving_models", "untagged_questions", "channel_modes", "muted_threads",
    "shared_answers",
)  # fmt: skip
"""All tables with words, in the order in which their rows can go."""
Statements: TypeAlias = Sequence[tuple[str, LiteralString]]
"""Statements, and as what the rows that they delete are counted; empty if nobody needs to know."""
_ABOUT_PERSON: Final[Statements] = (
    ("verified answers", "DELETE FROM verified_answers WHERE writer = %(person)s"),
    ("", "UPDATE verified_answers SET retired_by = NULL WHERE retired_by = %(person)s"),
    ("", "DELETE FROM tellings WHERE person = %(person)s"),
    ("", "UPDATE flags SET told_to = NULL WHERE told_to = %(person)s"),
    ("", "UPDATE sources SET owner = NULL WHERE owner = %(person)s"),
    # What they added alone, for themselves; what others may read of their words has gone before.
    (
        "",
        """
        DELETE FROM sources USING audiences
        WHERE sources.id = source_id AND location LIKE 'slack:D%%/added' AND names = ARRAY[%(name)s]
        """,
    ),
    ("", "DELETE FROM added_messages WHERE writer = %(person)s"),
    ("", "UPDATE added_messages SET added_by = NULL WHERE added_by = %(person)s"),
    # Their own answers have gone with their ratings.
    (
        "ratings",
        """
        DELETE FROM feedback USING inbox
        WHERE inbox.id = inbox_id AND feedback.person = %(person)s AND address ->> 'person' <> %(person)s
        """,
    ),
    ("remembered choices", "DELETE FROM preferences WHERE person = %(person)s"),
    ("memberships", "DELETE FROM memberships WHERE person = %(person)s"),
    ("", "UPDATE memberships SET channels = array_remove(channels, %(person)s) WHERE %(person)s = ANY (channels)"),
    ("untagged questions", "DELETE FROM untagged_questions WHERE person = %(person)s"),
    ("shared answers", "DELETE FROM shared_answers WHERE person = %(person)s"),
    ("", "UPDATE untagged_questions SET unwanted_by = NULL WHERE unwanted_by = %(person)s"),
    ("", "UPDATE channel_modes SET changed_by = NULL WHERE changed_by = %(person)s"),
)
_ABOUT_CHANNEL: Final[Statements] = (
    ("verified answers", "DELETE FROM verified_answers WHERE place = %(name)s OR starts_with(asked_as, %(prefix)s)"),
    ("", "DELETE FROM phrasings WHERE starts_with(asked_as, %(prefix)s)"),
    ("remembered choices", "DELETE FROM preferences WHERE channel = %(channel)s"),
    ("settings of the channel", "DELETE FROM channels WHERE channel = %(channel)s"),
    ("untagged questions", "DELETE FROM untagged_questions WHERE channel = %(channel)s"),
    ("shared answers", "DELETE FROM shared_answers WHERE channel = %(channel)s"),
    ("", "DELETE FROM channel_modes WHERE channel = %(channel)s"),
    ("", "DELETE FROM muted_threads WHERE channel = %(channel)s"),
    ("", "UPDATE flags SET told_to = NULL WHERE told_to = %(channel)s"),
    ("", "DELETE FROM memberships WHERE person = %(channel)s"),
    ("", "UPDATE memberships SET channels = array_remove(channels, %(channel)s) WHERE %(channel)s = ANY (channels)"),
)


async def mark(connection: Connection, kind: Kind, name: str) -> None:
    """Note, by digest, that what somebody said until now is not read from Slack again."""
    query = """
        INSERT INTO forgotten (digest)
        VALUES (sha256(convert_to(concat_ws(E'\\n', %(kind)s::text, %(name)s::text), 'UTF8')))
        ON CONFLICT (workspace, digest) DO UPDATE SET since = clock_timestamp()
    """
    await connection.execute(query, {"kind": kind, "name": name})


async def unforgotten(connection: Connection, address: Address, said: Sequence[Remark]) -> tuple[Remark, ...]:
    """Return the remarks before an address without what was forgotten on request."""
    channel = (address.asked_at or address).channel
    query = """
        SELECT name, since FROM unnest(%(kinds)s::text[], %(names)s::text[]) AS given (kind, name)
        JOIN forgotten ON digest = sha256(convert_to(concat_ws(E'\\n', kind, name), 'UTF8'))
    """
    kinds = ["channel", *("person" for _ in said)]
    names = [channel, *(remark.person for remark in said)]
    since: dict[str, datetime] = await fetch.pairs(connection, query, kinds=kinds, names=names)

    def is_kept(remark: Remark) -> bool:
        ends = [since[name].timestamp() for name in (channel, remark.person) if name in since]
        return all(float(remark.key) > end for end in ends)

    return tuple(filter(is_kept, said))


async def threads_of_person(connection: Connection, person: str) -> list[str]:
    """Return the threads that may hold words of a person, or in which a run may be reading some."""
    query = """
        SELECT thread_id FROM inbox WHERE person = %(person)s OR address ->> 'person' = %(person)s
        UNION SELECT thread_id FROM asks WHERE person = %(person)s OR decided_by = %(person)s
        UNION SELECT thread_id FROM checkpoints
              WHERE strpos(checkpoint::text, %(person)s) > 0 OR strpos(metadata::text, %(person)s) > 0
        UNION SELECT thread_id FROM checkpoint_blobs WHERE position(convert_to(%(person)s, 'UTF8') IN blob) > 0
        UNION SELECT thread_id FROM checkpoint_writes WHERE position(convert_to(%(person)s, 'UTF8') IN blob) > 0
        UNION SELECT thread_id FROM claims
        ORDER BY thread_id
    """
    return await fetch.values(connection, query, person=person)


async def threads_of_channel(connection: Connection, channel: str) -> list[str]:
    """Return the threads of a channel, with those in which its questions were answered privately."""
    query = """
        SELECT DISTINCT thread_id FROM inbox
        WHERE %(channel)s IN (address ->> 'channel', address #>> '{asked_at,channel}') ORDER BY thread_id
    """
    return await fetch.values(connection, query, channel=channel)


async def remembering_threads(connection: Connection) -> list[str]:
    """Return the threads that remember something, or in which a run goes on."""
    query = "SELECT thread_id FROM checkpoints UNION SELECT thread_id FROM claims ORDER BY thread_id"
    return await fetch.values(connection, query)


async def all_threads(connection: Connection) -> list[str]:
    """Return all threads."""
    query = """
        SELECT thread_id FROM inbox UNION SELECT thread_id FROM checkpoints UNION SELECT thread_id FROM claims
        ORDER BY thread_id
    """
    return await fetch.values(connection, query)


async def lock_thread(connection: Connection, thread_id: str) -> bool:
    """Keep claims and runs off a thread until the transaction ends; return whether none goes on.

    Items first, as a claim does, so that the two never wait for each other in a circle.
    """
    items = "SELECT FROM inbox WHERE thread_id = %(thread_id)s ORDER BY id FOR UPDATE"
    claim = """
        INSERT INTO claims (thread_id, inbox_id, process) VALUES (%(thread_id)s, 0, 0)
        ON CONFLICT (workspace, thread_id) DO UPDATE SET inbox_id = 0, process = 0
        WHERE claims.process NOT IN (SELECT number FROM processes)
    """
    await connection.execute(items, {"thread_id": thread_id})
    return await fetch.found(connection, claim, thread_id=thread_id)


async def unlock_thread(connection: Connection, thread_id: str) -> None:
    """Unlock a thread before the transaction ends, because a claim of the thread waits for the row.

    The row is never committed.
    """
    await connection.execute("DELETE FROM claims WHERE thread_id = %(thread_id)s", {"thread_id": thread_id})


async def running_in(connection: Connection, thread_id: str) -> list[int]:
    """Return the items that run in a thread."""
    query = "SELECT inbox_id FROM claims WHERE thread_id = %(thread_id)s"
    return await fetch.values(connection, query, thread_id=thread_id)


async def items_of_person(connection: Connection, thread_id: str, person: str) -> list[int]:
    """Return what a person said and did in a thread, with all that answers it: replies, commands, reviews."""
    query = """
        WITH RECURSIVE theirs AS (
            SELECT id FROM inbox
            WHERE thread_id = %(thread_id)s AND (person = %(person)s OR address ->> 'person' = %(person)s)
            UNION
            SELECT other.id
            FROM theirs LEFT JOIN asks ON asks.inbox_id = theirs.id
            JOIN inbox other ON other.thread_id = %(thread_id)s AND (
                other.id = asks.decided_in OR (other.content ->> 'ask_id')::bigint = asks.id
                OR other.joined_to = theirs.id
                OR theirs.id IN ((other.content ->> 'answer_of')::bigint, (other.content ->> 'target')::bigint)
            )
        )
        SELECT id FROM theirs
    """
    return await fetch.values(connection, query, thread_id=thread_id, person=person)


async def items_of_thread(connection: Connection, thread_id: str) -> list[int]:
    """Return all items of a thread."""
    return await fetch.values(connection, "SELECT id FROM inbox WHERE thread_id = %(thread_id)s", thread_id=thread_id)


async def keys_of(connection: Connection, items: Collection[int], *, person: str, thread_id: str) -> set[str]:
    """Return the keys of the messages of some items, and of the questions that a person decided in a thread."""
    query = """
        SELECT address ->> 'message_ts' AS key FROM inbox
        WHERE id = ANY (%(items)s) OR id IN (
            SELECT inbox_id FROM asks WHERE thread_id = %(thread_id)s AND decided_by = %(person)s
        )
    """
    return set(await fetch.values(connection, query, items=list(items), person=person, thread_id=thread_id))


async def shown_for(connection: Connection, items: Collection[int]) -> list[Placed]:
    """Return where the messages are that we posted for some items, reviewers' cards too."""
    query = """
        SELECT channel, ts FROM messages WHERE inbox_id = ANY (%(items)s)
        UNION
        SELECT card ->> 'channel', card ->> 'ts' FROM asks WHERE inbox_id = ANY (%(items)s) AND card IS NOT NULL
    """
    return await fetch.rows(connection, Placed, query, items=list(items))


async def strip_thread(connection: Connection, thread_id: str, items: Collection[int], person: str) -> None:
    """Delete what was made of a person's words for others in a thread: traces, cards, partial answers, errors."""
    given = {"thread_id": thread_id, "items": list(items), "person": person}
    traces = "DELETE FROM runs USING inbox WHERE inbox.id = inbox_id AND thread_id = %(thread_id)s"
    await connection.execute(traces, given)
    await forget_run_texts(connection, thread_id=thread_id)
    decisions = """
        UPDATE asks SET decided_in = NULL WHERE thread_id = %(thread_id)s AND decided_in = ANY (%(items)s)
    """
    await connection.execute(decisions, given)
    words = """
        UPDATE asks SET
            status = CASE WHEN asks.status IN ('offered', 'open') OR decided_by = %(person)s THEN 'superseded'
                          ELSE asks.status END,
            decision = CASE WHEN decided_by IS DISTINCT FROM %(person)s THEN decision END,
            decided_by = NULLIF(decided_by, %(person)s), person = NULLIF(asks.person, %(person)s), superseded_by = NULL,
            payload = payload - 'change' || CASE asks.kind
                WHEN 'clarification' THEN '{"question": "", "options": []}'::jsonb
                WHEN 'review' THEN '{"standalone": "", "draft": "", "sources": [], "issues": [], "notes": []}'::jsonb
                ELSE '{"question": ""}'::jsonb END
        FROM inbox
        WHERE inbox.id = inbox_id AND asks.thread_id = %(thread_id)s AND inbox_id <> ALL (%(items)s)
          AND (decided_by = %(person)s OR asks.person = %(person)s
               OR position >= (SELECT coalesce(min(position), 0) FROM inbox WHERE id = ANY (%(items)s)))
    """
    await connection.execute(words, given)
    await call_store.forget_words(connection, thread_id=thread_id)


async def forget_run_texts(connection: Connection, *, thread_id: str | None = None) -> int:
    """Forget what runs have said, of a thread or of all; return the number of partial answers."""
    query = """
        SELECT * FROM inbox
        WHERE thread_id = coalesce(%(thread_id)s::text, thread_id) AND (partial IS NOT NULL OR last_error ? 'reason')
    """
    found = await store.items(connection, query, thread_id=thread_id)
    await store.change(connection, [each.id for each in found], transitions.without_run_texts)
    return sum(each.partial is not None for each in found)


async def delete_items(connection: Connection, items: Collection[int]) -> Counter[str]:
    """Delete items with all that hangs on them; return how much of each kind."""
    query = """
        SELECT (SELECT count(*) FROM inbox WHERE id = ANY (%(items)s)) AS "stored messages and commands",
               (SELECT count(*) FROM messages WHERE inbox_id = ANY (%(items)s)) AS "places of answers",
               (SELECT count(*) FROM asks WHERE inbox_id = ANY (%(items)s)) AS "questions back and reviews",
               (SELECT count(*) FROM feedback WHERE inbox_id = ANY (%(items)s)) AS "ratings",
               (SELECT count(*) FROM runs WHERE inbox_id = ANY (%(items)s)) AS "traces of runs"
    """
    counted = await fetch.only(connection, Counter[str], query, items=list(items))
    await store.delete(connection, items)
    return counted


async def has_turns(connection: Connection, thread_id: str) -> bool:
    """Tell whether anybody's message of a thread is left."""
    query = "SELECT FROM inbox WHERE thread_id = %(thread_id)s AND kind = 'turn' LIMIT 1"
    return await fetch.found(connection, query, thread_id=thread_id)


async def delete_memory(connection: Connection, thread_id: str) -> int:
    """Delete all checkpoints of a thread; return their number."""
    given = {"thread_id": thread_id}
    await connection.execute("DELETE FROM checkpoint_writes WHERE thread_id = %(thread_id)s", given)
    await connection.execute("DELETE FROM checkpoint_blobs WHERE thread_id = %(thread_id)s", given)
    return await fetch.count(connection, "DELETE FROM checkpoints WHERE thread_id = %(thread_id)s", **given)


async def keep_latest(connection: Connection, thread_id: str) -> int:
    """Delete all checkpoints of a thread but the latest, in this transaction; return their number.

    LangGraph's own pruning needs a transaction to itself, after which a kill would leave the old words there.
    """
    given = {"thread_id": thread_id}
    old = """
        DELETE FROM checkpoints old WHERE thread_id = %(thread_id)s
          AND EXISTS (SELECT FROM checkpoints newer
                      WHERE newer.thread_id = old.thread_id AND newer.checkpoint_id > old.checkpoint_id)
    """
    deleted = await fetch.count(connection, old, **given)
    writes = """
        DELETE FROM checkpoint_writes WHERE thread_id = %(thread_id)s
          AND checkpoint_id NOT IN (SELECT checkpoint_id FROM checkpoints WHERE thread_id = %(thread_id)s)
    """
    await connection.execute(writes, given)
    blobs = """
        DELETE FROM checkpoint_blobs WHERE thread_id = %(thread_id)s AND NOT EXISTS (
            SELECT FROM checkpoints kept WHERE kept.thread_id = checkpoint_blobs.thread_id
              AND kept.checkpoint #>> ARRAY['channel_versions', channel] = version
        )
    """
    await connection.execute(blobs, given)
    return deleted


async def retire_answers_of(connection: Connection, person: str) -> list[str]:
    """Retire the answers in a person's words; return their texts."""
    query = """
        UPDATE verified_answers SET retired_at = coalesce(retired_at, clock_timestamp())
        WHERE writer = %(person)s RETURNING text
    """
    return await fetch.values(connection, query, person=person)


async def delete_answers_to(connection: Connection, person: str) -> Counter[str]:
    """Delete the verified answers of others to a person's messages, and their phrasings; return their number."""
    query = """
        WITH theirs AS (
            SELECT message_key FROM inbox
            WHERE message_key IS NOT NULL AND (person = %(person)s OR address ->> 'person' = %(person)s)
        ), phrased AS (
            DELETE FROM phrasings WHERE added_by = %(person)s OR asked_as IN (SELECT message_key FROM theirs)
        )
        DELETE FROM verified_answers WHERE asked_as IN (SELECT message_key FROM theirs) AND writer <> %(person)s
    """
    return Counter({"verified answers": await fetch.count(connection, query, person=person)})


async def delete_about_person(connection: Connection, person: str) -> Counter[str]:
    """Delete what is kept of a person outside threads; return how much of each kind."""
    given = {"person": person, "name": f"person:{person}"}
    counts = await carried_out(connection, _ABOUT_PERSON, given)
    counts["names in audiences"] = await _remove_name(connection, given["name"])
    return counts


async def delete_about_channel(connection: Connection, channel: str) -> Counter[str]:
    """Delete what is kept of a channel outside its threads; return how much of each kind."""
    given = {"channel": channel, "name": f"channel:{channel}", "prefix": f"{channel}:"}
    counts = await carried_out(connection, _ABOUT_CHANNEL, given)
    counts["names in audiences"] = await _remove_name(connection, given["name"])
    return counts


async def carried_out(connection: Connection, statements: Statements, given: Mapping[str, object]) -> Counter[str]:
    """Execute statements in their order; return how many rows each of those that are counted changed."""
    counts = Counter[str]()
    for counted_as, statement in statements:
        count = await fetch.count(connection, statement, **given)
        if counted_as:
            counts[counted_as] = count
    return counts


async def delete_all(connection: Connection) -> Counter[str]:
    """Delete every row of the workspace that may hold words; return how many rows of each table."""
    counts = Counter[str]()
    for table in _ALL:
        cursor = await connection.execute(SQL("DELETE FROM {}").format(Identifier(table)))
        counts[f"rows of {table}"] = cursor.rowcount
    return counts


async def _remove_name(connection: Connection, name: str) -> int:
    query = "UPDATE audiences SET names = array_remove(names, %(name)s) WHERE %(name)s = ANY (names)"
    return await fetch.count(connection, query, name=name)
