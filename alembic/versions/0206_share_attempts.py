"""The attempts to post the copy of a shared answer are counted, so that they end, and its sharer is told."""

from alembic import op

revision = "0206"
down_revision = "0205"


def upgrade() -> None:
    op.execute(
        """
        ALTER TABLE shared_answers
            ADD COLUMN IF NOT EXISTS attempts integer NOT NULL DEFAULT 0,
            ADD COLUMN IF NOT EXISTS is_given_up boolean NOT NULL DEFAULT false  -- unwanted, because it was not posted
        """
    )
