"""Knowledge: sources, documents, passages, vectors, places; who may read them; a text search that respects that."""

from alembic import op

revision = "0202"
down_revision = "0201"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
READABLE = "coalesce(NULLIF(current_setting('askback.audiences', true), ''), '{}')::bigint[]"
"""What the transaction may read, by id; none if unset. The planner sees the value, so it uses indexes."""
FUNCTION_ROLE = "askback_functions"
"""The role that sees, inside functions, more than the serving role may, and that can do nothing else."""
MOST = 4000
"""Passages that are read for each word of a query."""
TOGETHER = 5
"""The rarest words whose combinations propose passages."""
SAMPLE = "200.0"
"""Pages that are read to estimate how many passages are readable."""
PAGES = "greatest(1, pg_relation_size('public.passages') / 8192)"


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
        delete_after_days  integer CHECK (delete_after_days > 0),
        owner              text,                            -- the id of a person in Slack
        skipped            jsonb NOT NULL DEFAULT '{{}}',   -- by the last reading: how many, by suffix or reason
        skipped_paths      text[] NOT NULL DEFAULT '{{}}',  -- the first of them
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

    -- Documents that the source's own events told of, and that are to be read again; no word of them.
    CREATE TABLE reported_changes (
        workspace  text NOT NULL DEFAULT {OURS},
        source_id  bigint NOT NULL,
        path       text NOT NULL,
        change     uuid NOT NULL DEFAULT gen_random_uuid(),  -- another one with each report
        PRIMARY KEY (workspace, source_id, path),
        FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE
    );

    -- Messages that people added to knowledge; no words.
    CREATE TABLE added_messages (
        workspace   text NOT NULL DEFAULT {OURS},
        source_id   bigint NOT NULL,
        path        text NOT NULL,          -- the document: a thread, one message, or a file
        message_ts  text NOT NULL,          -- the message on which a person wished it
        writer      text NOT NULL,          -- who wrote that message
        added_by    text,                   -- none: this person was forgotten
        added_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (workspace, source_id, path),
        FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE
    );

    -- What was forgotten on request: it does not come back from a source or from Slack.
    CREATE TABLE forgotten (
        workspace  text NOT NULL DEFAULT {OURS},
        digest     bytea NOT NULL,                          -- SHA-256 of the kind and the name; no name is kept
        source_id  bigint,                                  -- of a document
        since      timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (workspace, digest),
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
        writers        text[] NOT NULL DEFAULT '{}',        -- whose words in Slack it holds, so they can be forgotten
        -- `translate` is not leakproof, so row-level security would keep an index on its result from being used.
        title_key      text GENERATED ALWAYS AS (md5(translate(title, '0123456789 .-_', ''))) STORED,
        UNIQUE (source_id, path),
        UNIQUE (workspace, id, audience_id),
        FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE,
        FOREIGN KEY (workspace, audience_id) REFERENCES audiences (workspace, id) ON DELETE CASCADE
    );
    CREATE INDEX documents_by_configuration ON documents (workspace, configuration);
    CREATE INDEX documents_by_audience ON documents (audience_id);
    CREATE INDEX documents_by_title ON documents (workspace, title_key, id);
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
        UNIQUE (document_id, position),
        UNIQUE (workspace, audience_id, id),
        -- The database keeps each passage's audience equal to its document's.
        FOREIGN KEY (workspace, document_id, audience_id)
            REFERENCES documents (workspace, id, audience_id) ON UPDATE CASCADE ON DELETE CASCADE
    );
    CREATE INDEX passages_by_words ON passages USING gin (words, (ARRAY[audience_id]));
