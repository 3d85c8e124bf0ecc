"""Contributions: verified answers with their phrasings and readers, flags of documents, and who reported them."""

from alembic import op

revision = "0203"
down_revision = "0202"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
READABLE = "coalesce(NULLIF(current_setting('askback.audiences', true), ''), '{}')::bigint[]"
"""The audiences that the transaction may read, by id; none if unset."""
NAMES = "coalesce(NULLIF(current_setting('askback.names', true), ''), '{}')::text[]"
"""The names under which the transaction reads; none if unset."""
FUNCTION_ROLE = "askback_functions"
"""The role that sees, inside functions, more than the serving role may, and that can do nothing else."""

ANSWERS = f"""
    CREATE TABLE verified_answers (
        workspace          text NOT NULL DEFAULT {OURS},
        id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        origin             text NOT NULL,                   -- what it was kept from: a review, a message
        asked_as           text NOT NULL,                   -- the key of the question's message
        question           text NOT NULL,
        text               text NOT NULL,                   -- Markdown, with [n] for its sources
        sources            jsonb NOT NULL,                  -- of each: source_id, path, title, heading, dated, digest
        writer             text NOT NULL,
        writer_name        text NOT NULL,                   -- as people read it
        place              text NOT NULL,                   -- for whom it was written: everyone, channel:C…
        kept_at            timestamptz NOT NULL,
        valid_until        timestamptz NOT NULL,
        retired_at         timestamptz,
        retired_by         text,
        used               integer NOT NULL DEFAULT 0,
        askers_told_at     timestamptz,                     -- when those who had asked in vain were told
        holds_asked_at     timestamptz,                     -- when its last users were asked whether it held
        disputed_by        bigint,                          -- the passage that was told beside it, no foreign key
        dispute_asked_at   timestamptz,                     -- when its writer was asked which one is right
        objection_told_at  timestamptz,                     -- when its writer was told that people object to it
        UNIQUE (workspace, id),
        UNIQUE (workspace, origin)
    );
    CREATE INDEX verified_answers_by_question ON verified_answers (workspace, asked_as);
    CREATE INDEX verified_answers_by_end ON verified_answers (workspace, valid_until)
        WHERE retired_at IS NULL AND holds_asked_at IS NULL;
    CREATE INDEX verified_answers_untold ON verified_answers (workspace, id)
        WHERE retired_at IS NULL AND askers_told_at IS NULL;

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

    -- Whom an answer was told, so that these people can be asked whether it held.
    CREATE TABLE tellings (
        workspace  text NOT NULL DEFAULT {OURS},
        answer_id  bigint NOT NULL,
        person     text NOT NULL,
        asked_ts   text NOT NULL,                       -- the ts of the question's message
        told_at    timestamptz NOT NULL,
        PRIMARY KEY (answer_id, asked_ts),
        FOREIGN KEY (workspace, answer_id) REFERENCES verified_answers (workspace, id) ON DELETE CASCADE
    );
    CREATE INDEX tellings_by_question ON tellings (workspace, asked_ts);
    CREATE INDEX tellings_by_person ON tellings (workspace, person);
"""
# A document that changes is replaced, so its flags go with it.
FLAGS = f"""
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
"""
# A flag goes with its document, and who reported it is told of that: so a report has the document's place.
REPORTS = f"""
    CREATE TABLE reports (
        workspace    text NOT NULL DEFAULT {OURS},
        id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        document_id  bigint NOT NULL,       -- the document as it was, no foreign key: it may be replaced
        source_id    bigint NOT NULL,
        path         text NOT NULL,
        title        text NOT NULL,
        inbox_id     bigint NOT NULL,       -- the answer that the reader disliked
        person       text NOT NULL,         -- the reader
        reported_at  timestamptz NOT NULL,
        UNIQUE (workspace, inbox_id, person, document_id),
        FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE,
        FOREIGN KEY (workspace, inbox_id, person) REFERENCES feedback (workspace, inbox_id, person)
            ON DELETE CASCADE
    );
    CREATE INDEX reports_by_source ON reports (workspace, source_id, path);
"""
# The audience of a source is looked up each time, by its path: as documents are shared differently, replaced or
# removed, nothing has to be brought in line. A source without an audience is for nobody.
AUDIENCE_OF = """
    coalesce((
        SELECT audiences.id FROM audiences
        WHERE audiences.source_id = {0}.source_id
          AND (audiences.path IN ('', {0}.path) OR starts_with({0}.path, audiences.path || '/'))
        ORDER BY length(audiences.path) DESC LIMIT 1
    ) = ANY ({1}), false)
"""
FOR_ALL_WHO_MAY_READ_ITS_SOURCES = f"""
    NOT EXISTS (
        SELECT FROM jsonb_to_recordset(sources) AS cited (source_id bigint, path text)
        WHERE NOT {AUDIENCE_OF.format("cited", READABLE)}
    )
"""
OF_A_READABLE_ANSWER = f"""
    workspace = {OURS} AND EXISTS (SELECT FROM verified_answers WHERE verified_answers.id = answer_id)
"""
POLICIES = {
    "verified_answers": f"""
        workspace = {OURS} AND (
            '*' = ANY ({NAMES}) OR (place = ANY ({NAMES}) AND {FOR_ALL_WHO_MAY_READ_ITS_SOURCES})
        )
    """,
    "phrasings": OF_A_READABLE_ANSWER,
    "tellings": OF_A_READABLE_ANSWER,
    "flags": f"""
        workspace = {OURS} AND audience_id = ANY ({READABLE})
        AND (other_id IS NULL OR other_audience_id = ANY ({READABLE}))
    """,
    "reports": f"workspace = {OURS} AND {AUDIENCE_OF.format('reports', READABLE)}",
}
COUNTED = ("verified_answers", "flags", "reports")
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
# A search says which documents are flagged, so its result changes with the flags.
CHANGED = """
    CREATE CONSTRAINT TRIGGER knowledge_changed AFTER INSERT OR DELETE OR UPDATE OF reason, settled_at ON flags
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION knowledge_changed()
"""
SEEN_BY_FUNCTIONS = {
    "verified_answers": "DELETE, SELECT (workspace, origin, asked_as)",
    "phrasings": "DELETE, SELECT (workspace, asked_as)",
}
"""What the role of functions may do in a table, in the rows of the transaction's workspace."""


def upgrade() -> None:
    for tables in (ANSWERS, FLAGS, REPORTS):
        op.execute(tables)
    for table, allowed in POLICIES.items():
        readers = "askback_app" if table in SEEN_BY_FUNCTIONS else "PUBLIC"
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table} TO {readers} USING ({allowed});
            GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO askback_app;
        """)
    for table in COUNTED:
        op.execute(f"GRANT USAGE ON SEQUENCE {table}_id_seq TO askback_app")
    for statements in (TAKEN_BACK, CHANGED):
        op.execute(statements)
    _let_functions_see()


def _let_functions_see() -> None:
    for table, rights in SEEN_BY_FUNCTIONS.items():
        op.execute(f"""
            CREATE POLICY of_functions ON {table} TO {FUNCTION_ROLE} USING (workspace = {OURS});
            GRANT {rights} ON {table} TO {FUNCTION_ROLE};
        """)
    # A function's new owner must be able to create it where it is.
    op.execute(f"GRANT CREATE ON SCHEMA public TO {FUNCTION_ROLE}")
    op.execute(f"ALTER FUNCTION forget_verified_answers OWNER TO {FUNCTION_ROLE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {FUNCTION_ROLE}")
