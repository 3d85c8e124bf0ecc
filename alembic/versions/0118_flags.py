"""Flags: what readers say is out of date or wrong in a document, and what another document contradicts."""

from alembic import op

revision = "0118"
down_revision = "0117"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
READABLE = "coalesce(NULLIF(current_setting('askback.audiences', true), ''), '{}')::bigint[]"
"""The audiences that the transaction may read, by id; none if unset."""


def upgrade() -> None:
    op.execute("ALTER TABLE sources ADD COLUMN owner text")  # The id of a person in Slack.
    op.execute("ALTER TABLE feedback ADD COLUMN words text, ADD UNIQUE (workspace, inbox_id, person)")
    # When the writer of a kept answer was told that people object to it.
    op.execute("ALTER TABLE verified_answers ADD COLUMN objection_told_at timestamptz")
    # A document that changes is replaced, so its flags go with it.
    op.execute(f"""
        CREATE TABLE flags (
            workspace          text NOT NULL DEFAULT {OURS},
            id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            document_id        bigint NOT NULL,
            audience_id        bigint NOT NULL,
            reason             text NOT NULL CHECK (reason IN ('outdated', 'wrong', 'contradicted')),
            inbox_id           bigint,                          -- the answer that a reader disliked
            person             text,                            -- the reader
            is_named           boolean NOT NULL DEFAULT false,  -- whether the owner may know who the reader is
            other_id           bigint,                          -- the document that says otherwise
            other_audience_id  bigint,
            flagged_at         timestamptz NOT NULL,
            told_at            timestamptz,
            told_to            text,                            -- a person or a channel; none: nobody could be told
            settled_at         timestamptz,                     -- when its owner said that the document is right
            UNIQUE NULLS NOT DISTINCT (document_id, inbox_id, person, other_id),
            -- The database keeps a flag's audiences equal to its documents'.
            FOREIGN KEY (workspace, document_id, audience_id)
                REFERENCES documents (workspace, id, audience_id) ON UPDATE CASCADE ON DELETE CASCADE,
            FOREIGN KEY (workspace, other_id, other_audience_id)
                REFERENCES documents (workspace, id, audience_id) ON UPDATE CASCADE ON DELETE CASCADE,
            FOREIGN KEY (workspace, inbox_id, person) REFERENCES feedback (workspace, inbox_id, person)
                ON DELETE CASCADE
        );
        CREATE INDEX flags_by_answer ON flags (workspace, inbox_id, person) WHERE inbox_id IS NOT NULL;
        CREATE INDEX flags_by_other ON flags (workspace, other_id) WHERE other_id IS NOT NULL;
        ALTER TABLE flags ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON flags USING (
            workspace = {OURS} AND audience_id = ANY ({READABLE})
            AND (other_id IS NULL OR other_audience_id = ANY ({READABLE}))
        );
        GRANT SELECT, INSERT, UPDATE, DELETE ON flags TO askback_app;
        GRANT USAGE ON SEQUENCE flags_id_seq TO askback_app;
    """)
    # A search says which documents are flagged, so its result changes with the flags.
    op.execute("""
        CREATE CONSTRAINT TRIGGER knowledge_changed AFTER INSERT OR DELETE OR UPDATE OF reason, settled_at ON flags
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION knowledge_changed()
    """)
