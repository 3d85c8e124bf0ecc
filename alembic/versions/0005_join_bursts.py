"""Which waiting message of a person became part of which turn."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE inbox ADD COLUMN joined_to bigint REFERENCES inbox;
        CREATE INDEX inbox_joined ON inbox (joined_to) WHERE joined_to IS NOT NULL;
    """)
