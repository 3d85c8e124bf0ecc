"""Messages that people added to knowledge: which documents are to be read of them, and who wanted it; no words."""

from alembic import op

revision = "0115"
down_revision = "0114"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""


def upgrade() -> None:
    op.execute(f"""
        CREATE TABLE added_messages (
            workspace   text NOT NULL DEFAULT {OURS},
            source_id   bigint NOT NULL,
            path        text NOT NULL,          -- the document: a thread, one message, or a file
            message_ts  text NOT NULL,          -- the message on which a person wished it
            writer      text NOT NULL,          -- who wrote that message
            added_by    text,                   -- none: this person was forgotten
            added_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (workspace, source_id, path),
            FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE
        );
        ALTER TABLE added_messages ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON added_messages USING (workspace = {OURS});
        GRANT SELECT, INSERT, UPDATE, DELETE ON added_messages TO askback_app;
    """)
