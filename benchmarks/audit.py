"""Audits the locks: `python -m benchmarks.audit` checks for known vulnerabilities, licences and hashes.

Exit code 0 means no findings, 1 means findings, and 3 means that vulnerabilities are unknown because the database OSV
could not be asked. pip-audit asks OSV over the network; `--osv-url` names a mirror. `--advisories` names a folder or a
zip file with a copy of an advisory database, which is read instead.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from packaging.utils import canonicalize_name
from rich.console import Console
from rich.table import Table

from benchmarks.advisories import Advisory, fixes_of, is_affected, newest_change, read_advisories

ROOT: Final = Path(__file__).parent.parent
SHIPPED: Final = ("requirements.lock", "requirements-providers.lock")
"""What a user installs: without and with the libraries of model providers other than Groq."""
LOCKS: Final = (*SHIPPED, "requirements-dev.lock")
FOUND: Final = 1
NOT_LOOKED: Final = 3

_PINNED: Final = re.compile(
    r"(?P<name>[\w.-]+)==(?P<version>[\w.!+-]+)(?: ; [^@:\\]+)?(?: --hash=sha256:[0-9a-f]{64})+"
)
_LONGEST_NAME: Final = 60
"""A longer value is a licence's full text."""


@dataclass(frozen=True, order=True)
class Pin:
    """One version of one package."""

    name: str
    version: str


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules in `pyproject.toml`, `tool.audit`."""

    allowed: Sequence[str]
    allowed_to_develop: Sequence[str]
    """Licences of tools that are not shipped."""
    known: Mapping[str, str]
    """Licences of packages that name none or are not installed on this machine."""


def read_lock(text: str) -> tuple[list[Pin], list[str]]:
    """Return the pins of a lock, and the beginnings of lines that are not a version with hashes."""
    lines = [" ".join(line.split()) for line in re.sub(r"\\\n", "", text).splitlines() if line.strip()]
    matches = [(line, _PINNED.fullmatch(line)) for line in lines]
    pins = [Pin(match["name"], match["version"]) for _, match in matches if match]
    return pins, [line[:_LONGEST_NAME] for line, match in matches if not match]


def licence_of(name: str, known: Mapping[str, str]) -> str:
    """Return a package's licence, from its metadata or our list; empty if unknown."""
    if name in known:
        return known[name]
    try:
        told = metadata(name)
    except PackageNotFoundError:
        return ""
    kinds = [kind.split(" :: ")[-1] for kind in told.get_all("Classifier") or [] if kind.startswith("License ::")]
    named = told.get("License-Expression") or told.get("License") or ""
    return named if 0 < len(named) <= _LONGEST_NAME else " AND ".join(kinds)


def is_allowed(licence: str, allowed: Sequence[str]) -> bool:
    """Tell whether every licence in an expression is allowed, even alternatives."""
    return licence in allowed or {part.strip(" ()") for part in re.split(r" (?:AND|OR) ", licence)} <= set(allowed)


def vulnerabilities(pins: Iterable[Pin], osv_url: str | None) -> list[str] | None:
    """Return a line for each known vulnerability; `None` if OSV could not be asked."""
    found: list[str] = []
    for group in _without_twins(pins):
        reported = _ask(group, osv_url)
        if reported is None:
            return None
        found += [_line(package, one) for package in reported for one in package.get("vulns", [])]
        found += [f"{package['name']}: not looked at" for package in reported if "skip_reason" in package]
    return found


def vulnerabilities_in(advisories: Mapping[str, Sequence[Advisory]], pins: Iterable[Pin]) -> list[str]:
    """Return a line for each vulnerability of the pins that a local copy of an advisory database knows."""
    return [
        _line(
            {"name": pin.name, "version": pin.version},
            {"id": advisory["id"], "fix_versions": fixes_of(advisory, pin.name)},
        )
        for pin in sorted(set(pins))
        for advisory in advisories.get(canonicalize_name(pin.name), ())
        if is_affected(advisory, pin.name, pin.version)
    ]


def _without_twins(pins: Iterable[Pin]) -> list[list[Pin]]:
    """Split the pins so that no part has a package twice, because pip-audit refuses two versions."""
    seen: Counter[str] = Counter()
    parts: defaultdict[int, list[Pin]] = defaultdict(list)
    for pin in sorted(set(pins)):
        parts[seen[pin.name]].append(pin)
        seen[pin.name] += 1
    return list(parts.values())


