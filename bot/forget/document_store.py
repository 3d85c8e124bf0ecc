"""The SQL that forgets a document. Call each function in a transaction of the workspace that reads everything."""

from collections import Counter
from typing import Final

from bot.forget.forget_store import Statements, carried_out
from bot.postgres import fetch
from bot.postgres.pool import Connection

_OF_DOCUMENT: Final[Statements] = (
    (
        "",
        """
        INSERT INTO forgotten (digest, source_id)
        SELECT sha256(convert_to(concat_ws(E'\\n', 'document', id, %(path)s::text), 'UTF8')), id
        FROM sources WHERE id = %(source_id)s
        ON CONFLICT DO NOTHING
        """,
    ),
    # What readers wrote of it may repeat it. Their flags go with the document.
    (
        "",
        """
        UPDATE feedback SET words = NULL FROM flags JOIN documents ON documents.id = document_id
        WHERE flags.inbox_id = feedback.inbox_id AND flags.person = feedback.person
          AND source_id = %(source_id)s AND path = %(path)s
        """,
    ),
    ("documents", "DELETE FROM documents WHERE source_id = %(source_id)s AND path = %(path)s"),
    ("", "DELETE FROM added_messages WHERE source_id = %(source_id)s AND path = %(path)s"),
    ("", "DELETE FROM reports WHERE source_id = %(source_id)s AND path = %(path)s"),
    ("", "DELETE FROM failures WHERE source_id = %(source_id)s AND path = %(path)s"),
    ("", "UPDATE sources SET skipped_paths = array_remove(skipped_paths, %(path)s) WHERE id = %(source_id)s"),
    ("", "DELETE FROM audiences WHERE source_id = %(source_id)s AND path = %(path)s AND path <> ''"),
    (
        "verified answers",
        """
        DELETE FROM verified_answers
        WHERE EXISTS (
            SELECT FROM jsonb_to_recordset(sources) AS cited (source_id bigint, path text)
            WHERE cited.source_id = %(source_id)s AND cited.path = %(path)s
        )
        """,
    ),
)
"""What goes with a document, in this order."""


async def names_of(connection: Connection, source_id: int, path: str) -> list[str]:
    """Return what only this document is called by on buttons: title, headings, folders, values of its attributes."""
    query = """
        WITH named AS (
            SELECT documents.id, name FROM documents, LATERAL (
                SELECT title AS name
                UNION ALL SELECT unnest(string_to_array(path, '/'))
                UNION ALL SELECT value FROM jsonb_each_text(attributes)
                UNION ALL SELECT unnest(heading_path) FROM passages WHERE document_id = documents.id
            ) AS names
        )
        SELECT DISTINCT name FROM named JOIN documents USING (id)
        WHERE source_id = %(source_id)s AND path = %(path)s
          AND NOT EXISTS (SELECT FROM named other WHERE other.name = named.name AND other.id <> named.id)
    """
    return await fetch.values(connection, query, source_id=source_id, path=path)


async def written_by(connection: Connection, source_id: int, person: str) -> list[str]:
    """Return the paths of a source's documents with a person's words in Slack."""
    query = "SELECT path FROM documents WHERE source_id = %(source_id)s AND %(person)s = ANY (writers) ORDER BY path"
    return await fetch.values(connection, query, source_id=source_id, person=person)


async def passages_of(connection: Connection, source_id: int, path: str) -> list[int]:
    """Return the ids of a document's passages."""
    query = """
        SELECT passages.id FROM passages JOIN documents ON documents.id = document_id
        WHERE source_id = %(source_id)s AND path = %(path)s
    """
    return await fetch.values(connection, query, source_id=source_id, path=path)


async def forget(connection: Connection, source_id: int, path: str) -> Counter[str]:
    """Delete a document, its part of the audiences, and the verified answers that rest on it; never read it again."""
    passages = Counter(passages=len(await passages_of(connection, source_id, path)))
    return passages + await carried_out(connection, _OF_DOCUMENT, {"source_id": source_id, "path": path})
