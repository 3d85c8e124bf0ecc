"""Passages that an embedding model refuses: they have a row without a vector."""

from alembic import op

revision = "0125"
down_revision = "0124"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE embeddings ALTER embedding DROP NOT NULL;
        CREATE INDEX embeddings_refused ON embeddings (workspace, passage_id) WHERE embedding IS NULL;
    """)
