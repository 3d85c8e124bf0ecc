"""The attempts at the copy of a shared answer are counted, so that they end."""

from alembic import op

revision = "0206"
down_revision = "0205"


def upgrade() -> None:
    op.execute("ALTER TABLE shared_answers ADD COLUMN IF NOT EXISTS attempts integer NOT NULL DEFAULT 0")
