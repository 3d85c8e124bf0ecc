"""Places: directories of places with their coordinates, and tables of postcodes."""

from alembic import op

revision = "0104"
down_revision = "0103"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
"""The workspace of the transaction. If it is unset or empty, no row is read or written."""
READABLE = "coalesce(NULLIF(current_setting('askback.audiences', true), ''), '{}')::bigint[]"
"""What the transaction may read, by id; none if unset."""

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
"""
POSTCODES = """
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
POLICIES = {
    "places": f"workspace = {OURS} AND audience_id = ANY ({READABLE})",
    "postcodes": f"workspace = {OURS}",
}


def upgrade() -> None:
    for tables in (PLACES, POSTCODES):
        op.execute(tables)
    for table, allowed in POLICIES.items():
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table} USING ({allowed});
            GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO askback_app;
        """)
    op.execute("GRANT USAGE ON SEQUENCE places_id_seq TO askback_app")
