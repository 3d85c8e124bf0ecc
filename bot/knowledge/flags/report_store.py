"""The SQL of reports: who flagged a document, until they are told the outcome.

Call each function in a transaction of the workspace that reads as somebody.
"""

from dataclasses import dataclass
from datetime import datetime

from bot.contributions.flag import Report
from bot.conversation.address import PersonId
from bot.postgres import fetch
from bot.postgres.pool import Connection


@dataclass(frozen=True, kw_only=True)
class StoredReport(Report):
    """A report whose address nobody has vouched for yet."""

    site: str | None
    """The address for which its source vouches."""


async def keep(connection: Connection, inbox_id: int, person: PersonId, *, now: datetime) -> None:
    """Replace a person's reports by an answer with those of their open flags. Reports with an outcome stay."""
    given = {"inbox_id": inbox_id, "person": person, "now": now}
    query = """
        DELETE FROM reports USING documents
        WHERE documents.id = document_id AND inbox_id = %(inbox_id)s AND person = %(person)s
          AND NOT EXISTS (SELECT FROM flags WHERE flags.document_id = reports.document_id
                          AND flags.inbox_id = reports.inbox_id AND flags.person = reports.person)
    """
    await connection.execute(query, given)
    query = """
        INSERT INTO reports (document_id, source_id, path, title, inbox_id, person, reported_at)
        SELECT document_id, source_id, path, title, inbox_id, person, %(now)s
        FROM flags JOIN documents ON documents.id = document_id
        WHERE inbox_id = %(inbox_id)s AND person = %(person)s AND settled_at IS NULL
        ON CONFLICT DO NOTHING
    """
    await connection.execute(query, given)


async def withdraw(connection: Connection, inbox_id: int, person: PersonId) -> None:
    """Delete a person's reports by an answer."""
    query = "DELETE FROM reports WHERE inbox_id = %(inbox_id)s AND person = %(person)s"
    await connection.execute(query, {"inbox_id": inbox_id, "person": person})


async def withdraw_own(connection: Connection, document_id: int, person: str) -> None:
    """Delete the reports of a document by a person who settles them."""
    query = "DELETE FROM reports WHERE document_id = %(id)s AND person = %(person)s"
    await connection.execute(query, {"id": document_id, "person": person})


async def ended(connection: Connection, report_id: int | None = None) -> StoredReport | None:
    """Return the next report, or this one, if the transaction may read it and something came of it."""
    query = """
        SELECT reports.id, reports.person, reports.title, reported_at, documents.url,
               CASE sources.kind WHEN 'web' THEN location WHEN 'slack' THEN documents.url END AS site,
               CASE WHEN settled_at IS NOT NULL THEN 'right' WHEN documents.id IS NULL THEN 'removed'
                    ELSE 'changed' END AS outcome
        FROM reports LEFT JOIN flags USING (workspace, document_id, inbox_id, person)
            JOIN sources ON sources.id = reports.source_id
            LEFT JOIN documents ON documents.source_id = reports.source_id AND documents.path = reports.path
        WHERE (settled_at IS NOT NULL OR documents.id IS DISTINCT FROM reports.document_id)
          AND reports.id = coalesce(%(id)s::bigint, reports.id)
          -- A document that is about to be read again may only be gone until then.
          AND NOT EXISTS (SELECT FROM reported_changes AS change
                          WHERE change.source_id = reports.source_id AND change.path = reports.path)
        ORDER BY reports.id LIMIT 1
    """
    return await fetch.row(connection, StoredReport, query, id=report_id)


async def lock(connection: Connection, report_id: int) -> bool:
    """Lock a report, so that one process at a time tells its reader; return whether that worked."""
    query = "SELECT FROM reports WHERE id = %(id)s FOR UPDATE SKIP LOCKED"
    return await fetch.found(connection, query, id=report_id)


async def delete(connection: Connection, report_id: int) -> None:
    """Delete a report: its reader was told, or may not be."""
    await connection.execute("DELETE FROM reports WHERE id = %(id)s", {"id": report_id})


async def forget_before(connection: Connection, moment: datetime) -> None:
    """Delete the reports before a time."""
    await connection.execute("DELETE FROM reports WHERE reported_at < %(moment)s", {"moment": moment})
