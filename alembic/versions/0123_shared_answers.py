"""Shared answers: who shared which answer in a channel, when, and from which documents."""

from alembic import op

revision = "0123"
down_revision = "0121"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""


def upgrade() -> None:
    op.execute(f"""
        CREATE TABLE shared_answers (
            workspace      text NOT NULL DEFAULT {OURS},
            id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            message_key    text NOT NULL,                       -- the question, as in the inbox
            channel        text NOT NULL,
            ts             text NOT NULL,                       -- the copy in the channel
            person         text NOT NULL,                       -- who shared it
            documents      bigint[] NOT NULL DEFAULT '{{}}',    -- what it cites; no foreign key: they may go
            is_restricted  boolean NOT NULL DEFAULT false,      -- whether not everybody there might read them
            shared_at      timestamptz NOT NULL,
            taken_back_at  timestamptz                          -- when the copy was deleted
        );
        CREATE UNIQUE INDEX shared_answers_standing ON shared_answers (workspace, message_key)
            WHERE taken_back_at IS NULL;
        ALTER TABLE shared_answers ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON shared_answers USING (workspace = {OURS});
        GRANT SELECT, INSERT, UPDATE, DELETE ON shared_answers TO askback_app;
        GRANT USAGE ON SEQUENCE shared_answers_id_seq TO askback_app;

        INSERT INTO shared_answers (workspace, message_key, channel, ts, person, shared_at)
        SELECT workspace, message_key, channel, share_ts, person, coalesce(decided_at, now())
        FROM untagged_questions WHERE share_ts IS NOT NULL;
        ALTER TABLE untagged_questions DROP COLUMN share_ts;
    """)
