"""What a question's runs came to is part of its own row: attempts, the last error, and a partial answer."""

from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '60s'; LOCK TABLE inbox IN ACCESS EXCLUSIVE MODE")
    op.execute("""
        ALTER TABLE inbox
            ADD COLUMN attempts         integer NOT NULL DEFAULT 0,  -- runs that were begun since it last was new
            ADD COLUMN attempts_allowed integer NOT NULL DEFAULT 3,  -- a person's Retry allows more
            ADD COLUMN runs_again       boolean NOT NULL DEFAULT false,  -- what people see may answer an earlier text
            ADD COLUMN partial          jsonb,  -- what the last run had said when it was ended from outside
            ADD COLUMN last_error       jsonb;  -- {error, place, reason, at} of the last run that failed

        UPDATE inbox SET attempts = begun, attempts_allowed = allowed, runs_again = again, partial = said,
            last_error = CASE WHEN error IS NOT NULL THEN
                jsonb_build_object('error', error, 'place', place, 'reason', reason, 'at', failed_at)
            END
        FROM attempts WHERE (attempts.workspace, inbox_id) = (inbox.workspace, inbox.id);
        DROP TABLE attempts;

        -- No index holds these columns: with room left in its page, counting an attempt touches none.
        ALTER TABLE inbox SET (fillfactor = 85);
    """)
