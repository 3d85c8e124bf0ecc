"""How the inbox reads in a terminal (pure)."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final

from bot.conversation.turns.entries import Details, Entry

HEADS: Final = ("reference", "state", "kind", "for", "attempts", "last error", "person", "thread")
_UNITS: Final = (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1)))


def row(entry: Entry, now: datetime) -> list[str]:
    """Return an item as a row below `HEADS`."""
    return [
        entry.reference, entry.state, entry.kind, span(now - entry.received_at),
        f"{entry.begun} of {entry.allowed}", entry.error or "", entry.person, entry.thread_id,
    ]  # fmt: skip


def lines(found: Details, now: datetime) -> list[str]:
    """Return all that is known of an item; what people said, where it was not taken out."""
    entry = found.entry
    return [
        f"{entry.reference}: {entry.kind}, {entry.state}",
        f"  from {entry.person} in {entry.thread_id} ({entry.surface}), {_ago(entry.received_at, now)}",
        f"  {entry.begun} of {entry.allowed} attempts{_next(entry, now)}",
        *_error(entry, now),
        *(f"  posted {one.kind} {one.channel} {one.ts}, {_ago(one.posted_at, now)}" for one in found.posted),
        *_questions(found, now),
        *([f"  text: {entry.text}"] if entry.text else []),
    ]


def as_json(found: Details | Sequence[Entry]) -> str:
    """Return an item, or several, as JSON."""
    what = asdict(found) if isinstance(found, Details) else [asdict(entry) for entry in found]
    return json.dumps(what, ensure_ascii=False, indent=2, default=datetime.isoformat)


def span(length: timedelta) -> str:
    """Return a length of time, roughly: `3 min`, `2 h`, `5 d`."""
    for name, unit in _UNITS:
        if length >= unit:
            return f"{length // unit} {name}"
    return f"{max(0, int(length.total_seconds()))} s"


def _ago(then: datetime, now: datetime) -> str:
    return f"{span(now - then)} ago"


def _next(entry: Entry, now: datetime) -> str:
    return f", the next in {span(entry.due_at - now)}" if entry.state == "waiting" and entry.due_at > now else ""


def _error(entry: Entry, now: datetime) -> list[str]:
    if entry.error and entry.failed_at:
        said = [f"  which said: {entry.reason}"] if entry.reason else []
        return [f"  last error {entry.error} at {entry.place}, {_ago(entry.failed_at, now)}", *said]
    is_silent = entry.state == "failed"
    return ["  no error is known: each of its runs ended with its process"] if is_silent else []


def _questions(found: Details, now: datetime) -> list[str]:
    shown: list[str] = []
    for asked in found.asked:
        by = f" by {asked.answered_by}" if asked.answered_by else ""
        shown.append(f"  asked back {_ago(asked.asked_at, now)}, {asked.options} options: {asked.status}{by}")
        shown += [f"    {asked.question} {asked.choice or ''}".rstrip()] if asked.question else []
    return shown
