"""The audit of the locks finds what is wrong, and does not report success if it could not check."""

import asyncio
import io
from datetime import date
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.audit import locks
from benchmarks.audit.locks import LOCKS, ROOT, SHIPPED, Pin, Rules, is_allowed, licence_of, read_lock
from benchmarks.audit.vulnerabilities import Accepted, Looked, Vulnerability, accepted_in, judged
from tests.slack.strangers import serving

HASH = f"--hash=sha256:{'0' * 64}"
PIN = f"aiohttp==1.0 \\\n    {HASH} \\\n    {HASH}\n"
TODAY = date(2026, 2, 4)
VULNERABILITY = Vulnerability(package="aiohttp", version="1.0", id="GHSA-1", aliases=frozenset({"CVE-1"}))
NOWHERE = "http://127.0.0.1:9/v1/query"
CLEAN = {"text": "{}", "content_type": "application/json"}
VULNERABLE = CLEAN | {
    "text": '{"vulns": [{"id": "GHSA-1", "published": "2026-01-01T00:00:00Z", "affected": [{"package":'
    ' {"name": "aiohttp", "ecosystem": "PyPI"}, "ranges": [{"type": "ECOSYSTEM", "events":'
    ' [{"introduced": "0"}, {"fixed": "1.1"}]}]}]}]}'
}


async def audited(folder: Path, osv_url: str, *, allowed: tuple[str, ...] = ("Apache-2.0", "MIT")) -> tuple[int, str]:
    """Audit a lock of one package; return the exit code and the output."""
    (folder / "requirements.lock").write_text(PIN)
    rules = Rules(allowed=allowed, allowed_to_develop=[], known={})
    said = io.StringIO()
    code = await asyncio.to_thread(
        locks.audit,
        [folder / "requirements.lock"],
        rules,
        Console(file=said, width=200),
        partial(locks.vulnerabilities, osv_url=osv_url),
        today=TODAY,
    )
    return code, said.getvalue()


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_of_the_locks_is_a_version_with_hashes(name: str) -> None:
    pins, unfit = read_lock((ROOT / name).read_text())

    assert [] == unfit
    assert (ROOT / name).read_text().count("==") == len(pins) + (ROOT / name).read_text().count(" == ")


@pytest.mark.parametrize(
    "line",
    [
        "aiohttp==1.0",
        f"aiohttp>=1.0 {HASH}",
        f"aiohttp @ https://evil.example/aiohttp.whl {HASH}",
        "--index-url https://evil.example/simple",
        f"aiohttp==1.0 --hash=md5:{'0' * 32}",
        f"aiohttp==1.0 {HASH} --find-links=https://evil.example",
        f"--extra-index-url=https://evil.example {HASH}",
    ],
)
def test_what_is_no_version_with_hashes_is_found(line: str) -> None:
    pins, unfit = read_lock(f"{PIN}{line}\n")

    assert [Pin("aiohttp", "1.0")] == pins
    assert [line[:60]] == unfit


def test_every_package_of_the_locks_has_a_licence_that_was_allowed() -> None:
    rules = locks.rules_of(ROOT / "pyproject.toml")
    of = {name: {pin.name for pin in read_lock((ROOT / name).read_text())[0]} for name in LOCKS}
    shipped, all_of_them = set[str]().union(*(of[name] for name in SHIPPED)), set[str]().union(*of.values())
    licences = {name: licence_of(name, rules.known) for name in all_of_them}
    to_develop = [*rules.allowed, *rules.allowed_to_develop]

    assert {} == {name: licences[name] for name in shipped if not is_allowed(licences[name], rules.allowed)}
    assert {} == {name: licence for name, licence in licences.items() if not is_allowed(licence, to_develop)}


def test_a_choice_of_licences_and_all_of_several_must_be_allowed() -> None:
    assert is_allowed("MIT OR (Apache-2.0 AND MIT)", ["MIT", "Apache-2.0"])
    assert is_allowed("Public (2.0)", ["Public (2.0)"])
    assert not is_allowed("MIT AND AGPL-3.0-only", ["MIT"])
    assert not is_allowed("", ["MIT"])
    assert not is_allowed(licence_of("there-is-no-such-package", {}), ["MIT"])


