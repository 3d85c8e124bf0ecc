"""The database, and what stands before or beside it."""

from typing import Self

from pydantic import Field, SecretStr, field_validator, model_validator

from bot import conninfo
from bot.settings.variables import Variables


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
        if url and not conninfo.can_be_read(url.get_secret_value()):
            raise ValueError(f"this is no address of a PostgreSQL; {conninfo.HOW_TO_WRITE}.")
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
