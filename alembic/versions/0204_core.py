"""The core keeps less: no row for an offered question, no tables of a job queue, no index that a key holds already."""

from alembic import op

revision = "0204"
down_revision = "0203"

# What procrastinate created in our schema: tables, then functions and types that only they used. Another program may
# have its own job queue in another schema.
WITHOUT_JOB_QUEUE = """
    DO $$ DECLARE gone text; ours CONSTANT oid := (SELECT oid FROM pg_namespace WHERE nspname = current_schema()); BEGIN
        FOR gone IN SELECT oid::regclass FROM pg_class WHERE relnamespace = ours AND relkind = 'r' AND relname IN (
            'procrastinate_periodic_defers', 'procrastinate_events', 'procrastinate_jobs', 'procrastinate_workers'
        ) LOOP
            EXECUTE format('DROP TABLE %s CASCADE', gone);
        END LOOP;
        FOR gone IN
            SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = ours AND starts_with(proname, 'procrastinate_')
        LOOP
            EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', gone);
        END LOOP;
        FOR gone IN
            SELECT oid::regtype FROM pg_type WHERE typnamespace = ours AND starts_with(typname, 'procrastinate_')
        LOOP
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
