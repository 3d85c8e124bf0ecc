"""The parts of a message that takes several of Slack's."""

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE messages
            ADD COLUMN part integer NOT NULL DEFAULT 0,
            DROP CONSTRAINT messages_pkey,
            ADD PRIMARY KEY (inbox_id, kind, part);
    """)
