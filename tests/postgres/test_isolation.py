"""No workspace reads or writes another one's rows: every table of the catalogue, and every statement of ours."""

import ast
import json
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors, sql

from bot.postgres.serving_role import WORDLESS
from tests.conftest import cloned
from tests.support.databases import as_app

BOT = Path(__file__).parents[2] / "bot"
ROWS = {
    "inbox": """
        INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, message_key, address, content,
                           due_at, reference, received_at)
        VALUES ('slack', %(w)s, %(w)s || ':C0:1', 1, 'turn', 'Ev1', 'C0:1', '{}', '{}', now(), 'R1', now())
    """,
    "asks": """
        INSERT INTO asks (workspace, kind, token, inbox_id, thread_id, channel, interrupt_id, payload, status, asked_at,
                          due_at)
        SELECT workspace, 'review', 'token of ' || %(w)s, id, thread_id, 'C0', 'i', '{}', 'open', now(), now()
        FROM inbox WHERE workspace = %(w)s
    """,
    "messages": """
        INSERT INTO messages (workspace, inbox_id, kind, channel, ts, posted_at)
        SELECT workspace, id, 'answer', 'C0', '1.1', now() FROM inbox WHERE workspace = %(w)s
    """,
    "runs": """
        INSERT INTO runs (workspace, inbox_id, ended_at, outcome, calls, tokens_in, tokens_out, ms, steps)
        SELECT workspace, id, now(), 'answered', 0, 0, 0, 0, '[]' FROM inbox WHERE workspace = %(w)s
    """,
    "feedback": """
        INSERT INTO feedback (workspace, inbox_id, person, verdict, given_at)
        SELECT workspace, id, 'U', 'good', now() FROM inbox WHERE workspace = %(w)s
    """,
    "preferences": "INSERT INTO preferences VALUES (%(w)s, 'U', 'C0', 'a', '{}', 'l', now())",
    "channels": "INSERT INTO channels VALUES (%(w)s, 'C0', 'asker')",
    "sources": "INSERT INTO sources (workspace, location) VALUES (%(w)s, '/documents')",
    "audiences": """
        INSERT INTO audiences (workspace, source_id, path, names)
        SELECT workspace, id, '', '{everyone}' FROM sources WHERE workspace = %(w)s
    """,
    "documents": """
        INSERT INTO documents (workspace, source_id, path, hash, title, language, configuration, attributes,
                               audience_id)
        SELECT workspace, source_id, 'a.md', 'h', 't', 'en', 'english', '{}', id FROM audiences WHERE workspace = %(w)s
    """,
    "passages": """
        INSERT INTO passages (workspace, document_id, audience_id, position, heading_path, text, configuration, words)
        SELECT workspace, id, audience_id, 0, '{}', 'text', 'english', 'text'::tsvector FROM documents
        WHERE workspace = %(w)s
    """,
    "embeddings": """
        INSERT INTO embeddings (workspace, passage_id, audience_id, model, embedding)
        SELECT workspace, id, audience_id, 'm', '[1,2]' FROM passages WHERE workspace = %(w)s
    """,
    "serving_models": "INSERT INTO serving_models VALUES (%(w)s, 'm')",
    "failures": """
        INSERT INTO failures (workspace, source_id, path, reason)
        SELECT workspace, id, 'a.md', 'r' FROM sources WHERE workspace = %(w)s
    """,
    "reported_changes": """
        INSERT INTO reported_changes (workspace, source_id, path)
        SELECT workspace, id, 'a.md' FROM sources WHERE workspace = %(w)s
    """,
    "added_messages": """
        INSERT INTO added_messages (workspace, source_id, path, message_ts, writer, added_by)
        SELECT workspace, id, 'a.md', '1.0', 'U', 'U' FROM sources WHERE workspace = %(w)s
    """,
    "claims": "INSERT INTO claims VALUES (%(w)s, %(w)s || ':C0:1', 1, 1)",
    "places": """
        INSERT INTO places (workspace, source_id, audience_id, key, name, kind, address, latitude, longitude, is_exact,
                            hours, attributes, words, named, hash)
        SELECT workspace, source_id, id, 'k', 'n', 'childcare', 'a', 30, -97, true, '', '{}', '{}', '{}', 'h'
        FROM audiences WHERE workspace = %(w)s
    """,
    "postcodes": "INSERT INTO postcodes VALUES (%(w)s, 'DE', '10115', 'Berlin', 52, 13)",
    "memberships": "INSERT INTO memberships (workspace, person) VALUES (%(w)s, 'U')",
    "channel_modes": "INSERT INTO channel_modes (workspace, channel, since) VALUES (%(w)s, 'C0', now())",
    "muted_threads": "INSERT INTO muted_threads VALUES (%(w)s, 'C0', '1', true, 1)",
    "untagged_questions": """
        INSERT INTO untagged_questions (workspace, message_key, channel, ts, person, due_at)
        VALUES (%(w)s, 'C0:1', 'C0', '1', 'U', now())
    """,
    "shared_answers": """
        INSERT INTO shared_answers (workspace, message_key, channel, thread_ts, answer_channel, answer_ts, person,
                                    shared_at)
        VALUES (%(w)s, 'C0:1', 'C0', '1', 'D0', '2', 'U', now())
    """,
    "checkpoints": """
        INSERT INTO checkpoints (workspace, thread_id, checkpoint_id, checkpoint)
        VALUES (%(w)s, %(w)s || ':C0:1', '1', '{}')
    """,
    "checkpoint_blobs": """
        INSERT INTO checkpoint_blobs (workspace, thread_id, channel, version, type, blob)
        VALUES (%(w)s, %(w)s || ':C0:1', 'memory', '1', 'msgpack', 'words')
    """,
    "checkpoint_writes": """
        INSERT INTO checkpoint_writes (workspace, thread_id, checkpoint_id, task_id, idx, channel, blob)
        VALUES (%(w)s, %(w)s || ':C0:1', '1', 't', 0, 'memory', 'words')
    """,
    "verified_answers": """
        INSERT INTO verified_answers (workspace, origin, asked_as, question, text, sources, writer, writer_name, place,
                                      kept_at, valid_until)
        SELECT workspace, 'review:1', 'C0:1', 'q', 't',
               json_build_array(json_build_object('source_id', source_id, 'path', 'a.md')), 'U', 'Ada', 'everyone',
               now(), now()
        FROM documents WHERE workspace = %(w)s
    """,
    "tool_calls": """
        INSERT INTO tool_calls (workspace, ask_id, tool, arguments, begun_at)
        SELECT workspace, id, 't', '{"title": "words"}', now() FROM asks WHERE workspace = %(w)s
    """,
    "forgotten": "INSERT INTO forgotten (workspace, digest) VALUES (%(w)s, 'd')",
    "phrasings": """
        INSERT INTO phrasings (workspace, answer_id, asked_as, text, stems, added_by)
        SELECT workspace, id, asked_as, question, '{q}', writer FROM verified_answers WHERE workspace = %(w)s
    """,
    "tellings": """
        INSERT INTO tellings (workspace, answer_id, person, asked_ts, told_at)
        SELECT workspace, id, writer, '1.0', now() FROM verified_answers WHERE workspace = %(w)s
    """,
    "flags": """
        INSERT INTO flags (workspace, document_id, audience_id, reason, inbox_id, person, flagged_at)
        SELECT workspace, documents.id, audience_id, 'wrong', inbox_id, person, now()
        FROM feedback JOIN documents USING (workspace)
        WHERE workspace = %(w)s
    """,
    "reports": """
        INSERT INTO reports (workspace, document_id, source_id, path, title, inbox_id, person, reported_at)
        SELECT workspace, documents.id, source_id, path, title, inbox_id, person, now()
        FROM feedback JOIN documents USING (workspace)
        WHERE workspace = %(w)s
    """,
}
"""A row of each table with people's words. A new table needs one too."""
PRETENDED = (None, "", "nobody", "THEIRS", "theirs ", "theirs%", "theirs:C0", "theirs' OR true --", "mine")
TYPES = {"now": "::timestamptz", "pause": "::interval", "within": "::interval", "candidates": "::integer"}
"""The types that psycopg gives the server for parameters."""
BOUND = "askback.workspace"

