"""Knowledge: sources, documents and passages, who may read them, and a text search that respects that."""

from alembic import op

revision = "0102"
down_revision = "0101"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
READABLE = "coalesce(NULLIF(current_setting('askback.audiences', true), ''), '{}')::bigint[]"
"""What the transaction may read, by id; none if unset. The planner sees the value, so it uses indexes."""

SOURCES = f"""
    CREATE TABLE sources (
        id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        workspace         text NOT NULL,
        location          text NOT NULL,                    -- a folder, a file, an address
        kind              text NOT NULL DEFAULT 'files',
        was_added         boolean NOT NULL DEFAULT false,   -- by `askback sources add`: it stays without documents
        every             interval,                         -- none: it is read on command only
        is_paused         boolean NOT NULL DEFAULT false,
        cursor            text NOT NULL DEFAULT '',         -- how far it was read, as its kind says it
        synced_at         timestamptz,
        error             text NOT NULL DEFAULT '',         -- why nothing could be read the last time
        stale_after_days  integer CHECK (stale_after_days > 0),
        UNIQUE (workspace, location),
        UNIQUE (workspace, id)
    );

    CREATE TABLE failures (
        workspace  text NOT NULL DEFAULT {OURS},
        source_id  bigint NOT NULL,
        path       text NOT NULL,
        reason     text NOT NULL,
        PRIMARY KEY (workspace, source_id, path),
        FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE
    );
"""
AUDIENCES = f"""
    CREATE TABLE audiences (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        workspace  text NOT NULL,
        source_id  bigint NOT NULL,
        path       text NOT NULL,                           -- a document or folder of the source; empty: all of it
        names      text[] NOT NULL,                         -- everyone, guests, channel:C…, person:U…; none: nobody
        UNIQUE (workspace, id),
        UNIQUE (source_id, path),
        FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE
    );

    CREATE TABLE memberships (
        workspace   text NOT NULL DEFAULT {OURS},
        person      text NOT NULL,
        channels    text[] NOT NULL DEFAULT '{{}}',
        asked_at    timestamptz NOT NULL DEFAULT 'epoch',   -- when we asked Slack for the channels
        changed_at  timestamptz NOT NULL DEFAULT 'epoch',   -- when Slack last said that they changed
        PRIMARY KEY (workspace, person)
    );
"""
DOCUMENTS = """
    CREATE TABLE documents (
        id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        workspace      text NOT NULL,
        source_id      bigint NOT NULL,
        audience_id    bigint NOT NULL,
        path           text NOT NULL,                       -- below the source, with /
        hash           text NOT NULL,                       -- of the content, the way it is split, and the model
        title          text NOT NULL,
        url            text,
        dated          date,
        language       text NOT NULL,                       -- ISO 639-1
        configuration  regconfig NOT NULL,                  -- for full text
        attributes     jsonb NOT NULL,
        UNIQUE (source_id, path),
        UNIQUE (workspace, id, audience_id),
        FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE,
        FOREIGN KEY (workspace, audience_id) REFERENCES audiences (workspace, id) ON DELETE CASCADE
    );
    CREATE INDEX documents_by_configuration ON documents (workspace, configuration);
    CREATE INDEX documents_by_audience ON documents (audience_id);
"""
PASSAGES = """
    CREATE TABLE passages (
        id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        workspace      text NOT NULL,
        document_id    bigint NOT NULL,
        audience_id    bigint NOT NULL,
        position       integer NOT NULL,
        heading_path   text[] NOT NULL,
        text           text NOT NULL,
        configuration  regconfig NOT NULL,
        words          tsvector NOT NULL,                   -- title A, headings B, text D
        model          text NOT NULL,
        embedding      halfvec NOT NULL,                    -- untyped: each model has its own dimensions and index
        UNIQUE (document_id, position),
        -- The database keeps each passage's audience equal to its document's.
        FOREIGN KEY (workspace, document_id, audience_id)
            REFERENCES documents (workspace, id, audience_id) ON UPDATE CASCADE ON DELETE CASCADE
    );
    CREATE INDEX passages_by_audience ON passages (workspace, model, audience_id);
    CREATE INDEX passages_by_words ON passages USING gin (words);
    CREATE INDEX passages_by_minilm ON passages
        USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) WHERE model = 'all-minilm-l6-v2-int8';
    CREATE INDEX passages_by_e5 ON passages
        USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) WHERE model = 'multilingual-e5-small-q4';
"""
# `@@` is not leakproof, so row-level security would keep the index on words from being used. This function therefore
# runs as the owner. It takes the workspace and the audiences from the same settings as the policies, for else it would
# tell how often words stand in hidden passages. It returns ids and ranks only.
# ts_rank knows no inverse document frequency; each lexeme is ranked alone and weighted by its own.
TEXT_SEARCH = f"""
    CREATE FUNCTION passages_by_text(query text, wanted integer)
        RETURNS TABLE (id bigint, rank double precision)
        LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
        SET search_path = pg_catalog, public, pg_temp
    AS $$
        WITH lexemes AS (
            SELECT configuration, lexeme, quote_literal(lexeme)::tsquery AS sought
            FROM (SELECT DISTINCT configuration FROM public.documents
                  WHERE workspace = {OURS} AND audience_id = ANY ({READABLE})) AS used,
                 unnest(tsvector_to_array(to_tsvector(configuration, query))) AS lexeme
        ), matches AS (
            SELECT passage.id, ts_rank('{{0.4, 0.4, 0.7, 1.0}}', passage.words, sought, 1) AS weight,
                   count(*) OVER (PARTITION BY lexemes.configuration, lexeme) AS frequency
            FROM lexemes JOIN public.passages AS passage
                ON passage.words @@ sought AND passage.configuration = lexemes.configuration
            WHERE passage.workspace = {OURS} AND passage.audience_id = ANY ({READABLE})
        ), total AS (
            SELECT count(*) AS passages FROM public.passages
            WHERE workspace = {OURS} AND audience_id = ANY ({READABLE})
        )
        SELECT matches.id, sum(weight * ln(1 + (passages - frequency + 0.5) / (frequency + 0.5))) AS rank
        FROM matches, total GROUP BY matches.id ORDER BY rank DESC, matches.id LIMIT wanted
    $$;
    REVOKE ALL ON FUNCTION passages_by_text FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION passages_by_text TO askback_app;
"""
POLICIES = {
    "sources": f"workspace = {OURS}",
    "failures": f"workspace = {OURS}",
    "audiences": f"workspace = {OURS}",
    "memberships": f"workspace = {OURS}",
    "documents": f"workspace = {OURS} AND audience_id = ANY ({READABLE})",
    "passages": f"workspace = {OURS} AND audience_id = ANY ({READABLE})",
}
COUNTED = ("sources", "audiences", "documents", "passages")


def upgrade() -> None:
    for tables in (SOURCES, AUDIENCES, DOCUMENTS, PASSAGES):
        op.execute(tables)
    for table, allowed in POLICIES.items():
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table} USING ({allowed});
            GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO askback_app;
        """)
    for table in COUNTED:
        op.execute(f"GRANT USAGE ON SEQUENCE {table}_id_seq TO askback_app")
    op.execute(TEXT_SEARCH)
