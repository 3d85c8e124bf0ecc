"""Runs the migrations over one psycopg connection, one process at a time."""

from alembic import context
from sqlalchemy import create_engine, text

# Two processes that migrate a fresh database at once would both create it; the second waits here.
LOCK = 4_207_301

engine = create_engine(context.config.attributes["url"].replace("postgresql://", "postgresql+psycopg://", 1))
with engine.connect() as connection:
    connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": LOCK})
    connection.commit()
    context.configure(connection=connection)
    with context.begin_transaction():
        context.run_migrations()
engine.dispose()
