"""When a verified answer was last told is in `tellings`, which is what its renewal asks; this copy was never read."""

from alembic import op

revision = "0117"
down_revision = "0116"


def upgrade() -> None:
    op.execute("ALTER TABLE verified_answers DROP COLUMN used_at")
