"""A source may say after how many days what is dated in it counts as old."""

from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.execute("ALTER TABLE sources ADD COLUMN stale_after_days integer CHECK (stale_after_days > 0)")
