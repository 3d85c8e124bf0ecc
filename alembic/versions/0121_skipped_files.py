"""What a source's last reading skipped, so that a scheduled reading tells it, too."""

from alembic import op

revision = "0121"
down_revision = "0119"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE sources
            ADD COLUMN skipped jsonb NOT NULL DEFAULT '{}',         -- how many documents, by suffix or reason
            ADD COLUMN skipped_paths text[] NOT NULL DEFAULT '{}'   -- the first of them
    """)
