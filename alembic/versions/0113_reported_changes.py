"""Reported changes: documents that the source's own events told of, and that are to be read again; no word of them.

And the ids of those whose words in Slack a document holds, so that they can be forgotten.
"""

from alembic import op

revision = "0113"
down_revision = "0112"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
TABLE = f"""
    CREATE TABLE reported_changes (
        workspace  text NOT NULL DEFAULT {OURS},
        source_id  bigint NOT NULL,
        path       text NOT NULL,
        change     uuid NOT NULL DEFAULT gen_random_uuid(),  -- another one with each report
        PRIMARY KEY (workspace, source_id, path),
        FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE
    );
    ALTER TABLE reported_changes ENABLE ROW LEVEL SECURITY;
    CREATE POLICY of_the_workspace ON reported_changes USING (workspace = {OURS});
    GRANT SELECT, INSERT, UPDATE, DELETE ON reported_changes TO askback_app;
"""


WRITERS = "ALTER TABLE documents ADD COLUMN writers text[] NOT NULL DEFAULT '{}'"


def upgrade() -> None:
    op.execute(TABLE)
    op.execute(WRITERS)
