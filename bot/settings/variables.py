"""How a setting becomes a variable of the environment, and where it is read from."""

from pydantic import AliasGenerator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot import dotenv


def _variable(name: str) -> str:
    """Return the variable of a setting that names no other."""
    return f"ASKBACK_{name.upper()}"


class Variables(BaseSettings):
    """A part of the settings."""

    # Our own calls use field names. With the prefix, another program's WORKSPACE or LOG_LEVEL changes nothing.
    model_config = SettingsConfigDict(
        env_file=dotenv.NAME,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        alias_generator=AliasGenerator(validation_alias=_variable),
        env_prefix="ASKBACK_",
    )
