"""When an open question is reminded of and when it is answered without a choice, and the reminder as an item."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE clarifications ADD COLUMN remind_at timestamptz;
        UPDATE clarifications SET remind_at = asked_at + interval '4 hours', due_at = asked_at + interval '24 hours';
        ALTER TABLE clarifications ALTER COLUMN remind_at SET NOT NULL, ALTER COLUMN due_at SET NOT NULL;
        CREATE INDEX clarifications_due ON clarifications (due_at) WHERE status = 'open';

        ALTER TABLE inbox DROP CONSTRAINT inbox_kind_check,
            ADD CONSTRAINT inbox_kind_check CHECK (kind IN ('turn', 'reply', 'reminder'));
        ALTER TABLE messages DROP CONSTRAINT messages_kind_check,
            ADD CONSTRAINT messages_kind_check CHECK (kind IN ('answer', 'card', 'failure', 'reminder'));
    """)
