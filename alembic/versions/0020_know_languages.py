"""The index of the embedding that knows many languages."""

from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.execute("""
        CREATE INDEX passages_by_e5 ON passages
            USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) WHERE model = 'multilingual-e5-small-q4'
    """)
