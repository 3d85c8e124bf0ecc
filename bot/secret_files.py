"""Secrets in files: `SLACK_BOT_TOKEN_FILE` names a file with the value of `SLACK_BOT_TOKEN`.

Every child process inherits the environment, and `docker inspect` shows it. A file has its own permissions.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from bot.errors import SettingsError

SUFFIX: Final = "_FILE"
_LARGEST: Final = 65_536
"""The most bytes of a secret; a token has a hundred."""


def names_of(fields: Mapping[str, FieldInfo]) -> list[str]:
    """Return the names of the variables with secrets."""
    return [str(field.validation_alias) for field in fields.values() if SecretStr in get_args(field.annotation)]


def read(names: list[str], variables: Mapping[str, str | None]) -> dict[str, str]:
    """Read the secrets in files. Raises `SettingsError` if one cannot be read, or is given in both ways."""
    told = {name: path for name in names if (path := variables.get(f"{name}{SUFFIX}".lower()))}
    found = {name: value for name, path in told.items() if (value := _value(name, Path(path)))}
    if twice := [name for name in found if variables.get(name.lower())]:
        raise SettingsError(f"Set {twice[0]} or {twice[0]}{SUFFIX}, not both: they may differ.")
    return found


def _value(name: str, file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as opened:
            value = opened.read(_LARGEST).strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise SettingsError(f"{name}{SUFFIX} names {file}, which cannot be read: {why}.") from None
    if len(value.split()) > 1:
        raise SettingsError(f"{name}{SUFFIX} names {file}, which holds more than one word.")
    return value
