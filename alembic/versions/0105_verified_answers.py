"""Verified answers: what people kept, its phrasings, and who may read it."""

from alembic import op

revision = "0105"
down_revision = "0104"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
READABLE = "coalesce(NULLIF(current_setting('askback.audiences', true), ''), '{}')::bigint[]"
"""The audiences that the transaction may read, by id; none if unset."""
NAMES = "coalesce(NULLIF(current_setting('askback.names', true), ''), '{}')::text[]"
"""The names under which the transaction reads; none if unset."""

ANSWERS = f"""
    CREATE TABLE verified_answers (
        workspace    text NOT NULL DEFAULT {OURS},
        id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        origin       text NOT NULL,                         -- what it was kept from: a review, a message
        asked_as     text NOT NULL,                         -- the key of the question's message
        question     text NOT NULL,
        text         text NOT NULL,                         -- Markdown, with [n] for its sources
        sources      jsonb NOT NULL,                        -- of each: source_id, path, title, heading, dated, digest
        writer       text NOT NULL,
        writer_name  text NOT NULL,                         -- as people read it
        place        text NOT NULL,                         -- for whom it was written: everyone, channel:C…
        kept_at      timestamptz NOT NULL,
        valid_until  timestamptz NOT NULL,
        retired_at   timestamptz,
        retired_by   text,
        used         integer NOT NULL DEFAULT 0,
        used_at      timestamptz,
        UNIQUE (workspace, id),
        UNIQUE (workspace, origin)
    );
    CREATE INDEX verified_answers_by_question ON verified_answers (workspace, asked_as);

    CREATE TABLE phrasings (
        workspace  text NOT NULL DEFAULT {OURS},
        answer_id  bigint NOT NULL,
        asked_as   text NOT NULL,                           -- the key of the message that asked so
        text       text NOT NULL,
        stems      text[] NOT NULL,
        added_by   text NOT NULL,
        added_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
        model      text,
        embedding  halfvec,                                 -- none until a worker adds it
        PRIMARY KEY (answer_id, text),
        FOREIGN KEY (workspace, answer_id) REFERENCES verified_answers (workspace, id) ON DELETE CASCADE
    );
    CREATE INDEX phrasings_by_question ON phrasings (workspace, asked_as);
"""
# The audience of a source is looked up each time, by its path: as documents are shared differently, replaced or
# removed, nothing has to be brought in line. A source without an audience is for nobody.
FOR_ALL_WHO_MAY_READ_ITS_SOURCES = f"""
    NOT EXISTS (
        SELECT FROM jsonb_to_recordset(sources) AS cited (source_id bigint, path text)
        WHERE NOT coalesce((
            SELECT audiences.id FROM audiences
            WHERE audiences.source_id = cited.source_id
              AND (audiences.path IN ('', cited.path) OR starts_with(cited.path, audiences.path || '/'))
            ORDER BY length(audiences.path) DESC LIMIT 1
        ) = ANY ({READABLE}), false)
    )
"""
POLICIES = {
    "verified_answers": f"""
        workspace = {OURS} AND (
            '*' = ANY ({NAMES}) OR (place = ANY ({NAMES}) AND {FOR_ALL_WHO_MAY_READ_ITS_SOURCES})
        )
    """,
    "phrasings": f"""
        workspace = {OURS} AND EXISTS (SELECT FROM verified_answers WHERE verified_answers.id = answer_id)
    """,
}
# A person who deletes a question, or edits an answer in their own words, takes it back everywhere. What was
# kept may be for others to read than the one who does so.
TAKEN_BACK = """
    CREATE FUNCTION forget_verified_answers() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    BEGIN
        DELETE FROM public.verified_answers
        WHERE workspace = NEW.workspace
          AND (origin = 'message:' || NEW.message_key OR (NEW.status = 'removed' AND asked_as = NEW.message_key));
        DELETE FROM public.phrasings
        WHERE workspace = NEW.workspace AND NEW.status = 'removed' AND asked_as = NEW.message_key;
        RETURN NEW;
    END $$;
    REVOKE ALL ON FUNCTION forget_verified_answers FROM PUBLIC;
    CREATE TRIGGER taken_back AFTER UPDATE OF status, changed_at ON inbox
        FOR EACH ROW WHEN (NEW.status = 'removed' OR NEW.changed_at IS DISTINCT FROM OLD.changed_at)
        EXECUTE FUNCTION forget_verified_answers();
"""


def upgrade() -> None:
    op.execute(ANSWERS)
    for table, allowed in POLICIES.items():
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table} USING ({allowed});
            GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO askback_app;
        """)
    op.execute("GRANT USAGE ON SEQUENCE verified_answers_id_seq TO askback_app")
    op.execute(TAKEN_BACK)
