"""A local copy of an advisory database says which versions are affected, and never looks clean by mistake."""

import io
import json
from datetime import date
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from rich.console import Console

from benchmarks.audit.advisories import is_affected, read_advisories
from benchmarks.audit.locks import Pin, offline
from benchmarks.audit.vulnerabilities import age_of

PYPI = {"ecosystem": "PyPI", "name": "Made_Up"}
YAML = """
id: PYSEC-2026-1
modified: '2026-02-03T00:00:00Z'
affected:
- package: {name: Made_Up, ecosystem: PyPI}
  ranges:
  - type: GIT
    events: [{introduced: '0'}]
  - type: ECOSYSTEM
    events:
    - introduced: 1.9
    - fixed: 1.10
"""


def advisory(*events: dict[str, str], **fields: Any) -> dict[str, Any]:
    """Return an advisory for one range of versions."""
    affected = {"package": PYPI, "ranges": [{"type": "ECOSYSTEM", "events": events}]}
    return {"id": "GHSA-1", "modified": "2026-01-01T00:00:00Z", "affected": [affected], **fields}


def test_a_folder_and_a_zip_file_are_read_and_versions_stay_text(tmp_path: Path) -> None:
    (tmp_path / "made-up").mkdir()
    (tmp_path / "made-up" / "PYSEC-2026-1.yaml").write_text(YAML)
    with ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("GHSA-1.json", json.dumps(advisory({"introduced": "0"}, {"last_affected": "1.9"})))
    said = io.StringIO()
    pins = [Pin("made-up", version) for version in ("1.8", "1.9", "1.9.5", "1.10")]

    looked = {
        place: offline(tmp_path / place, Console(file=said), today=date(2026, 2, 4))(pins)
        for place in ("made-up", "all.zip")
    }
    found = {place: [str(one) for one in each.found] for place, each in looked.items()}

    assert [f"made-up {one}: PYSEC-2026-1, fixed in 1.10" for one in ("1.9", "1.9.5")] == found["made-up"]
    assert [f"made-up {one}: GHSA-1, fixed in no version yet" for one in ("1.8", "1.9")] == found["all.zip"]
    assert ("", "the copy of the advisories is 34 days old") == tuple(each.unknown for each in looked.values())
    assert "1 advisories; the newest change is of 2026-02-03." in said.getvalue()


@pytest.mark.parametrize(
    ("events", "affected"),
    [
        (({"introduced": "0"},), {"0.1", "1.0rc1", "1.0", "2.0"}),
        (({"introduced": "1.0"}, {"fixed": "2.0"}), {"1.0"}),
        (({"fixed": "2.0"}, {"introduced": "0"}), {"0.1", "1.0rc1", "1.0"}),
        (({"introduced": "0"}, {"last_affected": "1.0"}), {"0.1", "1.0rc1", "1.0"}),
        (({"introduced": "0"}, {"fixed": "0.2"}, {"introduced": "2.0"}), {"0.1", "2.0"}),
        (({"introduced": "no version"},), {"0.1", "1.0rc1", "1.0", "2.0"}),
    ],
)
def test_versions_are_compared_with_ranges(events: tuple[dict[str, str], ...], affected: set[str]) -> None:
    versions = {"0.1", "1.0rc1", "1.0", "2.0"}

    assert affected == {version for version in versions if is_affected(advisory(*events), "made-up", version)}


def test_a_listed_version_counts_and_another_package_does_not() -> None:
    listed = {"id": "GHSA-1", "affected": [{"package": PYPI, "versions": ["1.5"]}]}

    assert is_affected(listed, "made-up", "1.5")
    assert not is_affected(listed, "made-up", "1.6")
    assert not is_affected(listed, "made", "1.5")
    assert not is_affected(advisory({"introduced": "0"}) | {"affected": [{}]}, "made-up", "1.5")


def test_what_was_withdrawn_is_skipped_and_an_empty_copy_is_refused(tmp_path: Path) -> None:
    (tmp_path / "GHSA-1.json").write_text(json.dumps(advisory({"introduced": "0"}, withdrawn="2026-01-02T00:00:00Z")))
    with pytest.raises(ValueError, match="holds no advisories"):
        read_advisories(tmp_path)
    (tmp_path / "GHSA-2.json").write_text(json.dumps(advisory({"introduced": "0"}, withdrawn=None)))

    assert ["made-up"] == list(read_advisories(tmp_path))


@pytest.mark.parametrize(
    ("newest", "said"),
    [
        ("2026-02-03", ""),
        ("2026-01-28", ""),
        ("2026-01-27", "the copy of the advisories is 8 days old"),
        ("", "the copy of the advisories does not say how old it is"),
        ("yesterday", "the copy of the advisories does not say how old it is"),
    ],
)
def test_an_old_copy_may_lack_new_vulnerabilities(newest: str, said: str) -> None:
    assert said == age_of(newest, date(2026, 2, 4))
