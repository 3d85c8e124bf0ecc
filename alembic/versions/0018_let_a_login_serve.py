"""The role that serves looks at the schema's version itself: it does not migrate."""

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.execute("GRANT SELECT ON alembic_version TO askback_app")
