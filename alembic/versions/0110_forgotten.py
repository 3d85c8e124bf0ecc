"""What was forgotten on request, by digest: it does not come back from a source or from Slack."""

from alembic import op

revision = "0110"
down_revision = "0109"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""

FORGOTTEN = f"""
    CREATE TABLE forgotten (
        workspace  text NOT NULL DEFAULT {OURS},
        digest     bytea NOT NULL,                          -- SHA-256 of the kind and the name; no name is kept
        source_id  bigint,                                  -- of a document
        since      timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (workspace, digest),
        FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE
    );
    ALTER TABLE forgotten ENABLE ROW LEVEL SECURITY;
    CREATE POLICY of_the_workspace ON forgotten USING (workspace = {OURS});
    GRANT SELECT, INSERT, UPDATE, DELETE ON forgotten TO askback_app;
"""


def upgrade() -> None:
    op.execute(FORGOTTEN)
