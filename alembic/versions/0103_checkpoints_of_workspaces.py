"""LangGraph's checkpoints belong to a workspace, as all that holds words does."""

from alembic import op

revision = "0103"
down_revision = "0102"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


def upgrade() -> None:
    for table in TABLES:
        # LangGraph names the columns that it writes, so the default fills in this one.
        op.execute(f"""
            ALTER TABLE {table} ADD COLUMN workspace text DEFAULT {OURS};
            UPDATE {table} SET workspace = (SELECT min(workspace) FROM inbox WHERE inbox.thread_id = {table}.thread_id);
            DELETE FROM {table} WHERE workspace IS NULL;
            ALTER TABLE {table} ALTER COLUMN workspace SET NOT NULL;
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table} USING (workspace = {OURS});
        """)
