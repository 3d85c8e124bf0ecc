"""How a setting becomes a variable of the environment, and where it is read from."""

import json
from typing import Final

from pydantic import AliasGenerator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot import dotenv

MOST_DAYS: Final = 36_500
MOST_SECONDS: Final = MOST_DAYS * 24 * 3600
"""The longest times: a hundred years. A calendar has no room for some longer ones."""


def _variable(name: str) -> str:
    """Return the variable of a setting that names no other."""
    return f"ASKBACK_{name.upper()}"


def read_json(given: object, *, example: str) -> object:
    """Return what a variable holds as JSON. Raises `ValueError` that shows how to write it, and no value."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        raise ValueError(f"it is no JSON: write {example}.") from None


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
        allow_inf_nan=False,
    )
