"""The serving role in the databases of benchmarks and tests, where its password is no secret."""

from typing import Final

from bot.postgres import serving_role

APP_PASSWORD: Final = "serves/only"


def let_serve(owner_url: str) -> None:
    """Create the serving role on a server."""
    serving_role.create(owner_url, APP_PASSWORD)


def as_app(url: str) -> str:
    """Return a database's URL for the serving role."""
    return serving_role.address(url, APP_PASSWORD)
