"""Audits the locks: `python -m benchmarks.audit.locks` checks for known vulnerabilities, licences and hashes.

Exit code 0 means no findings, 1 means findings, and 3 means that vulnerabilities are unknown: the database OSV could
not be asked, or the copy of it is old. pip-audit asks OSV over the network; `--osv-url` names a mirror. `--advisories`
names a folder or a zip file with a copy of an advisory database, which is read instead. `tool.audit.accepted` in
`pyproject.toml` lists vulnerabilities that do not count until a day.
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
from datetime import UTC, date, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from packaging.utils import canonicalize_name
from rich.console import Console
from rich.table import Table

from benchmarks.audit.advisories import Advisory, fixes_of, is_affected, newest_change, read_advisories
from benchmarks.audit.vulnerabilities import OLD_DAYS, Accepted, Looked, Vulnerability, accepted_in, age_of, judged
from benchmarks.project import ROOT

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
    accepted: Sequence[Accepted] = ()


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
    (named, *_) = [*(told.get_all("License-Expression") or ()), *(told.get_all("License") or ()), ""]
    return named if 0 < len(named) <= _LONGEST_NAME else " AND ".join(kinds)


def is_allowed(licence: str, allowed: Sequence[str]) -> bool:
    """Tell whether every licence in an expression is allowed, even alternatives."""
    return licence in allowed or {part.strip(" ()") for part in re.split(r" (?:AND|OR) ", licence)} <= set(allowed)


def vulnerabilities(pins: Iterable[Pin], osv_url: str | None) -> Looked:
    """Ask OSV for the known vulnerabilities of the pins."""
    found: list[Vulnerability] = []
    unread: list[str] = []
    for group in _without_twins(pins):
        reported = _ask(group, osv_url)
        if reported is None:
            return Looked([], "the database could not be asked")
        found += [_of_report(package, one) for package in reported for one in package.get("vulns", [])]
        unread += [package["name"] for package in reported if "skip_reason" in package]
    return Looked(found, f"the database was not asked about {', '.join(unread)}" if unread else "")


def vulnerabilities_in(advisories: Mapping[str, Sequence[Advisory]], pins: Iterable[Pin]) -> list[Vulnerability]:
    """Return the vulnerabilities of the pins that a local copy of an advisory database knows."""
    return [
        Vulnerability(
            package=pin.name,
            version=pin.version,
            id=advisory["id"],
            aliases=frozenset(advisory.get("aliases") or ()),
            fixes=fixes_of(advisory, pin.name),
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


def _of_report(package: Mapping[str, Any], one: Mapping[str, Any]) -> Vulnerability:
    return Vulnerability(
        package=package["name"],
        version=package["version"],
        id=one["id"],
        aliases=frozenset(one.get("aliases") or ()),
        fixes=one["fix_versions"],
    )


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


def audit(
    locks: Sequence[Path], rules: Rules, console: Console, look: Callable[[list[Pin]], Looked], *, today: date
) -> int:
    """Print checks and findings; return the exit code. `look` finds the known vulnerabilities."""
    read = {lock.name: read_lock(lock.read_text()) for lock in locks}
    pins = [pin for of_lock, _ in read.values() for pin in of_lock]
    faults = [f"{name}: no version with hashes: {line}" for name, (_, unfit) in read.items() for line in unfit]
    shipped = {pin.name for name in SHIPPED if name in read for pin in read[name][0]}
    faults += _licence_faults(shipped, (pin.name for pin in pins), rules, console)
    found, unknown = look(pins)
    known = judged(found, rules.accepted, today)
    for line in [*faults, *known.counted, *(() if unknown else known.remarks)]:
        console.print(line, markup=False, soft_wrap=True)
    if unknown:
        console.print(f"Vulnerabilities are unknown: {unknown}.", soft_wrap=True)
    if faults or known.counted:
        return FOUND
    well = f"{len(set(pins))} versions have hashes and a licence that is allowed"
    console.print(f"{well}." if unknown else f"{well}, and no vulnerability of them is known.", soft_wrap=True)
    return NOT_LOOKED if unknown else 0


def rules_of(project: Path) -> Rules:
    """Read the rules."""
    told: dict[str, Any] = tomllib.loads(project.read_text())["tool"]["audit"]
    accepted = accepted_in(told.pop("accepted", ()))
    return Rules(**told, accepted=accepted)


def main() -> None:
    """Audit the locks of this checkout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--osv-url", help="where to ask instead of OSV, such as a mirror in your network")
    where.add_argument("--advisories", type=Path, help="a folder or a zip file of advisories in OSV's format")
    parser.add_argument(
        "--oldest-days", type=int, default=OLD_DAYS, help="how old the copy may be (default: %(default)s)"
    )
    given, console, today = parser.parse_args(), Console(highlight=False), datetime.now(UTC).date()
    look = partial(vulnerabilities, osv_url=given.osv_url)
    if given.advisories:
        look = offline(given.advisories, console, today=today, oldest_days=given.oldest_days)
    locks = [ROOT / name for name in LOCKS]
    sys.exit(audit(locks, rules_of(ROOT / "pyproject.toml"), console, look, today=today))


def offline(
    place: Path, console: Console, *, today: date, oldest_days: int = OLD_DAYS
) -> Callable[[list[Pin]], Looked]:
    """Read a local copy, say how old it is, and return what looks into it."""
    advisories = read_advisories(place)
    known = [advisory for of_package in advisories.values() for advisory in of_package]
    newest = newest_change(known)
    console.print(f"{len(known)} advisories; the newest change is of {newest or 'no day'}.", soft_wrap=True)
    unknown = age_of(newest, today, oldest_days=oldest_days)
    return lambda pins: Looked(vulnerabilities_in(advisories, pins), unknown)


if __name__ == "__main__":
    main()
