"""Brings a database to the current schema with Alembic."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy.exc import OperationalError

from bot.errors import DatabaseUnreachableError


def migrate(url: str) -> None:
    """Create or upgrade everything in the database at `url`, as its owner; raise `DatabaseUnreachableError`."""
    try:
        command.upgrade(_config(url), "head")
    except OperationalError as error:
        raise DatabaseUnreachableError(f"The database does not answer: {error.orig}") from error


def _config(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_scripts()))
    config.attributes["url"] = url
    return config


def _scripts() -> Path:
    # A wheel carries the revisions inside this package; in a checkout they lie beside it.
    packaged = Path(__file__).parent / "alembic"
    return packaged if packaged.exists() else packaged.parent.parent / "alembic"
