"""One table for what people are asked: clarifications and reviews are asks of two kinds, with one life."""

from alembic import op

revision = "0027"
down_revision = "0026"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""What is not set, or set to nothing, is no workspace: neither read nor written."""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '60s'; LOCK TABLE inbox IN ACCESS EXCLUSIVE MODE")
    op.execute(f"""
        CREATE TABLE asks (
            workspace     text NOT NULL,
            id            bigint GENERATED ALWAYS AS IDENTITY,
            kind          text NOT NULL,            -- clarification, review
            token         text NOT NULL UNIQUE,     -- what the buttons of its card carry
            inbox_id      bigint NOT NULL,          -- the item whose run asks, or whose answer it is about
            thread_id     text NOT NULL,
            channel       text NOT NULL,            -- where the question was asked
            interrupt_id  text NOT NULL,            -- empty if no run waits
            person        text,                     -- whose question it is, or who wants a review
            payload       jsonb NOT NULL,           -- what the card shows, and what a decision needs
            status        text NOT NULL CHECK (status IN ('offered', 'open', 'decided', 'expired', 'superseded')),
            decision      jsonb,
            decided_by    text,
            decided_at    timestamptz,
            decided_in    bigint,                   -- the turn that decided it by its words
            revision      integer NOT NULL DEFAULT 0,   -- how often the decision was changed
            superseded_by bigint,                   -- until this item is done, the ask may open again
            concluded_at  timestamptz,              -- when the decision came into force
            card          jsonb,                    -- where the card is, if it is in no thread of ours
            asked_at      timestamptz NOT NULL,
            remind_at     timestamptz,
            due_at        timestamptz NOT NULL,
            PRIMARY KEY (workspace, id),
            FOREIGN KEY (workspace, inbox_id) REFERENCES inbox ON DELETE CASCADE,
            FOREIGN KEY (workspace, decided_in) REFERENCES inbox
        );

        INSERT INTO asks (workspace, id, kind, token, inbox_id, thread_id, channel, interrupt_id, person, payload,
                          status, decision, decided_by, decided_at, decided_in, revision, superseded_by, asked_at,
                          remind_at, due_at)
        OVERRIDING SYSTEM VALUE
        SELECT asked.workspace, asked.id, 'clarification', token, inbox_id, asked.thread_id, address ->> 'channel',
               interrupt_id, asker,
               jsonb_build_object('about', about, 'question', question, 'options', options, 'attribute', attribute),
               CASE asked.status WHEN 'answered' THEN 'decided' WHEN 'assumed' THEN 'offered' ELSE asked.status END,
               choice, answered_by, answered_at, answered_in, revision, superseded_by, asked_at, remind_at,
               asked.due_at
        FROM clarifications asked JOIN inbox ON (inbox.workspace, inbox.id) = (asked.workspace, inbox_id);

        -- A review gets an id that neither had: the keys of items name it.
        CREATE TEMPORARY TABLE renamed ON COMMIT DROP AS
        SELECT id, id + greatest(
            (SELECT coalesce(max(id), 0) FROM clarifications), (SELECT coalesce(max(id), 0) FROM reviews)
        ) AS new_id FROM reviews;

        INSERT INTO asks (workspace, id, kind, token, inbox_id, thread_id, channel, interrupt_id, person, payload,
                          status, decision, decided_by, decided_at, concluded_at, card, asked_at, due_at)
        OVERRIDING SYSTEM VALUE
        SELECT review.workspace, new_id, 'review', token, inbox_id, review.thread_id, address ->> 'channel',
               coalesce(interrupt_id, ''), requester, dossier,
               CASE WHEN review.status IN ('approved', 'edited', 'rejected') THEN 'decided' ELSE review.status END,
               CASE WHEN review.status IN ('approved', 'edited', 'rejected')
                    THEN jsonb_build_object('kind', review.status, 'text', words) END,
               reviewer, decided_at, concluded_at,
               CASE WHEN card_ts IS NOT NULL THEN jsonb_build_object('channel', card_channel, 'ts', card_ts) END,
               opened_at, review.due_at
        FROM reviews review JOIN renamed USING (id)
        JOIN inbox ON (inbox.workspace, inbox.id) = (review.workspace, inbox_id);

        SELECT setval(pg_get_serial_sequence('asks', 'id'), coalesce((SELECT max(id) FROM asks), 0) + 1, false);

        UPDATE inbox
        SET content = content - 'clarification_id' || jsonb_build_object('ask_id', content -> 'clarification_id')
        WHERE content ? 'clarification_id';
        UPDATE inbox
        SET content = content - 'review_id' || jsonb_build_object('ask_id', new_id),
            event_key = inbox.kind || ':' || new_id
        FROM renamed WHERE inbox.kind IN ('review', 'ruling') AND (content ->> 'review_id')::bigint = renamed.id;

        DROP TABLE clarifications, reviews;

        CREATE UNIQUE INDEX asks_waiting ON asks (workspace, thread_id)
            WHERE kind = 'clarification' AND status = 'open';
        CREATE UNIQUE INDEX asks_under_review ON asks (workspace, thread_id, (payload ->> 'key'))
            WHERE kind = 'review' AND status IN ('offered', 'open');
        CREATE INDEX asks_by_item ON asks (workspace, inbox_id);
        CREATE INDEX asks_due ON asks (due_at) WHERE status = 'open';
        CREATE INDEX asks_by_words ON asks (workspace, decided_in) WHERE decided_in IS NOT NULL;
        CREATE INDEX asks_superseded_by ON asks (workspace, superseded_by) WHERE superseded_by IS NOT NULL;

        ALTER TABLE asks ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON asks USING (workspace = {OURS});
        GRANT SELECT, INSERT, UPDATE, DELETE ON asks TO askback_app;
        GRANT USAGE ON SEQUENCE asks_id_seq TO askback_app;
    """)
