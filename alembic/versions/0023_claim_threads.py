"""Claims as rows: a run holds no connection, and its process keeps the claim with one session lock."""

from alembic import op

revision = "0023"
down_revision = "0022"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
LIVES = 4207303
"""The class of the advisory locks that processes live by."""


def upgrade() -> None:
    op.execute(f"""
        CREATE SEQUENCE process_numbers AS integer CYCLE;
        GRANT USAGE ON SEQUENCE process_numbers TO askback_app;
        CREATE VIEW processes AS
            SELECT objid::bigint::integer AS number FROM pg_locks
            WHERE locktype = 'advisory' AND classid = {LIVES} AND objsubid = 2 AND granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
        GRANT SELECT ON processes TO askback_app;
        CREATE TABLE claims (
            workspace text NOT NULL DEFAULT {OURS},
            thread_id text NOT NULL,
            inbox_id bigint NOT NULL,
            process integer NOT NULL,
            PRIMARY KEY (workspace, thread_id)
        );
        ALTER TABLE claims ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON claims USING (workspace = {OURS});
        GRANT SELECT, INSERT, UPDATE, DELETE ON claims TO askback_app;

        -- The item whose run has closed the question, until that is done: if it comes to nothing, the question is open.
        ALTER TABLE clarifications ADD COLUMN superseded_by bigint;
        CREATE INDEX clarifications_superseded_by ON clarifications (superseded_by) WHERE superseded_by IS NOT NULL;
    """)