def _ask(pins: Sequence[Pin], osv_url: str | None) -> list[dict[str, Any]] | None:
    """Let pip-audit check the pins, without markers, so that packages for other machines are checked too."""
    with TemporaryDirectory() as folder:
        wanted = Path(folder, "requirements.txt")
        wanted.write_text("".join(f"{pin.name}=={pin.version}\n" for pin in pins))
        options = ["--disable-pip", "--no-deps", "--format=json", "--desc=off", "--progress-spinner=off"]
        where = ["--vulnerability-service=osv", *([f"--osv-url={osv_url}"] if osv_url else [])]
        command = [sys.executable, "-m", "pip_audit", f"--requirement={wanted}", *options, *where]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        reported: list[dict[str, Any]] = json.loads(ended.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return None
    return reported if len(reported) == len(pins) else None


def _line(package: Mapping[str, Any], vulnerability: Mapping[str, Any]) -> str:
    mended = ", ".join(vulnerability["fix_versions"]) or "no version yet"
    return f"{package['name']} {package['version']}: {vulnerability['id']}, mended in {mended}"


def _licence_faults(shipped: set[str], names: Iterable[str], rules: Rules, console: Console) -> list[str]:
    """Print the licences, and return a line for each that is not allowed."""
    licences = {name: licence_of(name, rules.known) for name in sorted(set(names), key=str.casefold)}
    table = Table("licence", "packages", "which")
    for licence, count in Counter(licences.values()).most_common():
        table.add_row(licence or "?", str(count), ", ".join(name for name in licences if licences[name] == licence))
    console.print(table)
    anywhere, to_develop = rules.allowed, [*rules.allowed, *rules.allowed_to_develop]
    return [
        f"{name}: nobody allowed its licence, {licence or 'which it does not name'}"
        for name, licence in licences.items()
        if not is_allowed(licence, anywhere if name in shipped else to_develop)
    ]


def audit(locks: Sequence[Path], rules: Rules, console: Console, look: Callable[[list[Pin]], list[str] | None]) -> int:
    """Print checks and findings; return the exit code. `look` returns a line for each known vulnerability."""
    read = {lock.name: read_lock(lock.read_text()) for lock in locks}
    pins = [pin for of_lock, _ in read.values() for pin in of_lock]
    faults = [f"{name}: no version with hashes: {line}" for name, (_, unfit) in read.items() for line in unfit]
    shipped = {pin.name for name in SHIPPED if name in read for pin in read[name][0]}
    faults += _licence_faults(shipped, (pin.name for pin in pins), rules, console)
    known = look(pins)
    for fault in [*faults, *(known or [])]:
        console.print(fault, markup=False, soft_wrap=True)
    if known is None:
        console.print("Known vulnerabilities were not looked for: the database could not be asked.", soft_wrap=True)
    if faults or known:
        return FOUND
    well = f"{len(set(pins))} versions have hashes and a licence that is allowed"
    console.print(f"{well}." if known is None else f"{well}, and no vulnerability of them is known.", soft_wrap=True)
    return NOT_LOOKED if known is None else 0


def rules_of(project: Path) -> Rules:
    """Read the rules."""
    return Rules(**tomllib.loads(project.read_text())["tool"]["audit"])


def main() -> None:
    """Audit the locks of this checkout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--osv-url", help="where to ask instead of OSV, such as a mirror in your network")
    where.add_argument("--advisories", type=Path, help="a folder or a zip file of advisories in OSV's format")
    given, console = parser.parse_args(), Console(highlight=False)
    look = offline(given.advisories, console) if given.advisories else partial(vulnerabilities, osv_url=given.osv_url)
    sys.exit(audit([ROOT / name for name in LOCKS], rules_of(ROOT / "pyproject.toml"), console, look))


def offline(place: Path, console: Console) -> Callable[[list[Pin]], list[str]]:
    """Read a local copy, say how old it is, and return what looks into it."""
    advisories = read_advisories(place)
    known = [advisory for of_package in advisories.values() for advisory in of_package]
    console.print(f"{len(known)} advisories; the newest change is of {newest_change(known)}.", soft_wrap=True)
    return partial(vulnerabilities_in, advisories)


if __name__ == "__main__":
    main()
