"""What ended a run that failed, and the order to drop an item."""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE attempts
            ADD COLUMN error text,              -- the type of the error that ended the last run that failed
            ADD COLUMN place text,              -- the line of ours where it rose
            ADD COLUMN reason text,             -- what it said: it may repeat people's words
            ADD COLUMN failed_at timestamptz;

        ALTER TABLE inbox
            DROP CONSTRAINT inbox_kind_check,
            ADD CONSTRAINT inbox_kind_check
                CHECK (kind IN ('turn', 'reply', 'reminder', 'edit', 'removal', 'notice', 'drop')),
            DROP CONSTRAINT inbox_status_check,
            ADD CONSTRAINT inbox_status_check
                CHECK (status IN ('waiting', 'asking', 'finished', 'failed', 'removed', 'refused', 'dropped'));
    """)
