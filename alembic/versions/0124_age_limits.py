"""Age limits of sources: after how many days a document is deleted, such as a thread of a channel of Slack."""

from alembic import op

revision = "0124"
down_revision = "0123"


def upgrade() -> None:
    op.execute("ALTER TABLE sources ADD COLUMN delete_after_days integer CHECK (delete_after_days > 0)")
