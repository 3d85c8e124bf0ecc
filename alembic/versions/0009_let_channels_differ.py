"""What holds in a channel, where it is not what the settings say."""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.execute("""
        CREATE TABLE channels (
            workspace   text NOT NULL,
            channel     text NOT NULL,
            may_answer  text NOT NULL CHECK (may_answer IN ('anyone', 'asker')),
            PRIMARY KEY (workspace, channel)
        );
        ALTER TABLE channels ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON channels
            USING (workspace = current_setting('askback.workspace', true));
        GRANT SELECT, INSERT, UPDATE, DELETE ON channels TO askback_app;
    """)
