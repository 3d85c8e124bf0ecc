"""Sources, documents and passages, their indexes, and the text search that row-level security would slow down."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("""
        CREATE TABLE sources (
            id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            workspace    text NOT NULL,
            location     text NOT NULL,             -- a folder or a file
            UNIQUE (workspace, location)
        );

        CREATE TABLE documents (
            id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            workspace      text NOT NULL,
            source_id      bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
            path           text NOT NULL,           -- below the source, with /
            hash           text NOT NULL,           -- of the content, the way it is split, and the model
            title          text NOT NULL,
            url            text,
            dated          date,
            language       text NOT NULL,           -- ISO 639-1
            configuration  regconfig NOT NULL,      -- for full text
            attributes     jsonb NOT NULL,
            UNIQUE (source_id, path)
        );
        CREATE INDEX documents_by_configuration ON documents (workspace, configuration);

        CREATE TABLE passages (
            id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            workspace      text NOT NULL,
            document_id    bigint NOT NULL REFERENCES documents ON DELETE CASCADE,
            position       integer NOT NULL,
            heading_path   text[] NOT NULL,
            text           text NOT NULL,
            configuration  regconfig NOT NULL,
            words          tsvector NOT NULL,       -- title A, headings B, text D
            model          text NOT NULL,
            embedding      halfvec NOT NULL,        -- untyped: each model has its own dimensions and index
            UNIQUE (document_id, position)
        );
        CREATE INDEX passages_by_workspace ON passages (workspace, model);
        CREATE INDEX passages_by_words ON passages USING gin (words);
        CREATE INDEX passages_by_minilm ON passages
            USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) WHERE model = 'all-minilm-l6-v2-int8';
    """)
    for table in ("sources", "documents", "passages"):
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table}
                USING (workspace = current_setting('askback.workspace', true));
            GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO askback_app;
            GRANT USAGE ON SEQUENCE {table}_id_seq TO askback_app;
        """)
    # `@@` is not leakproof, so under row-level security the index on words is not used. This function runs as the
    # owner, takes the workspace from the same setting as the policy, and tells ids and ranks only.
    # ts_rank knows no inverse document frequency; each lexeme is ranked alone and weighted by its own.
    op.execute("""
        CREATE FUNCTION passages_by_text(query text, wanted integer)
            RETURNS TABLE (id bigint, rank double precision)
            LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
            SET search_path = pg_catalog, public, pg_temp
        AS $$
            WITH lexemes AS (
                SELECT configuration, lexeme, quote_literal(lexeme)::tsquery AS sought
                FROM (SELECT DISTINCT configuration FROM public.documents
                      WHERE workspace = current_setting('askback.workspace', true)) AS used,
                     unnest(tsvector_to_array(to_tsvector(configuration, query))) AS lexeme
            ), matches AS (
                SELECT passage.id, ts_rank('{0.4, 0.4, 0.7, 1.0}', passage.words, sought, 1) AS weight,
                       count(*) OVER (PARTITION BY lexemes.configuration, lexeme) AS frequency
                FROM lexemes JOIN public.passages AS passage
                    ON passage.words @@ sought AND passage.configuration = lexemes.configuration
                WHERE passage.workspace = current_setting('askback.workspace', true)
            ), total AS (
                SELECT count(*) AS passages FROM public.passages
                WHERE workspace = current_setting('askback.workspace', true)
            )
            SELECT matches.id, sum(weight * ln(1 + (passages - frequency + 0.5) / (frequency + 0.5))) AS rank
            FROM matches, total GROUP BY matches.id ORDER BY rank DESC, matches.id LIMIT wanted
        $$;
        REVOKE ALL ON FUNCTION passages_by_text FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION passages_by_text TO askback_app;
    """)
