"""Edits and deletions as items, when a message was last changed, and which message answered a question by its words."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE inbox
            DROP CONSTRAINT inbox_kind_check,
            ADD CONSTRAINT inbox_kind_check CHECK (kind IN ('turn', 'reply', 'reminder', 'edit', 'removal')),
            DROP CONSTRAINT inbox_status_check,
            ADD CONSTRAINT inbox_status_check
                CHECK (status IN ('waiting', 'asking', 'finished', 'failed', 'removed')),
            ADD COLUMN changed_at numeric;  -- Slack's ts of the last edit that came into force

        ALTER TABLE clarifications ADD COLUMN answered_in bigint REFERENCES inbox;  -- a typed answer's turn
    """)