async def test_nothing_found_and_nothing_looked_for_are_two_answers(tmp_path: Path) -> None:
    async with serving(CLEAN) as mirror:
        assert (0, True) == _with(await audited(tmp_path, mirror), "no vulnerability of them is known")
    code, said = await audited(tmp_path, NOWHERE)
    async with serving({"text": "<html>Sign in</html>", "content_type": "text/html"}) as portal:
        assert (locks.NOT_LOOKED, True) == _with(await audited(tmp_path, portal), "Vulnerabilities are unknown")

    assert locks.NOT_LOOKED == code
    assert "Vulnerabilities are unknown" in said
    assert "no vulnerability" not in said


async def test_a_known_vulnerability_is_named_with_what_fixes_it(tmp_path: Path) -> None:
    async with serving(VULNERABLE) as mirror:
        code, said = await audited(tmp_path, mirror)

    assert locks.FOUND == code
    assert "aiohttp 1.0: GHSA-1, fixed in 1.1" in said


async def test_a_licence_that_nobody_allowed_is_named_also_without_the_network(tmp_path: Path) -> None:
    assert (locks.FOUND, True) == _with(
        await audited(tmp_path, NOWHERE, allowed=("BSD-3-Clause",)), "aiohttp: nobody allowed its licence, Apache-2.0"
    )


async def test_two_versions_of_a_package_are_both_looked_up() -> None:
    async with serving(VULNERABLE) as mirror:
        found = await asyncio.to_thread(locks.vulnerabilities, [Pin("aiohttp", "1.0"), Pin("aiohttp", "0.9")], mirror)

    assert ["aiohttp 0.9: GHSA-1, fixed in 1.1", "aiohttp 1.0: GHSA-1, fixed in 1.1"] == [*map(str, found.found)]


@pytest.mark.parametrize(
    ("found", "unknown", "code"),
    [
        ([], "", 0),
        ([], "the copy of the advisories is 8 days old", locks.NOT_LOOKED),
        ([VULNERABILITY], "", locks.FOUND),
        ([VULNERABILITY], "the copy of the advisories is 8 days old", locks.FOUND),
    ],
)
def test_an_old_copy_is_no_clean_result(tmp_path: Path, found: list[Vulnerability], unknown: str, code: int) -> None:
    (tmp_path / "requirements.lock").write_text(PIN)
    rules, said = Rules(allowed=["Apache-2.0", "MIT"], allowed_to_develop=[], known={}), io.StringIO()
    console = Console(file=said, width=200)
    looked = Looked(found, unknown)

    assert code == locks.audit([tmp_path / "requirements.lock"], rules, console, lambda _: looked, today=TODAY)
    assert bool(unknown) is (f"Vulnerabilities are unknown: {unknown}." in said.getvalue())
    assert (code == 0) is ("no vulnerability of them is known" in said.getvalue())


@pytest.mark.parametrize("id_", ["GHSA-1", "CVE-1"])
def test_what_was_accepted_does_not_count_until_its_day_is_over(id_: str) -> None:
    entry = Accepted(package="AioHTTP", id=id_, reason="We serve nothing with it.", until=TODAY)

    here = judged([VULNERABILITY], [entry], TODAY)
    later = judged([VULNERABILITY], [entry], date(2026, 2, 5))

    assert ([], [f"{VULNERABILITY} (accepted until 2026-02-04: We serve nothing with it.)"]) == (
        here.counted,
        here.remarks,
    )
    assert [f"{VULNERABILITY} (accepted until 2026-02-04: this day is over)"] == later.counted


def test_what_was_accepted_for_another_package_counts_and_is_named_if_it_is_gone() -> None:
    entry = Accepted(package="httpx", id="GHSA-1", reason="We serve nothing with it.", until=TODAY)

    found = judged([VULNERABILITY], [entry], TODAY)

    assert [str(VULNERABILITY)] == found.counted
    assert ["httpx: GHSA-1 is accepted, but was not found: remove it"] == found.remarks


@pytest.mark.parametrize(
    "entry",
    [
        {"reason": " ", "until": TODAY},
        {"reason": "x", "until": "2026-02-04"},
        {"reason": "x"},
        {"until": TODAY},
        {"reason": "x", "until": TODAY, "forever": True},
    ],
)
def test_an_accepted_vulnerability_needs_a_reason_and_a_day(entry: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        accepted_in([{"package": "aiohttp", "id": "GHSA-1", **entry}])


def _with(ended: tuple[int, str], part: str) -> tuple[int, bool]:
    return ended[0], part in ended[1]