Connection = psycopg.Connection[Any]


@pytest.fixture(scope="module")
def url(server_url: str, template_url: str) -> Generator[str]:
    """A database that two workspaces share, as its owner."""
    with cloned(server_url, template_url) as url:
        with psycopg.connect(url) as owner:
            for workspace in ("theirs", "mine"):
                for statement in ROWS.values():
                    assert 1 == owner.execute(statement.encode(), {"w": workspace}).rowcount
        yield url


@pytest.fixture
def owner(url: str) -> Generator[Connection]:
    """A connection as the owner, who sees everything."""
    with psycopg.connect(url) as connection:
        yield connection
        connection.rollback()


def pretending(url: str, workspace: str | None) -> Connection:
    """Return a connection as the serving role, in a workspace."""
    connection = psycopg.connect(as_app(url))
    # And that all is for it.
    connection.execute("SELECT set_config('askback.audiences', %s, false)", (f"{{{','.join(map(str, range(100)))}}}",))
    connection.execute("SELECT set_config('askback.names', '{*,everyone}', false)")
    connection.commit()
    if workspace is not None:
        connection.execute("SELECT set_config('askback.workspace', %s, false)", (workspace,))
        connection.commit()
    return connection


def test_every_table_that_the_bot_may_touch_is_tried_here(url: str) -> None:
    with pretending(url, None) as connection:
        found = connection.execute(
            """
            SELECT relname FROM pg_class
            WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND relnamespace = 'public'::regnamespace
              AND has_table_privilege(oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
            """
        ).fetchall()

    assert ROWS.keys() | set(WORDLESS) - {"checkpoint_migrations"} == {name for (name,) in found}


