"""The inbox, clarifications, what we posted, feedback, and the libraries' own tables."""

from alembic import op
from langgraph.checkpoint.postgres.base import MIGRATIONS
from procrastinate import PsycopgConnector
from procrastinate.schema import SchemaManager

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    _create_checkpoints()
    _create_procrastinate()
    op.execute("""
        -- Turns and replies. A claim is a row lock, so `waiting` is also the status of an item that runs.
        CREATE TABLE inbox (
            id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            surface      text NOT NULL,             -- 'slack:<team>' or 'terminal:<thread>'
            workspace    text NOT NULL,
            thread_id    text NOT NULL,
            position     numeric NOT NULL,          -- Slack's ts: the order within a thread
            kind         text NOT NULL CHECK (kind IN ('turn', 'reply')),
            event_key    text NOT NULL,
            message_key  text,                      -- channel:ts, for messages
            address      jsonb NOT NULL,
            content      jsonb NOT NULL,
            status       text NOT NULL DEFAULT 'waiting'
                         CHECK (status IN ('waiting', 'asking', 'finished', 'failed')),
            due_at       timestamptz NOT NULL,      -- not to be claimed before
            reference    text NOT NULL,             -- what a person quotes to an administrator
            received_at  timestamptz NOT NULL,
            finished_at  timestamptz,
            UNIQUE (workspace, event_key),
            UNIQUE (workspace, message_key)
        );
        CREATE INDEX inbox_open ON inbox (thread_id, position, id) WHERE status IN ('waiting', 'asking');
        CREATE INDEX inbox_due ON inbox (due_at, id) WHERE status IN ('waiting', 'asking');
        CREATE INDEX inbox_threads ON inbox (workspace, thread_id);
        CREATE UNIQUE INDEX inbox_references ON inbox (workspace, reference);

        -- How often a run of an item was begun; committed apart from the run, which may die.
        CREATE TABLE attempts (
            inbox_id    bigint PRIMARY KEY REFERENCES inbox ON DELETE CASCADE,
            begun       integer NOT NULL DEFAULT 1,
            allowed     integer NOT NULL DEFAULT 3  -- a person's Retry allows more
        );

        CREATE TABLE clarifications (
            id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            workspace     text NOT NULL,
            token         text NOT NULL UNIQUE,     -- what a button carries
            inbox_id      bigint NOT NULL REFERENCES inbox ON DELETE CASCADE,
            thread_id     text NOT NULL,
            interrupt_id  text NOT NULL,
            asker         text NOT NULL,
            about         text NOT NULL,            -- the question that was ambiguous
            question      text NOT NULL,            -- what was asked back
            options       jsonb NOT NULL,           -- [{id, label}]
            status        text NOT NULL DEFAULT 'open'
                          CHECK (status IN ('open', 'answered', 'superseded', 'expired')),
            choice        jsonb,                    -- {kind, value, label}
            answered_by   text,
            answered_at   timestamptz,
            asked_at      timestamptz NOT NULL,
            due_at        timestamptz
        );
        CREATE UNIQUE INDEX clarifications_open ON clarifications (thread_id) WHERE status = 'open';

        -- What we posted for which item; a message is known here as soon as Slack has named it.
        CREATE TABLE messages (
            workspace   text NOT NULL,
            inbox_id    bigint NOT NULL REFERENCES inbox ON DELETE CASCADE,
            kind        text NOT NULL CHECK (kind IN ('answer', 'card', 'failure')),
            channel     text NOT NULL,
            ts          text NOT NULL,
            posted_at   timestamptz NOT NULL,
            PRIMARY KEY (inbox_id, kind)
        );
        CREATE INDEX messages_by_ts ON messages (workspace, channel, ts);

        CREATE TABLE feedback (
            workspace   text NOT NULL,
            inbox_id    bigint NOT NULL REFERENCES inbox ON DELETE CASCADE,
            person      text NOT NULL,
            verdict     text NOT NULL CHECK (verdict IN ('good', 'bad')),
            reason      text,
            given_at    timestamptz NOT NULL,
            PRIMARY KEY (inbox_id, person)
        );
    """)
    for table in ("clarifications", "messages", "feedback"):
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table}
                USING (workspace = current_setting('askback.workspace', true));
        """)
    op.execute("""
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO askback_app;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO askback_app;
        REVOKE ALL ON alembic_version, checkpoint_migrations FROM askback_app;
    """)


def _create_checkpoints() -> None:
    # CONCURRENTLY cannot run in a transaction, and on new tables there is nothing to lock out.
    connection = op.get_bind()
    for version, statement in enumerate(MIGRATIONS):
        connection.exec_driver_sql(statement.replace("CONCURRENTLY", ""))
        connection.exec_driver_sql(f"INSERT INTO checkpoint_migrations VALUES ({version}) ON CONFLICT DO NOTHING")


def _create_procrastinate() -> None:
    # As bytes past SQLAlchemy: the schema's % signs are no placeholders.
    schema = SchemaManager(PsycopgConnector()).get_schema()
    op.get_bind().connection.driver_connection.execute(schema.encode())
