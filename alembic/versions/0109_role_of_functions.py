"""The role of functions: what must see more than the serving role may, sees it as a role that can do nothing else."""

from alembic import op

revision = "0109"
down_revision = "0108"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
READABLE = "coalesce(NULLIF(current_setting('askback.audiences', true), ''), '{}')::bigint[]"
"""The audiences that the transaction may read, by id; none if unset."""
ROLE = "askback_functions"
FUNCTIONS = ("passages_by_text", "forget_verified_answers", "knowledge_changed")
SEES = {
    # `@@` is not leakproof, so a policy with a condition would keep the index on words from being used. The role
    # reads no text, only what was made of its words, and the function asks for the workspace and the audiences itself.
    "passages": ("SELECT (ctid, id, workspace, audience_id, configuration, words)", "true"),
    "documents": (
        "SELECT (workspace, audience_id, configuration)",
        f"workspace = {OURS} AND audience_id = ANY ({READABLE})",
    ),
    "verified_answers": ("DELETE, SELECT (workspace, origin, asked_as)", f"workspace = {OURS}"),
    "phrasings": ("DELETE, SELECT (workspace, asked_as)", f"workspace = {OURS}"),
    # It holds no words, and the owner changes sources without a workspace.
    "knowledge_versions": ("SELECT (workspace), INSERT (workspace), UPDATE (version)", "true"),
}
"""What the role may do in a table, and in which rows."""


def upgrade() -> None:
    for table, (rights, rows) in SEES.items():
        op.execute(f"""
            ALTER POLICY of_the_workspace ON {table} TO askback_app;
            CREATE POLICY of_functions ON {table} TO {ROLE} USING ({rows});
            GRANT {rights} ON {table} TO {ROLE};
        """)
    # A function's new owner must be able to create it where it is.
    op.execute(f"GRANT USAGE, CREATE ON SCHEMA public TO {ROLE}")
    for function in FUNCTIONS:
        op.execute(f"ALTER FUNCTION {function} OWNER TO {ROLE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {ROLE}")
