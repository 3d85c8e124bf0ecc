"""Whose turn an item is, its rank among those of others, and messages that were not taken."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE inbox
            DROP CONSTRAINT inbox_kind_check,
            ADD CONSTRAINT inbox_kind_check CHECK (kind IN ('turn', 'reply', 'reminder', 'edit', 'removal', 'notice')),
            DROP CONSTRAINT inbox_status_check,
            ADD CONSTRAINT inbox_status_check
                CHECK (status IN ('waiting', 'asking', 'finished', 'failed', 'removed', 'refused')),
            ADD COLUMN person text,             -- who wrote a turn
            ADD COLUMN rank bigint;             -- a turn's place among those of all people; without one it goes first
        UPDATE inbox SET person = address ->> 'person' WHERE kind = 'turn';

        DROP INDEX inbox_due;
        CREATE INDEX inbox_ranked ON inbox (surface, rank NULLS FIRST, id) WHERE status IN ('waiting', 'asking');
        CREATE INDEX inbox_of_people ON inbox (workspace, person, rank)
            WHERE kind = 'turn' AND status IN ('waiting', 'asking');
        CREATE INDEX inbox_refused ON inbox (workspace, person, received_at) WHERE status = 'refused';
    """)
