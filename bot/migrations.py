"""Brings a database to the current schema with Alembic."""

from pathlib import Path

from alembic import command
from alembic.config import Config

SCRIPTS = Path(__file__).parent.parent / "alembic"


def migrate(url: str) -> None:
    """Create or upgrade everything in the database at `url`, as its owner."""
    command.upgrade(_config(url), "head")


def _config(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["url"] = url
    return config
