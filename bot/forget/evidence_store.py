"""The SQL that forgets what was made of a document. Call each function in a transaction that reads everything."""

from collections import Counter
from collections.abc import Collection
from typing import Final

from bot.conversation import store, transitions
from bot.forget.forget_store import Statements, carried_out, forget_run_texts
from bot.postgres import fetch
from bot.postgres.pool import Connection

_THAT_NAME: Final[Statements] = (
    ("remembered choices", "DELETE FROM preferences WHERE labels && %(names)s"),
    (
        "questions back and reviews",
        """
        UPDATE asks SET status = 'superseded', decision = NULL,
            payload = payload || '{"question": "", "options": []}'
        WHERE kind = 'clarification' AND EXISTS (
            SELECT FROM jsonb_array_elements(payload -> 'options') AS option
            WHERE option ->> 'label' = ANY (%(names)s)
        )
        """,
    ),
)
_DERIVED: Final[Statements] = (
    ("traces of runs", "DELETE FROM runs"),
    (
        "",
        """
        UPDATE asks SET payload = jsonb_set(payload, '{options}', (
            SELECT coalesce(jsonb_agg(option || '{"telling": []}' ORDER BY number), '[]')
            FROM jsonb_array_elements(payload -> 'options') WITH ORDINALITY AS options (option, number)
        ))
        WHERE kind = 'clarification' AND payload @? '$.options[*].telling[*]'
        """,
    ),
)


async def gone(connection: Connection, ids: Collection[int]) -> set[int]:
    """Return those ids of passages that are no longer there."""
    query = """
        SELECT id FROM unnest(%(ids)s::bigint[]) AS id
        WHERE NOT EXISTS (SELECT FROM passages WHERE passages.id = id.id)
    """
    return set(await fetch.values(connection, query, ids=list(ids)))


async def delete_named(connection: Connection, names: Collection[str]) -> Counter[str]:
    """Delete what names a document: remembered choices, buttons of questions back, choices of replies."""
    given = {"names": list(names)}
    counts = await carried_out(connection, _THAT_NAME, given)
    query = """
        SELECT id FROM inbox
        WHERE content #>> '{choice,label}' = ANY (%(names)s) OR content ->> 'instead_of' = ANY (%(names)s)
    """
    await store.change(connection, await fetch.values(connection, query, **given), transitions.without_choice)
    return counts


async def delete_derived(connection: Connection) -> Counter[str]:
    """Delete what may repeat any document and nobody needs: traces, partial answers, hints to typed replies.

    A trace does not say which documents its texts come from, so all of them go.
    """
    counts = await carried_out(connection, _DERIVED, {})
    counts["partial answers"] = await forget_run_texts(connection)
    return counts


async def delete_reviews(connection: Connection, gone: Collection[int]) -> int:
    """Delete the words of reviews whose answer may rest on these passages; return their number."""
    query = """
        UPDATE asks SET
            status = CASE WHEN status IN ('offered', 'open') THEN 'superseded' ELSE status END,
            decision = decision || '{"text": ""}',
            payload = payload || '{"standalone": "", "draft": "", "sources": [], "issues": [], "notes": []}'
        WHERE kind = 'review' AND EXISTS (
            SELECT FROM jsonb_array_elements(payload -> 'sources') AS source
            WHERE (source ->> 'passage_id')::bigint = ANY (%(gone)s)
        )
    """
    return await fetch.count(connection, query, gone=list(gone))


async def passages_of_reviews(connection: Connection) -> list[int]:
    """Return the ids of the passages behind all stored reviews."""
    query = """
        SELECT DISTINCT (source ->> 'passage_id')::bigint AS id
        FROM asks, jsonb_array_elements(payload -> 'sources') AS source WHERE kind = 'review'
    """
    return await fetch.values(connection, query)
