"""Row-level security on the inbox and its attempts, and no row that points into another workspace."""

from alembic import op

revision = "0019"
down_revision = "0018"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""What is not set, or set to nothing, is no workspace: neither read nor written."""


def upgrade() -> None:
    # A claim locks the inbox before its attempts: in the same order, each finishes before the other begins.
    op.execute("SET LOCAL lock_timeout = '60s'; LOCK TABLE inbox IN ACCESS EXCLUSIVE MODE")
    op.execute(f"""
        ALTER TABLE attempts ADD COLUMN workspace text DEFAULT {OURS};
        UPDATE attempts SET workspace = inbox.workspace FROM inbox WHERE inbox.id = inbox_id;
        ALTER TABLE attempts ALTER COLUMN workspace SET NOT NULL;
        ALTER TABLE inbox ENABLE ROW LEVEL SECURITY;
        ALTER TABLE attempts ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON inbox USING (workspace = {OURS});
        CREATE POLICY of_the_workspace ON attempts USING (workspace = {OURS});
    """)
    for table in (
        "channels", "clarifications", "documents", "feedback", "habits", "messages", "passages", "reviews", "sources",
    ):  # fmt: skip
        op.execute(f"ALTER POLICY of_the_workspace ON {table} USING (workspace = {OURS})")
    op.execute("""
        ALTER TABLE attempts DROP CONSTRAINT attempts_inbox_id_fkey;
        ALTER TABLE clarifications DROP CONSTRAINT clarifications_inbox_id_fkey,
            DROP CONSTRAINT clarifications_answered_in_fkey;
        ALTER TABLE feedback DROP CONSTRAINT feedback_inbox_id_fkey;
        ALTER TABLE messages DROP CONSTRAINT messages_inbox_id_fkey;
        ALTER TABLE reviews DROP CONSTRAINT reviews_inbox_id_fkey;
        ALTER TABLE inbox DROP CONSTRAINT inbox_joined_to_fkey, DROP CONSTRAINT inbox_pkey,
            ADD PRIMARY KEY (workspace, id),
            ADD FOREIGN KEY (workspace, joined_to) REFERENCES inbox;
        ALTER TABLE clarifications ADD FOREIGN KEY (workspace, answered_in) REFERENCES inbox;
        ALTER TABLE sources ADD UNIQUE (workspace, id);
        ALTER TABLE documents ADD UNIQUE (workspace, id), DROP CONSTRAINT documents_source_id_fkey,
            ADD FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE;
        ALTER TABLE passages DROP CONSTRAINT passages_document_id_fkey,
            ADD FOREIGN KEY (workspace, document_id) REFERENCES documents (workspace, id) ON DELETE CASCADE;
    """)
    for table in ("attempts", "clarifications", "feedback", "messages", "reviews"):
        op.execute(f"ALTER TABLE {table} ADD FOREIGN KEY (workspace, inbox_id) REFERENCES inbox ON DELETE CASCADE")
