"""The file `.env` of the current folder, which holds secrets, and whether it can be trusted."""

import os
import stat
from pathlib import Path
from typing import Final

from bot.errors import SettingsError

NAME: Final = ".env"
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_READ: Final = stat.S_IRGRP | stat.S_IROTH


def trusted() -> Path | None:
    """Return the file, or `None`. Raises `SettingsError` if another account owns it or may write it.

    An account that can write the file decides where the Slack tokens are sent.
    """
    file = Path.cwd() / NAME
    try:
        if not file.exists():
            return None
        for told in (file.lstat(), file.stat()):
            _require_ours(file, told)
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}.") from error
    return file


def is_readable_by_others(file: Path) -> bool:
    """Tell whether other accounts may read the file."""
    return bool(file.stat().st_mode & _OTHERS_READ)


def _require_ours(file: Path, told: os.stat_result) -> None:
    # Only the account itself and root are trusted, because root may do anything anyway.
    if told.st_uid not in (os.geteuid(), 0):
        raise SettingsError(
            f"{file} belongs to another account, so it is not read. Make it yours (chown), or start in another folder."
        )
    if told.st_mode & _OTHERS_WRITE and not stat.S_ISLNK(told.st_mode):
        raise SettingsError(f"{file} may be written by other accounts, so it is not read. Run: chmod 600 {file}")
