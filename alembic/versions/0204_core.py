"""The core keeps less: an answer's button carries the question that it offers, so no row does."""

from alembic import op

revision = "0204"
down_revision = "0203"


def upgrade() -> None:
    op.execute("DELETE FROM asks WHERE kind = 'follow_up'")
