"""Whether an item runs anew because somebody wished it, perhaps with another text; not that an outage gave it more."""

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.execute("ALTER TABLE attempts ADD COLUMN again boolean NOT NULL DEFAULT false")