"""
# A table of their own, so that passages can have vectors of two models while the model is changed. It also bounds what
# a search reads among a million passages.
EMBEDDINGS = """
    CREATE TABLE embeddings (
        workspace    text NOT NULL,
        passage_id   bigint NOT NULL,
        audience_id  bigint NOT NULL,
        model        text NOT NULL,
        embedding    halfvec,                               -- each model has its own dimensions; none: it was refused
        PRIMARY KEY (passage_id, model),
        -- The database keeps each vector's audience equal to its passage's.
        FOREIGN KEY (workspace, audience_id, passage_id)
            REFERENCES passages (workspace, audience_id, id) ON UPDATE CASCADE ON DELETE CASCADE
    );
    CREATE TABLE serving_models (
        workspace  text PRIMARY KEY,
        model      text NOT NULL                            -- searches compare vectors of this model only
    );
    CREATE INDEX embeddings_by_audience ON embeddings (workspace, model, audience_id);
    CREATE INDEX embeddings_by_minilm ON embeddings
        USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) WHERE model = 'all-minilm-l6-v2-int8';
    CREATE INDEX embeddings_by_e5 ON embeddings
        USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) WHERE model = 'multilingual-e5-small-q4';
    CREATE INDEX embeddings_refused ON embeddings (workspace, passage_id) WHERE embedding IS NULL;
"""
PLACES = """
    CREATE TABLE places (
        id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        workspace    text NOT NULL,
        source_id    bigint NOT NULL,                     -- of the kind 'places': one for each imported directory
        audience_id  bigint NOT NULL,
        key          text NOT NULL,                       -- what stays the same when the file is imported again
        name         text NOT NULL,
        kind         text NOT NULL,                       -- such as childcare
        address      text NOT NULL,
        latitude     double precision NOT NULL CHECK (latitude BETWEEN -90 AND 90),
        longitude    double precision NOT NULL CHECK (longitude BETWEEN -180 AND 180),
        is_exact     boolean NOT NULL,                    -- false: the middle of its city or postcode
        hours        text NOT NULL,                       -- as the file says it
        open_on      smallint[],                          -- 0 is Monday; none if the hours do not tell
        attributes   jsonb NOT NULL,
        words        text[] NOT NULL,                     -- stems of all that is known of it
        named        text[] NOT NULL,                     -- stems of its name, kind and city
        hash         text NOT NULL,                       -- of the line
        UNIQUE (source_id, key),
        FOREIGN KEY (workspace, source_id) REFERENCES sources (workspace, id) ON DELETE CASCADE,
        FOREIGN KEY (workspace, audience_id) REFERENCES audiences (workspace, id) ON DELETE CASCADE
    );
    CREATE INDEX places_by_kind ON places (workspace, kind, latitude);
    CREATE INDEX places_by_audience ON places (audience_id);

    CREATE TABLE postcodes (
        workspace  text NOT NULL,
        country    text NOT NULL,                         -- ISO 3166-1, two letters
        code       text NOT NULL,                         -- in capitals, without spaces and hyphens
        city       text NOT NULL,
        latitude   double precision NOT NULL CHECK (latitude BETWEEN -90 AND 90),
        longitude  double precision NOT NULL CHECK (longitude BETWEEN -180 AND 180),
        PRIMARY KEY (workspace, code, country)
    );
"""
VERSIONS = """
    -- Every change of what can be found, or of who may read it, gives a workspace another version.
    CREATE TABLE knowledge_versions (
        workspace  text PRIMARY KEY,
        version    uuid NOT NULL DEFAULT gen_random_uuid()  -- never used twice, not even after a backup was restored
    );
"""
# `@@` is not leakproof, so row-level security would keep the index on words from being used. This function therefore
# runs as another role. It takes the workspace and the audiences from the same settings as the policies, because else it
# would tell how often words stand in hidden passages. It returns ids and ranks only.
# ts_rank knows no inverse document frequency; each lexeme is ranked alone and weighted by its own.
# Of each lexeme at most MOST passages are read, in the order of pages. How far on that was tells how frequent the
# lexeme is. Rare lexemes propose all their passages. Of frequent ones, passages with many of them are
# proposed. Each lexeme ranks what was proposed.
TEXT_SEARCH = f"""
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
        -- A lookup for each, because the planner does not know how few they are.
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
# It runs as the role of functions, because the serving role may only read versions. The setting ends with the
# transaction, so a document of a thousand passages writes the version once.
CHANGED = """
    CREATE FUNCTION knowledge_changed() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    DECLARE
        changed text := coalesce(NEW.workspace, OLD.workspace);
    BEGIN
        IF current_setting('askback.changed', true) IS DISTINCT FROM changed THEN
            INSERT INTO public.knowledge_versions (workspace) VALUES (changed)
            ON CONFLICT (workspace) DO UPDATE SET version = gen_random_uuid();
            PERFORM set_config('askback.changed', changed, true);
        END IF;
        RETURN NULL;
    END
    $$;
    REVOKE ALL ON FUNCTION knowledge_changed FROM PUBLIC;
"""
# Deferred to the commit: the version is the last lock of a transaction, so no two of them wait for each other.
TRIGGER = """
    CREATE CONSTRAINT TRIGGER knowledge_changed AFTER {events} ON {table}
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW {condition} EXECUTE FUNCTION knowledge_changed()
"""
# A reading that found nothing new updates only other columns of its source.
SOURCE_DIFFERS = """
    WHEN ((OLD.location, OLD.kind, OLD.stale_after_days)
          IS DISTINCT FROM (NEW.location, NEW.kind, NEW.stale_after_days))
"""

