"""Payloads that others recorded. They are not part of the repository, and tests are skipped without them."""

import gzip
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

Payload = dict[str, Any]
BODY = re.compile(r"body: '(\{.*\})'")
KINDS = {"event_callback", "block_actions", "view_submission", "view_closed"}


def folder() -> Path:
    """Return the folder of the recordings."""
    return Path(os.environ.get("ASKBACK_EVALS", "../shared/evals")) / "slack_payloads"


@cache
def sequences() -> dict[str, list[Payload]]:
    """Return the recorded payloads of each session, in order, by file name."""
    recorded = sorted((folder() / "replay_vercel_chat").glob("*"))
    return {path.stem: _deliveries(path) for path in recorded}


def sample(name: str) -> Payload:
    """Return a sample of the Java SDK, by path. Without it the test is skipped."""
    found = optional_sample(name)
    if found is None:
        pytest.skip("the samples are not here")
    return found


@cache
def optional_sample(name: str) -> Payload | None:
    """Return a sample of the Java SDK, by path, if it exists."""
    plain = folder() / "java_sdk_samples" / f"{name}.json"
    packed = plain.with_name(plain.name + ".gz")
    if plain.exists():
        return json.loads(plain.read_text())
    return json.loads(gzip.decompress(packed.read_bytes())) if packed.exists() else None


def _deliveries(path: Path) -> list[Payload]:
    if path.suffix == ".md":
        return [body for text in BODY.findall(path.read_text()) if (body := json.loads(text))["type"] in KINDS]
    recorded: Payload = json.loads(path.read_text())
    return [
        one for one in recorded.values() if isinstance(one, dict) and (one.get("type") in KINDS or "command" in one)
    ]
