"""Reviews: which answers a person is asked to look at, and what they decided; and the items that do so."""

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.execute("""
        CREATE TABLE reviews (
            id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            workspace     text NOT NULL,
            token         text NOT NULL UNIQUE,     -- what the buttons of its card carry
            inbox_id      bigint NOT NULL REFERENCES inbox ON DELETE CASCADE,  -- whose answer it is
            thread_id     text NOT NULL,
            key           text NOT NULL,            -- of the message that asked
            interrupt_id  text,                     -- none where the answer was shown before
            dossier       jsonb NOT NULL,           -- question, draft, sources with excerpts, issues, scores
            status        text NOT NULL CHECK (status IN
                          ('offered', 'open', 'approved', 'edited', 'rejected', 'expired', 'superseded')),
            requester     text,                     -- who pressed "Ask a human"
            reviewer      text,
            words         text NOT NULL DEFAULT '', -- the edited answer, or the reason of a rejection
            card_channel  text,
            card_ts       text,
            opened_at     timestamptz NOT NULL,
            due_at        timestamptz NOT NULL,
            decided_at    timestamptz,
            concluded_at  timestamptz               -- when the ruling came into force
        );
        CREATE UNIQUE INDEX reviews_live ON reviews (thread_id, key) WHERE status IN ('offered', 'open');
        CREATE INDEX reviews_by_item ON reviews (inbox_id);
        CREATE INDEX reviews_due ON reviews (due_at) WHERE status = 'open';

        ALTER TABLE reviews ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON reviews USING (workspace = current_setting('askback.workspace', true));
        GRANT SELECT, INSERT, UPDATE, DELETE ON reviews TO askback_app;
        GRANT USAGE ON SEQUENCE reviews_id_seq TO askback_app;

        ALTER TABLE inbox
            DROP CONSTRAINT inbox_kind_check,
            ADD CONSTRAINT inbox_kind_check
                CHECK (kind IN ('turn', 'reply', 'reminder', 'edit', 'removal', 'notice', 'drop', 'revision', 'review',
                                'ruling'));
    """)
