"""Who may read what: an audience for each source and for parts of it, under row-level security."""

from alembic import op

revision = "0021"
down_revision = "0020"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
READABLE = "coalesce(NULLIF(current_setting('askback.audiences', true), ''), '{}')::bigint[]"
"""What the transaction may read, by id; what is not set is nothing. The planner sees the value, so indexes serve it."""


def upgrade() -> None:
    op.execute(f"""
        CREATE TABLE audiences (
            id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            workspace  text NOT NULL,
            source_id  bigint NOT NULL,
            path       text NOT NULL,               -- below the source: a document or a folder; empty for all of it
            names      text[] NOT NULL,             -- everyone, guests, channel:C…, person:U…; none: nobody
            UNIQUE (workspace, id),
            UNIQUE (source_id, path),
            FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE
        );
        INSERT INTO audiences (workspace, source_id, path, names) SELECT workspace, id, '', '{{everyone}}' FROM sources;
        ALTER TABLE audiences ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON audiences USING (workspace = {OURS});
        GRANT SELECT, INSERT, UPDATE, DELETE ON audiences TO askback_app;
        GRANT USAGE ON SEQUENCE audiences_id_seq TO askback_app;

        ALTER TABLE documents ADD COLUMN audience_id bigint;
        ALTER TABLE passages ADD COLUMN audience_id bigint;
        UPDATE documents SET audience_id = audiences.id FROM audiences WHERE audiences.source_id = documents.source_id;
        UPDATE passages SET audience_id = documents.audience_id FROM documents WHERE documents.id = document_id;
        ALTER TABLE documents ALTER COLUMN audience_id SET NOT NULL,
            ADD FOREIGN KEY (workspace, audience_id) REFERENCES audiences (workspace, id) ON DELETE CASCADE,
            ADD UNIQUE (workspace, id, audience_id);
        -- A passage is for whom its document is for: the database sees to it.
        ALTER TABLE passages ALTER COLUMN audience_id SET NOT NULL,
            DROP CONSTRAINT passages_workspace_document_id_fkey,
            ADD FOREIGN KEY (workspace, document_id, audience_id)
                REFERENCES documents (workspace, id, audience_id) ON UPDATE CASCADE ON DELETE CASCADE;
        ALTER TABLE documents DROP CONSTRAINT documents_workspace_id_key;
        CREATE INDEX documents_by_audience ON documents (audience_id);
        DROP INDEX passages_by_workspace;
        CREATE INDEX passages_by_audience ON passages (workspace, model, audience_id);

        ALTER POLICY of_the_workspace ON documents USING (workspace = {OURS} AND audience_id = ANY ({READABLE}));
        ALTER POLICY of_the_workspace ON passages USING (workspace = {OURS} AND audience_id = ANY ({READABLE}));
    """)
    # It runs as the owner, whom no policy binds: without the audience it would tell how often words stand in what is
    # hidden, and give places to passages that the search then may not show.
    op.execute(f"""
        CREATE OR REPLACE FUNCTION passages_by_text(query text, wanted integer)
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
    """)
    op.execute(f"""
        CREATE TABLE memberships (
            workspace   text NOT NULL DEFAULT {OURS},
            person      text NOT NULL,
            channels    text[] NOT NULL DEFAULT '{{}}',
            asked_at    timestamptz NOT NULL DEFAULT 'epoch', -- when Slack was asked for the channels
            changed_at  timestamptz NOT NULL DEFAULT 'epoch', -- when Slack last said that they changed
            PRIMARY KEY (workspace, person)
        );
        ALTER TABLE memberships ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON memberships USING (workspace = {OURS});
        GRANT SELECT, INSERT, UPDATE, DELETE ON memberships TO askback_app;
    """)
