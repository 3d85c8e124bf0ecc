"""The role that serves in the databases of benchmarks and tests: its password is no secret there."""

from typing import Final

from bot.postgres import serving_role

APP_PASSWORD: Final = "serves/only"


def let_serve(owner_url: str) -> None:
    """Let the role that serves log in to a server."""
    serving_role.create(owner_url, APP_PASSWORD)


def as_app(url: str) -> str:
    """Return a database's URL as the role that serves."""
    return serving_role.address(url, APP_PASSWORD)
