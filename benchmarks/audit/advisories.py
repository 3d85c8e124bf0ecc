"""Reads known vulnerabilities from a local copy of an advisory database, for machines without a network.

A copy is a folder or a zip file of files in OSV's format (https://ossf.github.io/osv-schema/): the YAML of PyPA's
advisory database, or the JSON of OSV's export for PyPI.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast
from zipfile import ZipFile

import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

Advisory = Mapping[str, Any]
"""An advisory as OSV writes it."""

_FORMATS: Final = (".json", ".yaml", ".yml")
_ALWAYS: Final = "0"
"""OSV's sign for "since the first version"."""


def read_advisories(place: Path) -> dict[str, list[Advisory]]:
    """Return the advisories of a folder or a zip file by package name, without those that were withdrawn.

    Raises `ValueError` if the place holds none: an empty copy must not look like a clean result.
    """
    found: defaultdict[str, list[Advisory]] = defaultdict(list)
    for name, text in _files(place):
        read: object = json.loads(text) if name.endswith(".json") else yaml.load(text, Loader=_Loader)
        advisory: Advisory = cast("Advisory", read) if isinstance(read, dict) else {}
        if "affected" not in advisory or _is_withdrawn(advisory):
            continue
        for package in {canonicalize_name(one["package"]["name"]) for one in _of_pypi(advisory)}:
            found[package].append(advisory)
    if not found:
        raise ValueError(f"{place} holds no advisories of PyPI packages.")
    return dict(found)


def is_affected(advisory: Advisory, name: str, version: str) -> bool:
    """Tell whether an advisory affects a version: it lists the version, or the version is in one of its ranges."""
    return any(
        version in one.get("versions", ()) or any(_is_within(events, version) for events in _ranges(one))
        for one in _of_package(advisory, name)
    )


def fixes_of(advisory: Advisory, name: str) -> list[str]:
    """Return the versions of a package that fix an advisory, in the order of the advisory."""
    return [
        event["fixed"]
        for one in _of_package(advisory, name)
        for events in _ranges(one)
        for event in events
        if "fixed" in event
    ]


def newest_change(advisories: Iterable[Advisory]) -> str:
    """Return the day of the last change in a copy, as YYYY-MM-DD."""
    return max(str(advisory.get("modified", "")) for advisory in advisories)[:10]


class _Loader(yaml.CSafeLoader):
    """Reads plain data; dates and numbers stay the text that was written, because 1.10 is a version."""

    yaml_implicit_resolvers: Final = {}


def _files(place: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file in one of the formats."""
    if place.is_dir():
        for file in sorted(place.rglob("*")):
            if file.suffix in _FORMATS and file.is_file():
                yield file.name, file.read_text("utf-8")
        return
    with ZipFile(place) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(_FORMATS):
                yield name, archive.read(name).decode()


def _is_withdrawn(advisory: Advisory) -> bool:
    """Tell whether an advisory has the time of its withdrawal; an empty field is no withdrawal."""
    return str(advisory.get("withdrawn", ""))[:1].isdigit()


def _of_pypi(advisory: Advisory) -> Iterator[Mapping[str, Any]]:
    return (one for one in advisory["affected"] if one.get("package", {}).get("ecosystem") == "PyPI")


def _of_package(advisory: Advisory, name: str) -> Iterator[Mapping[str, Any]]:
    wanted = canonicalize_name(name)
    return (one for one in _of_pypi(advisory) if canonicalize_name(one["package"]["name"]) == wanted)


def _ranges(affected: Mapping[str, Any]) -> Iterator[Sequence[Mapping[str, str]]]:
    """Yield the events of each range of versions; ranges of commits are none."""
    return (kind["events"] for kind in affected.get("ranges", ()) if kind["type"] != "GIT")


def _is_within(events: Iterable[Mapping[str, str]], version: str) -> bool:
    """Tell whether a version lies in a range. A range that cannot be read holds every version."""
    within = False
    try:
        ours = Version(version)
        for limit, kind in sorted((_version(limit), kind) for event in events for kind, limit in event.items()):
            match kind:
                case "introduced" if ours >= limit:
                    within = True
                case "fixed" if ours >= limit:
                    within = False
                case "last_affected" if ours > limit:
                    within = False
                case _:
                    pass
    except InvalidVersion:
        return True
    return within


def _version(text: str) -> Version:
    return Version("0.dev0" if text == _ALWAYS else text)
