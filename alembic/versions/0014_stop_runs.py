"""Stops as items, turns that were stopped, and what a run had said when it was ended."""

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE inbox
            DROP CONSTRAINT inbox_kind_check,
            ADD CONSTRAINT inbox_kind_check
                CHECK (kind IN ('turn', 'reply', 'reminder', 'edit', 'removal', 'notice', 'drop', 'revision', 'review',
                                'ruling', 'stop')),
            DROP CONSTRAINT inbox_status_check,
            ADD CONSTRAINT inbox_status_check
                CHECK (status IN ('waiting', 'asking', 'finished', 'failed', 'removed', 'refused', 'dropped',
                                  'stopped'));

        ALTER TABLE attempts ADD COLUMN said jsonb;  -- what the last run had said when it was ended from outside
    """)
