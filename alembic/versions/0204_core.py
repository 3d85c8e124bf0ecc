"""The core keeps less: no row for an offered question, no tables of a job queue, no index that a key holds already."""

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

# LangGraph creates them, but the primary key of each of these tables begins with the thread.
WITHOUT_SECOND_INDEXES = """
    DROP INDEX IF EXISTS checkpoints_thread_id_idx, checkpoint_blobs_thread_id_idx, checkpoint_writes_thread_id_idx
"""

# A new answer closes the reviews of earlier ones: by `asks_under_review` those that nobody decided, by this the others.
REVIEWS_TO_CONCLUDE = """
    CREATE INDEX IF NOT EXISTS asks_to_conclude ON asks (workspace, thread_id)
        WHERE kind = 'review' AND status IN ('decided', 'expired') AND concluded_at IS NULL
"""


def upgrade() -> None:
    op.execute("DELETE FROM asks WHERE kind = 'follow_up'")
    op.execute(WITHOUT_JOB_QUEUE)
    op.execute(WITHOUT_SECOND_INDEXES)
    op.execute(REVIEWS_TO_CONCLUDE)
