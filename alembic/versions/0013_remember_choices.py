"""What people chose, to be assumed the next time."""

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE clarifications
            DROP CONSTRAINT clarifications_status_check,
            ADD CONSTRAINT clarifications_status_check
                CHECK (status IN ('open', 'answered', 'superseded', 'expired', 'assumed')),
            ADD COLUMN attribute text NOT NULL DEFAULT '';    -- what its options are values of; empty: of several

        CREATE TABLE habits (
            workspace   text NOT NULL,
            person      text NOT NULL,
            channel     text NOT NULL,
            attribute   text NOT NULL,
            labels      text[] NOT NULL,            -- what competed, sorted
            label       text NOT NULL,              -- the one that was chosen
            chosen_at   timestamptz NOT NULL,
            PRIMARY KEY (workspace, person, channel, attribute, labels)
        );
        ALTER TABLE habits ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON habits
            USING (workspace = current_setting('askback.workspace', true));
        GRANT SELECT, INSERT, UPDATE, DELETE ON habits TO askback_app;
    """)
