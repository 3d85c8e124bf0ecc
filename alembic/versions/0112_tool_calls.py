"""Calls of tools that write: at most one for each approval."""

from alembic import op

revision = "0112"
down_revision = "0111"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
TOOL_CALLS = f"""
    CREATE TABLE tool_calls (
        workspace  text NOT NULL DEFAULT {OURS},
        ask_id     bigint NOT NULL,                         -- the approval
        tool       text NOT NULL,
        arguments  jsonb NOT NULL,                          -- empty once its words were forgotten
        state      text NOT NULL DEFAULT 'begun' CHECK (state IN ('begun', 'done', 'refused', 'unknown')),
        result     jsonb,
        begun_at   timestamptz NOT NULL,
        PRIMARY KEY (workspace, ask_id),
        FOREIGN KEY (workspace, ask_id) REFERENCES asks ON DELETE CASCADE
    );
    ALTER TABLE tool_calls ENABLE ROW LEVEL SECURITY;
    CREATE POLICY of_the_workspace ON tool_calls USING (workspace = {OURS});
    GRANT SELECT, INSERT, UPDATE, DELETE ON tool_calls TO askback_app;
"""


def upgrade() -> None:
    op.execute(TOOL_CALLS)
