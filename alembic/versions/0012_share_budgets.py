"""How far the calls that Slack takes of a workspace are used up, by all its processes together."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    # Unlogged: it costs no write-ahead log, and after a crash nothing is lost but what a minute brings back.
    op.execute("""
        CREATE UNLOGGED TABLE budgets (
            surface       text NOT NULL,
            bucket        text NOT NULL,     -- a method of Slack's, or one in one channel
            empty_at      timestamptz NOT NULL,
            closed_until  timestamptz NOT NULL DEFAULT 'epoch',
            PRIMARY KEY (surface, bucket)
        ) WITH (fillfactor = 50);
        GRANT SELECT, INSERT, UPDATE ON budgets TO askback_app;
    """)
