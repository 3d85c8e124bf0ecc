"""Whether those who had asked in vain were told of a kept answer."""

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
