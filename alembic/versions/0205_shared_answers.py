"""Sharing an answer is noted before its copy is posted, so that no transaction waits for Slack."""

from alembic import op

revision = "0205"
down_revision = "0204"

# A row is there before its copy: it says which message is copied, into which thread, and when that is to be done.
NOTED_BEFORE = """
    ALTER TABLE shared_answers
        ALTER COLUMN ts DROP NOT NULL,                                        -- the copy, once Slack has taken it
        ADD COLUMN IF NOT EXISTS thread_ts text NOT NULL DEFAULT '',          -- the question's thread in the channel
        ADD COLUMN IF NOT EXISTS answer_channel text NOT NULL DEFAULT '',     -- the message that is copied
        ADD COLUMN IF NOT EXISTS answer_ts text NOT NULL DEFAULT '',
        ADD COLUMN IF NOT EXISTS due_at timestamptz,                          -- when it is to be posted or deleted
        ADD COLUMN IF NOT EXISTS is_unwanted boolean NOT NULL DEFAULT false;  -- whether the question was changed
    UPDATE shared_answers SET is_unwanted = true WHERE taken_back_at IS NOT NULL;
    ALTER TABLE shared_answers
        ALTER COLUMN thread_ts DROP DEFAULT,
        ALTER COLUMN answer_channel DROP DEFAULT,
        ALTER COLUMN answer_ts DROP DEFAULT;
    DROP INDEX IF EXISTS shared_answers_standing;
    CREATE UNIQUE INDEX IF NOT EXISTS shared_answers_standing ON shared_answers (workspace, message_key)
        WHERE NOT is_unwanted;
    CREATE INDEX IF NOT EXISTS shared_answers_due ON shared_answers (workspace, due_at) WHERE due_at IS NOT NULL
"""


def upgrade() -> None:
    op.execute(NOTED_BEFORE)
