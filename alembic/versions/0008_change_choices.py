"""How often the choice of a clarifying question was changed, and a change as an item."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE inbox
            DROP CONSTRAINT inbox_kind_check,
            ADD CONSTRAINT inbox_kind_check
                CHECK (kind IN ('turn', 'reply', 'reminder', 'edit', 'removal', 'notice', 'drop', 'revision'));

        ALTER TABLE clarifications ADD COLUMN revision integer NOT NULL DEFAULT 0;
        CREATE INDEX clarifications_by_item ON clarifications (inbox_id);
    """)
