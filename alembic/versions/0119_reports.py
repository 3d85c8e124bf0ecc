"""Reports: who flagged a document, until they are told what came of it."""

from alembic import op

revision = "0119"
down_revision = "0118"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
READABLE = "coalesce(NULLIF(current_setting('askback.audiences', true), ''), '{}')::bigint[]"
"""The audiences that the transaction may read, by id; none if unset."""


def upgrade() -> None:
    # A flag goes with its document, and who reported it is told of that: so a report has the document's place. The
    # audience of the place is looked up each time, for the document may be gone.
    op.execute(f"""
        CREATE TABLE reports (
            workspace    text NOT NULL DEFAULT {OURS},
            id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            document_id  bigint NOT NULL,       -- the document as it was, no foreign key: it may be replaced
            source_id    bigint NOT NULL,
            path         text NOT NULL,
            title        text NOT NULL,
            inbox_id     bigint NOT NULL,       -- the answer that the reader disliked
            person       text NOT NULL,         -- the reader
            reported_at  timestamptz NOT NULL,
            UNIQUE (workspace, inbox_id, person, document_id),
            FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE,
            FOREIGN KEY (workspace, inbox_id, person) REFERENCES feedback (workspace, inbox_id, person)
                ON DELETE CASCADE
        );
        CREATE INDEX reports_by_source ON reports (workspace, source_id, path);
        ALTER TABLE reports ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON reports USING (
            workspace = {OURS} AND coalesce((
                SELECT audiences.id FROM audiences
                WHERE audiences.source_id = reports.source_id
                  AND (audiences.path IN ('', reports.path) OR starts_with(reports.path, audiences.path || '/'))
                ORDER BY length(audiences.path) DESC LIMIT 1
            ) = ANY ({READABLE}), false)
        );
        GRANT SELECT, INSERT, UPDATE, DELETE ON reports TO askback_app;
        GRANT USAGE ON SEQUENCE reports_id_seq TO askback_app;
    """)
