"""The question that a message answered by its words is looked for whenever a message is read."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.execute("CREATE INDEX clarifications_by_words ON clarifications (answered_in) WHERE answered_in IS NOT NULL")
