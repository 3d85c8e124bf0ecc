"""How much work answers are worth in a channel, where it is not what the settings say."""

from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE channels
            ALTER COLUMN may_answer DROP NOT NULL,      -- none: as the settings say; so for the preset
            ADD COLUMN preset text CHECK (preset IN ('quick', 'balanced', 'thorough'));
    """)
