"""Runs the migrations over one psycopg connection, one process at a time."""

import psycopg
from alembic import context
from sqlalchemy import NullPool, create_engine, text

# Two processes that migrate a fresh database at once would both create it; the second waits here.
LOCK = 4_207_301

# SQLAlchemy does not look at the address: whatever libpq reads serves to migrate, too.
# Without a pool the lock goes with the connection, however the migrations end.
engine = create_engine(
    "postgresql+psycopg://", creator=lambda: psycopg.connect(context.config.attributes["url"]), poolclass=NullPool
)
with engine.connect() as connection:
    connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": LOCK})
    connection.commit()
    context.configure(connection=connection)
    with context.begin_transaction():
        context.run_migrations()
