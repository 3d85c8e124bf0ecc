"""Secrets in files: `SLACK_BOT_TOKEN_FILE` names a file with the value of `SLACK_BOT_TOKEN`.

Every child process inherits the environment, and `docker inspect` shows it. A file has its own permissions.
"""

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final, get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from bot.errors import SettingsError

SUFFIX: Final = "_FILE"
_MOUNTED: Final = Path("/run/secrets")
"""Where containers get theirs: nobody else is in a container."""
_OTHERS_READ: Final = stat.S_IRGRP | stat.S_IROTH
_OTHERS_ENTER: Final = stat.S_IXGRP | stat.S_IXOTH
_ONE_SECRET: Final = get_args(SecretStr | None)
"""The type of a variable that holds a secret, and not the names of others."""
_LARGEST: Final = 65_536
"""The most bytes of a secret; a token has a hundred."""


def names_of(fields: Mapping[str, FieldInfo]) -> list[str]:
    """Return the names of the variables with secrets."""
    return [str(field.validation_alias) for field in fields.values() if get_args(field.annotation) == _ONE_SECRET]


def read(names: list[str], variables: Mapping[str, str | None]) -> dict[str, str]:
    """Read the secrets in files. Raises `SettingsError` if one cannot be read, or is given in both ways."""
    found = {name: value for name, path in places(names, variables).items() if (value := _value(name, path))}
    if twice := [name for name in found if variables.get(name.lower())]:
        raise SettingsError(f"Set {twice[0]} or {twice[0]}{SUFFIX}, not both: they may differ.")
    return found


def places(names: list[str], variables: Mapping[str, str | None]) -> dict[str, Path]:
    """Return the file of each secret that is in one."""
    return {name: Path(path) for name in names if (path := variables.get(f"{name}{SUFFIX}".lower()))}


def is_open_to_others(file: Path) -> bool:
    """Tell whether other accounts may read a file, and enter all folders on the way to it."""
    file = file.resolve()
    is_reached = all(parent.stat().st_mode & _OTHERS_ENTER for parent in file.parents)
    return is_reached and not file.is_relative_to(_MOUNTED) and bool(file.stat().st_mode & _OTHERS_READ)


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
