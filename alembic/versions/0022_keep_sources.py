"""Sources of several kinds, that are brought in line again and again, with what could not be read."""

from alembic import op

revision = "0022"
down_revision = "0021"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"


def upgrade() -> None:
    op.execute(f"""
        ALTER TABLE sources
            ADD COLUMN kind text NOT NULL DEFAULT 'files',
            ADD COLUMN was_added boolean NOT NULL DEFAULT false,    -- by itself: it stays, also without documents
            ADD COLUMN every interval,                              -- none: only if somebody says so
            ADD COLUMN is_paused boolean NOT NULL DEFAULT false,
            ADD COLUMN cursor text NOT NULL DEFAULT '',             -- how far it was read, in the words of its kind
            ADD COLUMN synced_at timestamptz,
            ADD COLUMN error text NOT NULL DEFAULT '';              -- why nothing could be read the last time
        CREATE TABLE failures (
            workspace  text NOT NULL DEFAULT {OURS},
            source_id  bigint NOT NULL,
            path       text NOT NULL,
            reason     text NOT NULL,
            PRIMARY KEY (workspace, source_id, path),
            FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE
        );
        ALTER TABLE failures ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON failures USING (workspace = {OURS});
        GRANT SELECT, INSERT, UPDATE, DELETE ON failures TO askback_app;
    """)
