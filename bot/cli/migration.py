"""`askback migrate`: brings the tables up to date, and creates the serving role."""

import secrets
from pathlib import Path

from rich.console import Console

from bot.cli.start import index_model
from bot.errors import SettingsError
from bot.postgres import serving_role
from bot.postgres.addresses import addresses
from bot.postgres.migrations import answering
from bot.postgres.migrations import migrate as migrate_database
from bot.settings import Settings


def migrate(settings: Settings, console: Console, *, creates_role: bool, password_file: Path | None) -> None:
    """Migrate as the owner. With `creates_role`, create the serving role first."""
    is_embedded = settings.owner_database_url is None and settings.database_url is None
    # The embedded database has its role: who wants to create one means another database.
    if is_embedded and not (creates_role or password_file):
        with addresses(settings) as embedded:
            _migrate(settings, embedded.owner or "")
    else:
        _migrate_as(settings, console, creates_role=creates_role, password_file=password_file)
    console.print("The database is up to date.")


def _migrate_as(settings: Settings, console: Console, *, creates_role: bool, password_file: Path | None) -> None:
    if settings.owner_database_url is None:
        raise SettingsError(
            "Set ASKBACK_OWNER_DATABASE_URL to the address of the database's owner, who migrates. DATABASE_URL is the "
            "address of the serving role."
        )
    owner = settings.owner_database_url.get_secret_value()
    if creates_role:
        known = serving_role.password_in(settings.database_url.get_secret_value()) if settings.database_url else None
        password = _password_of(password_file) if password_file else known or secrets.token_urlsafe(24)
        with answering():
            serving_role.create(owner, password)
        if password != known:
            console.print("Set DATABASE_URL to this address, which holds the serving role's new password:")
            console.print(serving_role.address(owner, password), markup=False, soft_wrap=True)
    _migrate(settings, owner)


def _migrate(settings: Settings, owner: str) -> None:
    migrate_database(owner)
    index_model(settings, owner)


def _password_of(file: Path) -> str:
    """Return the password in a file. A missing file is created with a new password, readable by its owner only."""
    try:
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_urlsafe(24))
        password = file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot hold the password: {error}") from error
    if not password:
        raise SettingsError(f"{file} is empty. It must hold the serving role's password.")
    return password
