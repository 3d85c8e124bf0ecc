"""A thread's items by its name alone, which is how runs, edits and stops look for them."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.execute("""
        DROP INDEX inbox_threads;
        CREATE INDEX inbox_threads ON inbox (thread_id, position);
    """)
