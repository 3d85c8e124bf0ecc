"""Knowledge versions: every change of what can be found, or of who may read it, gives a workspace another version."""

from alembic import op

revision = "0107"
down_revision = "0105"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
VERSIONS = f"""
    CREATE TABLE knowledge_versions (
        workspace  text PRIMARY KEY,
        version    uuid NOT NULL DEFAULT gen_random_uuid()  -- never used twice, not even after a backup was restored
    );
    INSERT INTO knowledge_versions (workspace) SELECT DISTINCT workspace FROM sources;
    ALTER TABLE knowledge_versions ENABLE ROW LEVEL SECURITY;
    CREATE POLICY of_the_workspace ON knowledge_versions FOR SELECT USING (workspace = {OURS});
    GRANT SELECT ON knowledge_versions TO askback_app;
"""
# It runs as the owner, because the serving role may only read versions. The setting ends with the transaction, so a
# document of a thousand passages writes the version once.
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


def upgrade() -> None:
    op.execute(VERSIONS)
    op.execute(CHANGED)
    op.execute(TRIGGER.format(events="UPDATE", table="sources", condition=SOURCE_DIFFERS))
    for table in ("audiences", "documents", "passages"):
        op.execute(TRIGGER.format(events="INSERT OR UPDATE OR DELETE", table=table, condition=""))
