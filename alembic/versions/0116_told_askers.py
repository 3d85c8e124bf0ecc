"""Of a kept answer: whether those who had asked in vain were told, and what document says otherwise."""

from alembic import op

revision = "0116"
down_revision = "0115"


def upgrade() -> None:
    op.execute("ALTER TABLE verified_answers ADD COLUMN askers_told_at timestamptz")
    # Of what was kept before, nobody expects news any more.
    op.execute("UPDATE verified_answers SET askers_told_at = now()")
    op.execute("""
        CREATE INDEX verified_answers_untold ON verified_answers (workspace, id)
            WHERE retired_at IS NULL AND askers_told_at IS NULL
    """)
    op.execute("""
        ALTER TABLE verified_answers
            ADD COLUMN disputed_by bigint,                  -- the passage that was told beside it, no foreign key
            ADD COLUMN dispute_asked_at timestamptz         -- when its writer was asked which one is right
    """)
