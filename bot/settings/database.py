"""The database, and what stands before or beside it."""

from typing import Final, Self

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import Field, SecretStr, field_validator, model_validator

from bot.settings.variables import Variables

_HOW_TO_WRITE: Final = "write postgresql://user:password@host:5432/database, and %2F for a slash in the password"
_HIGHEST_PORT: Final = 65_535


class DatabaseVariables(Variables):
    """The variables of the database."""

    database_url: SecretStr | None = Field(
        default=None,
        validation_alias="DATABASE_URL",
        description="The address of a PostgreSQL 16 or newer with pgvector, for the role `askback_app`"
        " (`postgresql://askback_app:…`). Without it, Askback uses the embedded database.",
    )
    owner_database_url: SecretStr | None = Field(
        default=None,
        description="The address of the same database for its owner. Only `askback migrate` needs it.",
    )
    pooler_url: SecretStr | None = Field(
        default=None,
        description="The address of the same database through PgBouncer in transaction mode. Sessions that hold locks"
        " or listen still go to `DATABASE_URL`.",
    )
    search_url: SecretStr | None = Field(
        default=None,
        description="The address of a streaming standby of the same database, for the role `askback_app`. It searches"
        " the documents whenever it has every change that a search depends on; otherwise `DATABASE_URL` does.",
    )

    @field_validator("database_url", "owner_database_url", "pooler_url", "search_url", mode="after")
    @classmethod
    def _is_an_address(cls, url: SecretStr | None) -> SecretStr | None:
        if url and not can_be_read(url.get_secret_value()):
            raise ValueError(f"this is no address of a PostgreSQL; {_HOW_TO_WRITE}.")
        return url

    @model_validator(mode="after")
    def _names_the_database_itself(self) -> Self:
        if self.pooler_url and not self.database_url:
            raise ValueError("ASKBACK_POOLER_URL needs DATABASE_URL, the same database without the pooler.")
        if self.search_url and not self.database_url:
            raise ValueError("ASKBACK_SEARCH_URL needs DATABASE_URL, the database that the standby repeats.")
        return self

    @property
    def pooler(self) -> str | None:
        """The pooler's address, if there is one."""
        return self.pooler_url.get_secret_value() if self.pooler_url else None


def can_be_read(url: str) -> bool:
    """Tell whether PostgreSQL's library accepts an address. The library's error would repeat the password."""
    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError:
        return False
    # An unescaped slash ends the host, so the library reads the password before the slash as the port.
    return all(_is_port(port) for port in str(parts.get("port") or "").split(","))


def _is_port(port: str) -> bool:
    return not port or (port.isdecimal() and 0 < int(port) <= _HIGHEST_PORT)