OF_THE_WORKSPACE = f"workspace = {OURS}"
OF_THE_READABLE = f"workspace = {OURS} AND audience_id = ANY ({READABLE})"
POLICIES = {
    **dict.fromkeys(
        ("sources", "failures", "reported_changes", "added_messages", "forgotten", "audiences", "memberships",
         "serving_models", "postcodes"),
        OF_THE_WORKSPACE,
    ),
    **dict.fromkeys(("documents", "passages", "embeddings", "places"), OF_THE_READABLE),
}  # fmt: skip
COUNTED = ("sources", "audiences", "documents", "passages", "places")
SEEN_BY_FUNCTIONS = {
    # `@@` is not leakproof, so a policy with a condition would keep the index on words from being used. The role
    # reads no text, only what was made of its words, and the function asks for the workspace and the audiences itself.
    "passages": ("SELECT (ctid, id, workspace, audience_id, configuration, words)", "true"),
    "documents": ("SELECT (workspace, audience_id, configuration)", OF_THE_READABLE),
    # It holds no words, and the owner changes sources without a workspace.
    "knowledge_versions": ("SELECT (workspace), INSERT (workspace), UPDATE (version)", "true"),
}
"""What the role of functions may do in a table, and in which rows."""


def upgrade() -> None:
    for statements in (SOURCES, AUDIENCES, DOCUMENTS, PASSAGES, EMBEDDINGS, PLACES, VERSIONS, TEXT_SEARCH, CHANGED):
        op.execute(statements)
    for table, allowed in POLICIES.items():
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table} TO {_readers(table)} USING ({allowed});
            GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO askback_app;
        """)
    for table in COUNTED:
        op.execute(f"GRANT USAGE ON SEQUENCE {table}_id_seq TO askback_app")
    op.execute(f"""
        ALTER TABLE knowledge_versions ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_the_workspace ON knowledge_versions FOR SELECT TO askback_app USING ({OF_THE_WORKSPACE});
        GRANT SELECT ON knowledge_versions TO askback_app;
    """)
    op.execute(TRIGGER.format(events="UPDATE", table="sources", condition=SOURCE_DIFFERS))
    for table in ("audiences", "documents", "passages", "serving_models"):
        op.execute(TRIGGER.format(events="INSERT OR UPDATE OR DELETE", table=table, condition=""))
    _let_functions_see()


def _readers(table: str) -> str:
    return "askback_app" if table in SEEN_BY_FUNCTIONS else "PUBLIC"


def _let_functions_see() -> None:
    for table, (rights, rows) in SEEN_BY_FUNCTIONS.items():
        op.execute(f"""
            CREATE POLICY of_functions ON {table} TO {FUNCTION_ROLE} USING ({rows});
            GRANT {rights} ON {table} TO {FUNCTION_ROLE};
        """)
    # A function's new owner must be able to create it where it is.
    op.execute(f"GRANT USAGE, CREATE ON SCHEMA public TO {FUNCTION_ROLE}")
    for function in ("passages_by_text", "knowledge_changed"):
        op.execute(f"ALTER FUNCTION {function} OWNER TO {FUNCTION_ROLE}")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {FUNCTION_ROLE}")
