"""The core keeps less: no row for a question that an answer offers, and no tables of a job queue."""

from alembic import op

revision = "0204"
down_revision = "0203"

# What procrastinate created: tables, then functions and types that only they used.
WITHOUT_JOB_QUEUE = """
    DROP TABLE IF EXISTS procrastinate_periodic_defers, procrastinate_events, procrastinate_jobs,
                         procrastinate_workers CASCADE;
    DO $$ DECLARE gone text; BEGIN
        FOR gone IN SELECT oid::regprocedure FROM pg_proc WHERE starts_with(proname, 'procrastinate_') LOOP
            EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', gone);
        END LOOP;
        FOR gone IN SELECT oid::regtype FROM pg_type WHERE starts_with(typname, 'procrastinate_') LOOP
            EXECUTE format('DROP TYPE IF EXISTS %s CASCADE', gone);
        END LOOP;
    END $$;
"""


def upgrade() -> None:
    op.execute("DELETE FROM asks WHERE kind = 'follow_up'")
    op.execute(WITHOUT_JOB_QUEUE)