def test_no_right_passes_by_the_policies(url: str) -> None:
    with pretending(url, None) as connection:
        beside = connection.execute(
            "SELECT name FROM unnest(%s::text[]) AS name"
            " WHERE has_table_privilege(name, 'TRUNCATE, REFERENCES, TRIGGER')",
            ([*ROWS],),
        ).fetchall()

    assert [] == beside


@pytest.mark.parametrize("table", ROWS)
@pytest.mark.parametrize("workspace", PRETENDED)
def test_what_is_anothers_is_neither_read_nor_written(
    url: str, owner: Connection, table: str, workspace: str | None
) -> None:
    name = sql.Identifier(table)
    mine = 1 if workspace == "mine" else 0
    with pretending(url, workspace) as connection:
        assert mine == len(connection.execute(sql.SQL("SELECT * FROM {}").format(name)).fetchall())
        (column,) = owner.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND attidentity = ''"
            " ORDER BY attnum LIMIT 1",
            (table,),
        ).fetchone() or ("",)
        update = sql.SQL("UPDATE {} SET {column} = {column}").format(name, column=sql.Identifier(column))
        assert mine == connection.execute(update).rowcount
        assert mine == connection.execute(sql.SQL("DELETE FROM {}").format(name)).rowcount
        connection.rollback()
        columns = sql.SQL(", ").join(map(sql.Identifier, _written(owner, table)))
        for (theirs,) in owner.execute(
            sql.SQL("SELECT to_jsonb(t) FROM {} t WHERE {}").format(name, _of("theirs", table))
        ):
            copy = sql.SQL(
                "INSERT INTO {0} ({1}) OVERRIDING SYSTEM VALUE SELECT {1} FROM jsonb_populate_record(NULL::{0}, %s)"
            )
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(copy.format(name, columns), (json.dumps(theirs),))
            connection.rollback()


