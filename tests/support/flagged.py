"""A document that a reader has flagged, without the messages that lead there."""

from typing import Final

FLAGGED: Final = """
    WITH rated AS (
        INSERT INTO feedback (workspace, inbox_id, person, verdict, given_at)
        SELECT workspace, max(id), 'U0BEN', 'bad', now() FROM inbox WHERE workspace = %(workspace)s GROUP BY workspace
        RETURNING *
    ), source AS (
        INSERT INTO sources (workspace, location, owner)
        SELECT workspace, '/documents', %(owner)s FROM rated RETURNING *
    ), audience AS (
        INSERT INTO audiences (workspace, source_id, path, names)
        SELECT workspace, id, '', '{everyone}' FROM source RETURNING *
    ), document AS (
        INSERT INTO documents (workspace, source_id, path, hash, title, language, configuration, attributes,
                               audience_id)
        SELECT workspace, source_id, 'a.md', 'h', 'A', 'en', 'english', '{}', id FROM audience RETURNING *
    ), flagged AS (
        INSERT INTO flags (workspace, document_id, audience_id, reason, inbox_id, person, flagged_at)
        SELECT rated.workspace, document.id, audience_id, 'wrong', inbox_id, person, now() FROM rated, document
    )
    INSERT INTO reports (workspace, document_id, source_id, path, title, inbox_id, person, reported_at)
    SELECT rated.workspace, document.id, source_id, path, title, inbox_id, person, now() FROM rated, document
"""
"""Flags a document for the last item of the `workspace`; its source's `owner` may be nobody."""
