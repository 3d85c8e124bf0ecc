"""Whom a verified answer was told, so that these people can be asked whether it held."""

from alembic import op

revision = "0114"
down_revision = "0113"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""


def upgrade() -> None:
    op.execute(f"""
        CREATE TABLE tellings (
            workspace  text NOT NULL DEFAULT {OURS},
            answer_id  bigint NOT NULL,
            person     text NOT NULL,
            asked_ts   text NOT NULL,                       -- the ts of the question's message
            told_at    timestamptz NOT NULL,
            PRIMARY KEY (answer_id, asked_ts),
            FOREIGN KEY (workspace, answer_id) REFERENCES verified_answers (workspace, id) ON DELETE CASCADE
        );
        CREATE INDEX tellings_by_question ON tellings (workspace, asked_ts);
        CREATE INDEX tellings_by_person ON tellings (workspace, person);
        ALTER TABLE tellings ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON tellings USING (
            workspace = {OURS} AND EXISTS (SELECT FROM verified_answers WHERE verified_answers.id = answer_id)
        );
        GRANT SELECT, INSERT, UPDATE, DELETE ON tellings TO askback_app;
        -- When its last users were asked whether it held.
        ALTER TABLE verified_answers ADD COLUMN holds_asked_at timestamptz;
        CREATE INDEX verified_answers_by_end ON verified_answers (workspace, valid_until)
            WHERE retired_at IS NULL AND holds_asked_at IS NULL;
    """)
