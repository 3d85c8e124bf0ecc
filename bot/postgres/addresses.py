"""The database's addresses: for the serving role, and for the owner, who migrates."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.errors import SettingsError
from bot.postgres import embedded
from bot.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """The database's address for the serving role, and for the owner if this process may migrate."""

    serving: str
    owner: str | None


@contextmanager
def addresses(settings: Settings) -> Generator[Addresses]:
    """Yield the addresses of the configured or the embedded database. The last user stops the embedded one."""
    owner = settings.owner_database_url.get_secret_value() if settings.owner_database_url else None
    if settings.database_url:
        yield Addresses(serving=settings.database_url.get_secret_value(), owner=owner)
    elif owner:
        raise SettingsError(
            "ASKBACK_OWNER_DATABASE_URL is set, but DATABASE_URL is not: run `askback migrate --create-role`, and set "
            "DATABASE_URL to the address that it prints."
        )
    else:
        folder = settings.data_folder or embedded.default_folder()
        with embedded.running(folder) as url:
            yield Addresses(serving=embedded.serving_url(folder, url), owner=url)
