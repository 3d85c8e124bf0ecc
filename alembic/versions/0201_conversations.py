"""Conversations: items, asks, messages, claims, runs and channels, beside the tables of LangGraph."""

from alembic import op
from langgraph.checkpoint.postgres.base import MIGRATIONS

revision = "0201"
down_revision = None

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
PROCESS_LOCKS = 4207303
"""The class of the advisory locks that processes hold as long as they live."""

INBOX = """
    CREATE TABLE inbox (
        id                bigint GENERATED ALWAYS AS IDENTITY,
        surface           text NOT NULL,                    -- 'slack:<team>' or 'terminal:<thread>'
        workspace         text NOT NULL,
        thread_id         text NOT NULL,
        position          numeric NOT NULL,                 -- Slack's ts: the order within a thread
        kind              text NOT NULL CHECK (kind IN ('turn', 'reply', 'reminder', 'edit', 'removal', 'notice',
                                                        'drop', 'revision', 'review', 'decision', 'stop')),
        event_key         text NOT NULL,
        message_key       text,                             -- channel:ts, for messages
        address           jsonb NOT NULL,
        content           jsonb NOT NULL,
        status            text NOT NULL DEFAULT 'waiting'
                          CHECK (status IN ('waiting', 'asking', 'finished', 'failed', 'removed', 'refused', 'dropped',
                                            'stopped')),
        due_at            timestamptz NOT NULL,             -- not to be claimed before
        reference         text NOT NULL,                    -- what a person quotes to an administrator
        received_at       timestamptz NOT NULL,
        finished_at       timestamptz,
        changed_at        numeric,                          -- Slack's ts of the last edit that came into force
        joined_to         bigint,                           -- the turn of the same burst that answers this one
        person            text,                             -- who wrote a turn
        rank              bigint,                           -- a turn's place among those of all people; none goes first
        attempts          integer NOT NULL DEFAULT 0,       -- runs that were begun since it last was new
        attempts_allowed  integer NOT NULL DEFAULT 3,       -- a person's Retry allows more
        runs_again        boolean NOT NULL DEFAULT false,   -- what people see may answer an earlier text
        partial           jsonb,                            -- the beginning of an answer whose run was stopped
        last_error        jsonb,                            -- {error, place, reason, at} of the last run that failed
        PRIMARY KEY (workspace, id),
        UNIQUE (workspace, event_key),
        UNIQUE (workspace, message_key),
        FOREIGN KEY (workspace, joined_to) REFERENCES inbox
    ) WITH (fillfactor = 85);  -- no index holds the attempts: with room left in its page, counting one touches none
    CREATE INDEX inbox_open ON inbox (thread_id, position, id) WHERE status IN ('waiting', 'asking');
    CREATE INDEX inbox_ranked ON inbox (surface, rank NULLS FIRST, id) WHERE status IN ('waiting', 'asking');
    CREATE INDEX inbox_threads ON inbox (thread_id, position);
    CREATE INDEX inbox_joined ON inbox (joined_to) WHERE joined_to IS NOT NULL;
    CREATE INDEX inbox_of_people ON inbox (workspace, person, rank)
        WHERE kind = 'turn' AND status IN ('waiting', 'asking');
    CREATE INDEX inbox_refused ON inbox (workspace, person, received_at) WHERE status = 'refused';
    CREATE UNIQUE INDEX inbox_references ON inbox (workspace, reference);
"""
ASKS = """
    CREATE TABLE asks (
        workspace      text NOT NULL,
        id             bigint GENERATED ALWAYS AS IDENTITY,
        kind           text NOT NULL,                       -- clarification, review
        token          text NOT NULL UNIQUE,                -- what the buttons of its card carry
        inbox_id       bigint NOT NULL,                     -- the item whose run asks, or whose answer it is about
        thread_id      text NOT NULL,
        channel        text NOT NULL,                       -- where the question was asked
        interrupt_id   text NOT NULL,                       -- empty if no run waits
        person         text,                                -- whose question it is, or who wants a review
        payload        jsonb NOT NULL,                      -- what the card shows, and what a decision needs
        status         text NOT NULL CHECK (status IN ('offered', 'open', 'decided', 'expired', 'superseded')),
        decision       jsonb,
        decided_by     text,
        decided_at     timestamptz,
        decided_in     bigint,                              -- the turn that decided it by its words
        revision       integer NOT NULL DEFAULT 0,          -- how often the decision was changed
        superseded_by  bigint,                              -- the item that closed or decided it, until that is done
        concluded_at   timestamptz,                         -- when the decision came into force
        card           jsonb,                               -- where the card is, if it is in no thread of ours
        asked_at       timestamptz NOT NULL,
        remind_at      timestamptz,
        due_at         timestamptz NOT NULL,
        PRIMARY KEY (workspace, id),
        FOREIGN KEY (workspace, inbox_id) REFERENCES inbox ON DELETE CASCADE,
        FOREIGN KEY (workspace, decided_in) REFERENCES inbox
    );
    CREATE UNIQUE INDEX asks_waiting ON asks (workspace, thread_id) WHERE kind = 'clarification' AND status = 'open';
    CREATE UNIQUE INDEX asks_under_review ON asks (workspace, thread_id, (payload ->> 'key'))
        WHERE kind = 'review' AND status IN ('offered', 'open');
    CREATE INDEX asks_by_item ON asks (workspace, inbox_id);
    CREATE INDEX asks_due ON asks (due_at) WHERE status = 'open';
    CREATE INDEX asks_by_words ON asks (workspace, decided_in) WHERE decided_in IS NOT NULL;
    CREATE INDEX asks_superseded_by ON asks (workspace, superseded_by) WHERE superseded_by IS NOT NULL;
"""
MESSAGES = """
    -- A message of ours is recorded as soon as Slack has named it.
    CREATE TABLE messages (
        workspace   text NOT NULL,
        inbox_id    bigint NOT NULL,
        kind        text NOT NULL CHECK (kind IN ('answer', 'card', 'failure', 'reminder')),
        part        integer NOT NULL DEFAULT 0,             -- a long answer has several messages
        channel     text NOT NULL,
        ts          text NOT NULL,
        posted_at   timestamptz NOT NULL,
        PRIMARY KEY (inbox_id, kind, part),
        FOREIGN KEY (workspace, inbox_id) REFERENCES inbox ON DELETE CASCADE
    );
    CREATE INDEX messages_by_ts ON messages (workspace, channel, ts);

    CREATE TABLE feedback (
        workspace   text NOT NULL,
        inbox_id    bigint NOT NULL,
        person      text NOT NULL,
        verdict     text NOT NULL CHECK (verdict IN ('good', 'bad')),
        reason      text,
        words       text,
        given_at    timestamptz NOT NULL,
        PRIMARY KEY (inbox_id, person),
        UNIQUE (workspace, inbox_id, person),
        FOREIGN KEY (workspace, inbox_id) REFERENCES inbox ON DELETE CASCADE
    );
"""
CHANNELS = """
    CREATE TABLE channels (
        workspace   text NOT NULL,
        channel     text NOT NULL,
        may_answer  text CHECK (may_answer IN ('anyone', 'asker')),               -- none: as the settings say
        preset      text CHECK (preset IN ('quick', 'balanced', 'thorough')),     -- none: as the settings say
        PRIMARY KEY (workspace, channel)
    );

    CREATE TABLE preferences (
        workspace   text NOT NULL,
        person      text NOT NULL,
        channel     text NOT NULL,
        attribute   text NOT NULL,
        labels      text[] NOT NULL,                        -- what competed, sorted
        label       text NOT NULL,                          -- the one that was chosen
        chosen_at   timestamptz NOT NULL,
        PRIMARY KEY (workspace, person, channel, attribute, labels)
    );
"""
CLAIMS = f"""
    CREATE SEQUENCE process_numbers AS integer CYCLE;
    CREATE VIEW processes AS
        SELECT objid::bigint::integer AS number FROM pg_locks
        WHERE locktype = 'advisory' AND classid = {PROCESS_LOCKS} AND objsubid = 2 AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database());

    CREATE TABLE claims (
        workspace  text NOT NULL DEFAULT {OURS},
        thread_id  text NOT NULL,
        inbox_id   bigint NOT NULL,
        process    integer NOT NULL,
        PRIMARY KEY (workspace, thread_id)
    );

    -- Unlogged: it costs no write-ahead log, and a minute brings back what a crash loses.
    CREATE UNLOGGED TABLE budgets (
        surface       text NOT NULL,
        bucket        text NOT NULL,                        -- a method of Slack's, or one in one channel
        empty_at      timestamptz NOT NULL,
        closed_until  timestamptz NOT NULL DEFAULT 'epoch',
        PRIMARY KEY (surface, bucket)
    ) WITH (fillfactor = 50);
"""
RUNS = f"""
    CREATE TABLE runs (
        workspace   text NOT NULL DEFAULT {OURS},
        id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        inbox_id    bigint NOT NULL,
        ended_at    timestamptz NOT NULL,
        outcome     text NOT NULL,
        calls       integer NOT NULL,
        tokens_in   integer NOT NULL,
        tokens_out  integer NOT NULL,
        ms          integer NOT NULL,
        steps       json NOT NULL,                          -- with what people, documents and models said
        FOREIGN KEY (workspace, inbox_id) REFERENCES inbox ON DELETE CASCADE
    );
    CREATE INDEX runs_by_item ON runs (inbox_id);
    CREATE INDEX runs_by_age ON runs (workspace, ended_at);
"""
MODES = f"""
    -- The untagged questions that wait or were answered: where they are, and no word of them.
    CREATE TABLE channel_modes (
        workspace   text NOT NULL DEFAULT {OURS},
        channel     text NOT NULL,
        mode        text NOT NULL DEFAULT 'mentions' CHECK (mode IN ('mentions', 'questions', 'privately')),
        is_on       boolean NOT NULL DEFAULT false,         -- a member has turned it on after the shadow week
        since       timestamptz NOT NULL,
        changed_by   text,
        is_led_back  boolean NOT NULL DEFAULT false,        -- clicks on "Not for you" led back to mentions
        card_key    text NOT NULL DEFAULT '',               -- the message that asked for the card
        card_ts     text,                                   -- where the card is, once it is posted
        card_due    timestamptz,                            -- when it is to be shown again
        PRIMARY KEY (workspace, channel)
    );
    CREATE INDEX channel_modes_due ON channel_modes (workspace, card_due) WHERE card_due IS NOT NULL;

    CREATE TABLE untagged_questions (
        workspace    text NOT NULL DEFAULT {OURS},
        message_key  text NOT NULL,                         -- channel:ts, as in the inbox
        channel      text NOT NULL,
        ts           text NOT NULL,
        person       text NOT NULL,
        state        text NOT NULL DEFAULT 'waiting'        -- noted: in the shadow week; handed: to the inbox
                     CHECK (state IN ('waiting', 'noted', 'handed')),
        due_at       timestamptz NOT NULL,                  -- when it is judged, or taken over if its judge died
        verdict      text CHECK (verdict IN ('answer', 'ask')),
        decided_at   timestamptz,
        link         text NOT NULL DEFAULT '',
        document     text NOT NULL DEFAULT '',              -- the title of the document that answers
        unwanted_by  text,
        PRIMARY KEY (workspace, message_key)
    );
    CREATE INDEX untagged_questions_due ON untagged_questions (workspace, due_at) WHERE state = 'waiting';
    CREATE INDEX untagged_questions_decided ON untagged_questions (workspace, channel, decided_at)
        WHERE state <> 'waiting';
"""
MUTED = f"""
    -- Threads in which the bot answers only who mentions it. `since` is Slack's ts of the last message that said so.
    CREATE TABLE muted_threads (
        workspace  text NOT NULL DEFAULT {OURS},
        channel    text NOT NULL,
        thread_ts  text NOT NULL,
        is_muted   boolean NOT NULL,
        since      numeric NOT NULL,
        PRIMARY KEY (workspace, channel, thread_ts)
    );
"""
SHARED = f"""
    -- Who shared which answer in a channel, when, and from which documents.
    CREATE TABLE shared_answers (
        workspace      text NOT NULL DEFAULT {OURS},
        id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        message_key    text NOT NULL,                       -- the question, as in the inbox
        channel        text NOT NULL,
        ts             text NOT NULL,                       -- the copy in the channel
        person         text NOT NULL,                       -- who shared it
        documents      bigint[] NOT NULL DEFAULT '{{}}',    -- what it cites; no foreign key: they may go
        is_restricted  boolean NOT NULL DEFAULT false,      -- whether not everybody there might read them
        shared_at      timestamptz NOT NULL,
        taken_back_at  timestamptz                          -- when the copy was deleted
    );
    CREATE UNIQUE INDEX shared_answers_standing ON shared_answers (workspace, message_key)
        WHERE taken_back_at IS NULL;
"""
TOOL_CALLS = f"""
    -- Calls of tools that write: at most one for each approval.
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
"""
PROTECTED = (
    "inbox", "asks", "messages", "feedback", "channels", "preferences", "claims", "runs", "channel_modes",
    "untagged_questions", "muted_threads", "shared_answers", "tool_calls", "checkpoints",
    "checkpoint_blobs", "checkpoint_writes",
)  # fmt: skip


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    _create_checkpoints()
    for tables in (INBOX, ASKS, MESSAGES, CHANNELS, CLAIMS, RUNS, MODES, MUTED, SHARED, TOOL_CALLS):
        op.execute(tables)
    for table in PROTECTED:
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table} USING (workspace = {OURS});
        """)
    op.execute("""
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO askback_app;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO askback_app;
        REVOKE ALL ON checkpoint_migrations FROM askback_app;
        REVOKE INSERT, UPDATE, DELETE ON alembic_version, processes FROM askback_app;
        REVOKE DELETE ON budgets FROM askback_app;
    """)


def _create_checkpoints() -> None:
    # CONCURRENTLY cannot run in a transaction, and on new tables there is nothing to lock out.
    connection = op.get_bind()
    for version, statement in enumerate(MIGRATIONS):
        connection.exec_driver_sql(statement.replace("CONCURRENTLY", ""))
        connection.exec_driver_sql(f"INSERT INTO checkpoint_migrations VALUES ({version}) ON CONFLICT DO NOTHING")
    for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
        # LangGraph names the columns that it writes, so the default fills in this one.
        op.execute(f"ALTER TABLE {table} ADD COLUMN workspace text NOT NULL DEFAULT {OURS}")