WAYS = (
    "COPY {0} TO STDOUT",
    "COPY (SELECT * FROM {0}) TO STDOUT",
    "TABLE {0}",
    "SELECT * FROM {0} TABLESAMPLE SYSTEM (100)",
    "SELECT * FROM {0} ORDER BY random() FOR UPDATE",
    "SELECT row_to_json(t), ctid, xmin FROM {0} t",
    "SELECT t.* FROM generate_series(1, 9) CROSS JOIN LATERAL (SELECT * FROM {0}) t",
    "FETCH ALL FROM anywhere",
    "EXECUTE prepared",
    "DELETE FROM {0} WHERE workspace <> 'mine' RETURNING *",
    "MERGE INTO {0} t USING (VALUES (1)) v ON true WHEN MATCHED THEN DELETE RETURNING t.*",
    "WITH gone AS (DELETE FROM {0} RETURNING *) SELECT * FROM gone",
    "SELECT * FROM pg_stats WHERE tablename = '{0}' AND row_security_active('{0}'::regclass)",
    "SELECT * FROM pg_stats_ext WHERE tablename = '{0}'",
)


@pytest.mark.parametrize("workspace", [None, "nobody"])
@pytest.mark.parametrize("table", ROWS)
def test_no_way_of_reading_passes_by_the_policies(
    url: str, owner: Connection, table: str, workspace: str | None
) -> None:
    owner.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(table)))
    owner.commit()
    found = dict[str, list[Any]]()
    with pretending(url, workspace) as connection:
        for way in WAYS:
            # Cursors and statements that were prepared in another workspace are read in this one.
            connection.execute("SELECT set_config('askback.workspace', %s, true)", (workspace or "",))
            connection.execute(f"DECLARE anywhere CURSOR WITH HOLD FOR SELECT * FROM {table}".encode())
            connection.execute(f"PREPARE prepared AS SELECT * FROM {table}".encode())
            statement = way.format(table).encode()
            if way.startswith("COPY"):
                with connection.cursor().copy(statement) as copied:
                    rows = [bytes(row) for row in copied]
            else:
                rows = connection.execute(statement).fetchall()
            if rows:
                found[way] = rows
            connection.rollback()
            connection.execute("DEALLOCATE ALL")

    assert {} == found


@pytest.mark.parametrize("workspace", PRETENDED)
@pytest.mark.parametrize("table", ["documents", "verified_answers", "phrasings"])
def test_the_role_of_functions_sees_no_rows_of_others(owner: Connection, table: str, workspace: str | None) -> None:
    """Its functions ask for the workspace, too: if one forgets to, it still reaches nothing of others."""
    owner.execute("SELECT set_config('askback.workspace', %s, true)", (workspace or "",))
    query = sql.SQL("SELECT workspace FROM {}").format(sql.Identifier(table))
    seen = list[str]()
    for readable in ("{}", f"{{{','.join(map(str, range(100)))}}}"):
        owner.execute("SET LOCAL ROLE askback_functions")
        owner.execute("SELECT set_config('askback.audiences', %s, true)", (readable,))
        seen += [name for (name,) in owner.execute(query)]
        owner.execute("RESET ROLE")

    # A document is seen once only, by who may read it.
    assert ["mine"] * ((1 if table == "documents" else 2) if workspace == "mine" else 0) == seen


@pytest.mark.parametrize("table", ROWS)
def test_nothing_is_moved_to_another(url: str, table: str) -> None:
    with pretending(url, "mine") as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute(sql.SQL("UPDATE {} SET {}").format(sql.Identifier(table), _of("theirs", table)))


@pytest.mark.parametrize("table", ROWS)
def test_everybody_sees_their_own(url: str, table: str) -> None:
    # Without this, the tests above could pass for another reason.
    for workspace in ("mine", "theirs"):
        with pretending(url, workspace) as connection:
            query = sql.SQL("SELECT FROM {} WHERE {}").format(sql.Identifier(table), _of(workspace, table))
            assert 1 == len(connection.execute(query).fetchall())


def test_no_row_points_into_another_workspace(owner: Connection) -> None:
    found = owner.execute(
        """
        SELECT conrelid::regclass::text, conname FROM pg_constraint
        WHERE contype = 'f' AND conrelid::regclass::text = ANY(%s) AND NOT EXISTS (
            SELECT FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY(conkey) AND attname = 'workspace'
        )
        """,
        (list(ROWS),),
    ).fetchall()

    assert [] == found


