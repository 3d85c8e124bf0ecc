"""Known vulnerabilities of locked packages, and which of them somebody has accepted until a day (pure)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, NamedTuple

from packaging.utils import canonicalize_name

OLD_DAYS: Final = 7
"""Days after which a copy of advisories is old. New advisories of PyPI packages appear on most days."""


@dataclass(frozen=True, kw_only=True)
class Vulnerability:
    """One known vulnerability of one version."""

    package: str
    version: str
    id: str
    aliases: frozenset[str] = frozenset()
    """Other ids of it, such as its CVE."""
    fixes: Sequence[str] = ()

    def __str__(self) -> str:
        """Return it as a line."""
        return f"{self.package} {self.version}: {self.id}, fixed in {', '.join(self.fixes) or 'no version yet'}"


class Looked(NamedTuple):
    """What was found, and why there may be more."""

    found: Sequence[Vulnerability]
    unknown: str = ""
    """Why other vulnerabilities may exist; empty if all were looked for."""


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """A vulnerability that does not count for some time: an entry of `tool.audit.accepted` in `pyproject.toml`."""

    package: str
    id: str
    reason: str
    until: date
    """The last day; it counts again from the day after."""

    def __post_init__(self) -> None:
        """Check an entry. Raises `ValueError` if it gives no reason or no day."""
        if not self.reason.strip() or type(self.until) is not date:
            raise ValueError(f"{self.package}, {self.id}: an accepted vulnerability needs a reason and a day (until).")

    def covers(self, one: Vulnerability) -> bool:
        """Tell whether the entry speaks of a vulnerability, by any of its ids."""
        return canonicalize_name(self.package) == canonicalize_name(one.package) and self.id in {one.id, *one.aliases}


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What counts of the found vulnerabilities, and what to say of the accepted ones."""

    counted: list[str] = field(default_factory=list[str])
    remarks: list[str] = field(default_factory=list[str])


def judged(found: Sequence[Vulnerability], accepted: Sequence[Accepted], today: date) -> Judged:
    """Divide vulnerabilities into those that count and those that somebody has accepted; name entries without one."""
    result = Judged()
    for one in found:
        entry = next((entry for entry in accepted if entry.covers(one)), None)
        if entry is None:
            result.counted.append(str(one))
        elif entry.until < today:
            result.counted.append(f"{one} (accepted until {entry.until}: this day is over)")
        else:
            result.remarks.append(f"{one} (accepted until {entry.until}: {entry.reason})")
    idle = [entry for entry in accepted if not any(map(entry.covers, found))]
    result.remarks.extend(f"{entry.package}: {entry.id} is accepted, but was not found: remove it" for entry in idle)
    return result


def accepted_in(entries: Iterable[Mapping[str, Any]]) -> list[Accepted]:
    """Return the entries of a settings file. Raises `ValueError` or `TypeError` if one is not whole."""
    return [Accepted(**entry) for entry in entries]


def age_of(newest: str, today: date, *, oldest_days: int = OLD_DAYS) -> str:
    """Return why a copy of advisories may lack some, from the day of its newest change; empty if it is new enough."""
    try:
        days = (today - date.fromisoformat(newest)).days
    except ValueError:
        return "the copy of the advisories does not say how old it is"
    return f"the copy of the advisories is {days} days old" if days > oldest_days else ""
