"""What runs did, step by step, kept for a while."""

from alembic import op

revision = "0024"
down_revision = "0023"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"


def upgrade() -> None:
    op.execute(f"""
        CREATE TABLE runs (
            workspace   text NOT NULL DEFAULT {OURS},
            id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            inbox_id    bigint NOT NULL,
            ended_at    timestamptz NOT NULL,
            outcome     text NOT NULL,
            calls       integer NOT NULL,
            tokens_in   integer NOT NULL,
            tokens_out  integer NOT NULL,
            ms          integer NOT NULL,
            steps       json NOT NULL,              -- with what people, documents and models said
            FOREIGN KEY (workspace, inbox_id) REFERENCES inbox ON DELETE CASCADE
        );
        CREATE INDEX runs_by_item ON runs (inbox_id);
        CREATE INDEX runs_by_age ON runs (workspace, ended_at);
        ALTER TABLE runs ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON runs USING (workspace = {OURS});
        GRANT SELECT, INSERT, UPDATE, DELETE ON runs TO askback_app;
        GRANT USAGE ON SEQUENCE runs_id_seq TO askback_app;
    """)