def test_every_statement_of_ours_is_bound_wherever_it_looks(url: str) -> None:
    statements = [*_statements()]
    assert len(statements) > 100
    with pretending(url, "mine") as connection:
        loose = {where: found for where, one in statements if (found := _unbound(connection, one))}

    assert {} == loose


def _written(owner: Connection, table: str) -> list[str]:
    """Return a table's columns without the generated ones."""
    rows = owner.execute(
        "SELECT attname FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
        (table,),
    ).fetchall()
    return [name for (name,) in rows]


def _of(workspace: str, table: str) -> sql.Composed:
    """Return the column and value that make a row a workspace's."""
    return sql.SQL("workspace = {}").format(sql.Literal(workspace))


def _statements() -> Iterator[tuple[str, str]]:
    """Yield the place and text of each statement that reads or writes a table with workspaces."""
    for file in sorted(BOT.rglob("*.py")):
        for line, text in _texts(ast.parse(file.read_text())):
            if re.match(r"(SELECT|INSERT|UPDATE|DELETE|WITH)\s+[A-Za-z*]", text) and re.search(
                rf"\b({'|'.join(ROWS)})\b", text
            ):
                yield f"{file.relative_to(BOT)}:{line}", text


def _texts(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each string, with the constants that it names filled in, imported ones too."""
    constants = _constants(module) | _imported(module)
    strings = [node for node in ast.walk(module) if isinstance(node, ast.JoinedStr)]
    parts = {id(part) for string in strings for part in string.values}
    for string in strings:
        yield string.lineno, "".join(_part(part, constants) for part in string.values).strip()
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.lineno, node.value.strip()


def _constants(module: ast.Module) -> dict[str, Any]:
    return {
        node.target.id: node.value.value
        for node in module.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.value, ast.Constant)
    }


def _imported(module: ast.Module) -> dict[str, Any]:
    """Return the constants of our other modules that a module imports."""
    found: dict[str, Any] = {}
    for node in module.body:
        names = {name.name for name in node.names if name.name.isupper()} if isinstance(node, ast.ImportFrom) else set()
        file = BOT.parent / f"{(getattr(node, 'module', None) or '').replace('.', '/')}.py"
        if names and file.exists():
            known = _constants(ast.parse(file.read_text()))
            found |= {name: value for name, value in known.items() if name in names}
    return found


def _part(part: ast.expr, constants: dict[str, Any]) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    named = part.value if isinstance(part, ast.FormattedValue) else part
    return str(constants.get(named.id, "")) if isinstance(named, ast.Name) else ""


def _unbound(connection: Connection, statement: str) -> list[str]:
    """Return the tables that a statement scans beyond the workspace, or why it cannot be planned."""
    statement = statement.replace("{changes}", "status = 'finished'")
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", statement)))
    for number, name in enumerate(names, 1):
        statement = statement.replace(f"%({name})s", f"${number}{TYPES.get(name, '')}")
    try:
        row = connection.execute(
            f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {statement.replace('%%', '%')}".encode()
        ).fetchone()
    except errors.Error as error:
        return [str(error)]
    finally:
        connection.rollback()
    return [*_loose(row[0][0]["Plan"])] if row else ["There is no plan."]


def _loose(plan: dict[str, Any], *, is_bound: bool = False) -> Iterator[str]:
    """Yield the scans of a plan beyond the workspace. A condition without columns may be above them."""
    children: list[dict[str, Any]] = plan.get("Plans", [])
    is_bound = is_bound or BOUND in str(plan.get("One-Time Filter"))
    if plan.get("Relation Name") in ROWS and plan["Node Type"] != "ModifyTable" and not is_bound:
        said = [node.get(key) for node in (plan, *children) for key in ("Filter", "Index Cond", "Recheck Cond")]
        if BOUND not in str(said):
            yield f"{plan['Node Type']} of {plan['Relation Name']}: {said}"
    for child in children:
        yield from _loose(child, is_bound=is_bound)
