"""Embeddings: a table of their own, so that passages can have vectors of two models while the model is changed.

It also bounds what a search reads among a million passages.
"""

from alembic import op

revision = "0108"
down_revision = "0107"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
READABLE = "coalesce(NULLIF(current_setting('askback.audiences', true), ''), '{}')::bigint[]"
"""What the transaction may read, by id; none if unset. The planner sees the value, so it uses indexes."""
MOST = 4000
"""Passages that are read for each word of a query."""
TOGETHER = 5
"""The rarest words whose combinations propose passages."""
SAMPLE = "200.0"
"""Pages that are read to estimate how many passages are readable."""
PAGES = "greatest(1, pg_relation_size('public.passages') / 8192)"

EMBEDDINGS = """
    ALTER TABLE passages ADD UNIQUE (workspace, audience_id, id);
    CREATE TABLE embeddings (
        workspace    text NOT NULL,
        passage_id   bigint NOT NULL,
        audience_id  bigint NOT NULL,
        model        text NOT NULL,
        embedding    halfvec NOT NULL,                      -- untyped: each model has its own dimensions and index
        PRIMARY KEY (passage_id, model),
        -- The database keeps each vector's audience equal to its passage's.
        FOREIGN KEY (workspace, audience_id, passage_id)
            REFERENCES passages (workspace, audience_id, id) ON UPDATE CASCADE ON DELETE CASCADE
    );
    CREATE TABLE serving_models (
        workspace  text PRIMARY KEY,
        model      text NOT NULL                            -- searches compare vectors of this model only
    );
"""
# A workspace whose model was being changed keeps the one that most passages have; the next reading adds the others.
MOVED = """
    INSERT INTO embeddings SELECT workspace, id, audience_id, model, embedding FROM passages;
    INSERT INTO serving_models
    SELECT DISTINCT ON (workspace) workspace, model FROM passages
    GROUP BY workspace, model ORDER BY workspace, count(*) DESC, model;
    DROP INDEX passages_by_audience, passages_by_words;
    ALTER TABLE passages DROP COLUMN model, DROP COLUMN embedding;
"""
INDEXES = """
    CREATE INDEX embeddings_by_audience ON embeddings (workspace, model, audience_id);
    CREATE INDEX embeddings_by_minilm ON embeddings
        USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) WHERE model = 'all-minilm-l6-v2-int8';
    CREATE INDEX embeddings_by_e5 ON embeddings
        USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) WHERE model = 'multilingual-e5-small-q4';
    CREATE INDEX passages_by_words ON passages USING gin (words, (ARRAY[audience_id]));
"""
# `translate` is not leakproof, so under row-level security only a column with its result can be looked up by an index.
TITLES = """
    ALTER TABLE documents
        ADD COLUMN title_key text GENERATED ALWAYS AS (md5(translate(title, '0123456789 .-_', ''))) STORED;
    CREATE INDEX documents_by_title ON documents (workspace, title_key, id);
"""
# `@@` is not leakproof, so row-level security would keep the index on words from being used. This function therefore
# runs as the owner. It takes the workspace and the audiences from the same settings as the policies, for else it would
# tell how often words stand in hidden passages. It returns ids and ranks only.
# ts_rank knows no inverse document frequency; each lexeme is ranked alone and weighted by its own.
# Of each lexeme at most MOST passages are read, in the order of pages. How far on that was tells how frequent the
# lexeme is. Rare lexemes propose all their passages. Of frequent ones, passages with many of them are
# proposed. Each lexeme ranks what was proposed.
TEXT_SEARCH = f"""
    DROP FUNCTION passages_by_text;
    CREATE FUNCTION passages_by_text(query text, wanted integer)
        RETURNS TABLE (id bigint, rank double precision)
        LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
        SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET enable_mergejoin = off
    AS $$
        WITH lexemes AS MATERIALIZED (
            SELECT used.configuration, lexeme, quote_literal(lexeme)::tsquery AS sought
            FROM (SELECT oid::regconfig AS configuration FROM pg_ts_config) AS used,
                 unnest(tsvector_to_array(to_tsvector(used.configuration, query))) AS lexeme
            WHERE EXISTS (SELECT FROM public.documents
                          WHERE workspace = {OURS} AND documents.configuration = used.configuration)
        ), size AS MATERIALIZED (
            SELECT count(*) AS passages
            FROM (SELECT FROM public.passages
                  WHERE workspace = {OURS} AND audience_id = ANY ({READABLE}) LIMIT 5 * {MOST}) AS counted
        ), sampled AS MATERIALIZED (
            SELECT count(*) FILTER (WHERE workspace = {OURS} AND audience_id = ANY ({READABLE})) AS readable,
                   count(*) AS passages, least(1, {SAMPLE} / {PAGES}) AS share
            FROM public.passages TABLESAMPLE SYSTEM (100 * least(1, {SAMPLE} / {PAGES})) REPEATABLE (0)
            WHERE (SELECT passages FROM size) = 5 * {MOST}
        ), total AS MATERIALIZED (
            SELECT greatest(size.passages, readable / share) AS passages, 4 * readable > sampled.passages AS is_wide
            FROM size, sampled
        ), hits AS MATERIALIZED (
            SELECT lexeme, sought, hit.id, hit.configuration, hit.page
            FROM (SELECT lexeme, sought, array_agg(configuration) AS configurations
                  FROM lexemes GROUP BY lexeme, sought) AS sought_once
            CROSS JOIN LATERAL (
                -- Who may read much is not looked up in the index: a filter finds enough soon.
                (SELECT passage.id, passage.configuration, (passage.ctid::text::point)[0] AS page
                 FROM public.passages AS passage
                 WHERE passage.words @@ sought AND passage.configuration = ANY (configurations)
                       AND passage.workspace = {OURS} AND passage.audience_id = ANY ({READABLE})
                       AND (SELECT is_wide FROM total)
                 LIMIT {MOST})
                UNION ALL
                (SELECT passage.id, passage.configuration, (passage.ctid::text::point)[0]
                 FROM public.passages AS passage
                 WHERE passage.words @@ sought AND passage.configuration = ANY (configurations)
                       AND passage.workspace = {OURS} AND ARRAY[passage.audience_id] && {READABLE}
                       AND NOT (SELECT is_wide FROM total)
                 LIMIT {MOST})
            ) AS hit
        ), counted AS (
            SELECT DISTINCT configuration, lexeme, sought, count(*) OVER one AS hits,
                   CASE WHEN count(*) OVER (PARTITION BY lexeme) < {MOST} THEN count(*) OVER one
                        ELSE count(*) OVER one * {PAGES} / (max(page) OVER (PARTITION BY lexeme) + 1) END AS frequency
            FROM hits WINDOW one AS (PARTITION BY lexeme, configuration)
        ), weighed AS MATERIALIZED (
            SELECT configuration, lexeme, sought, hits,
                   ln(1 + (passages - least(frequency, passages) + 0.5) / (frequency + 0.5)) AS weight,
                   sum(hits) OVER (ORDER BY frequency, configuration, lexeme) AS so_far
            FROM counted, total
        ), subsets AS (
            SELECT configuration, subset, count(*) AS size, string_agg(sought::text, ' & ') AS together
            FROM (SELECT configuration, sought, sum(hits) OVER (PARTITION BY configuration) AS hits,
                         (row_number() OVER (PARTITION BY configuration
                                             ORDER BY weight DESC, lexeme))::integer AS number
                  FROM weighed) AS rarest
            JOIN generate_series(1, (1 << {TOGETHER}) - 1) AS subset ON subset & (1 << (number - 1)) > 0
            WHERE number <= {TOGETHER} AND hits > 2 * {MOST}
            GROUP BY configuration, subset HAVING count(*) > 1
        ), proposed AS MATERIALIZED (
            SELECT hits.id FROM hits JOIN weighed USING (configuration, lexeme)
            WHERE so_far <= 2 * {MOST} OR so_far = weighed.hits
            UNION
            (SELECT hit.id
             FROM (SELECT configuration, size, string_agg(DISTINCT together, ' | ')::tsquery AS sought FROM subsets
                   GROUP BY configuration, size ORDER BY size DESC) AS several
             CROSS JOIN LATERAL (
                 SELECT passage.id FROM public.passages AS passage
                 WHERE passage.words @@ several.sought AND passage.configuration = several.configuration
                       AND passage.workspace = {OURS} AND ARRAY[passage.audience_id] && {READABLE}
                 LIMIT {MOST}
             ) AS hit
             LIMIT 2 * {MOST})
        )
        -- A lookup for each, for the planner does not know how few they are.
        SELECT proposed.id, ranked.rank FROM proposed CROSS JOIN LATERAL (
            SELECT sum(weight * ts_rank('{{0.4, 0.4, 0.7, 1.0}}', passage.words, sought, 1)) AS rank
            FROM public.passages AS passage JOIN weighed USING (configuration)
            WHERE passage.id = proposed.id AND passage.words @@ sought
        ) AS ranked
        ORDER BY rank DESC, id LIMIT wanted
    $$;
    REVOKE ALL ON FUNCTION passages_by_text FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION passages_by_text TO askback_app;
"""
POLICIES = {
    "embeddings": f"workspace = {OURS} AND audience_id = ANY ({READABLE})",
    "serving_models": f"workspace = {OURS}",
}
# Another model finds other passages, so it is another version of the knowledge.
CHANGED = """
    CREATE CONSTRAINT TRIGGER knowledge_changed AFTER INSERT OR UPDATE OR DELETE ON serving_models
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION knowledge_changed()
"""


def upgrade() -> None:
    for statements in (EMBEDDINGS, MOVED, INDEXES, TITLES, TEXT_SEARCH):
        op.execute(statements)
    for table, allowed in POLICIES.items():
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table} USING ({allowed});
            GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO askback_app;
        """)
    op.execute(CHANGED)
