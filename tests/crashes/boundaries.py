"""Every durable boundary of a turn and of a click: what the bot commits and what Slack accepts, by name.

`seen_in_commit` and `seen_in_call` recognise them on the wire. What goes over the wire without a name fails the tests:
so nothing lasting can be added to the bot that is not killed there, before and after.
"""

import re
from enum import Enum


class Boundary(Enum):
    """An effect that survives a crash: a commit, or a call that Slack accepted."""

    EVENT_STORED = "an event is stored"
    CHANGE_STORED = "an edit, a deletion or a stop is stored"
    DECIDED = "a click or a review decision is claimed, with the item that applies it"
    EXPIRED = "a question or a review expires, with the item that ends it"
    REMINDER_DUE = "a reminder is stored"
    BURST_JOINED = "messages that wait behind a run become one turn"
    CLAIMED = "a thread is claimed, with its attempt"
    QUESTION_MET = "what a message means for an open question is stored"
    ATTEMPT_GIVEN_BACK = "an attempt that was no fault of its item is given back"
    SAID_KEPT = "what a run had said is kept as it is ended"
    ASKED = "a run ends in a question, or in an answer that somebody may review"
    CALL_BEGUN = "an approved call of a tool that writes is about to be made"
    CALL_ENDED = "it is stored what came of a call"
    READING_ASSUMED = "what was assumed instead of asked is stored"
    REVIEW_WANTED = "a colleague is asked, with the item that tells them"
    REVIEW_PLACED = "it is recorded where a review's card is"
    ANSWERED = "a run ends in an answer"
    SHOWN = "an item that only showed something ends"
    OWNER_TOLD = "it is noted that an owner was told of a flagged document"
    READER_TOLD = "it is noted that a reader was told what came of their report"
    OLD_FORGOTTEN = "old flags and reports are deleted"
    CHANGE_IN_FORCE = "an edit or a deletion comes into force"
    ANSWER_ADOPTED = "an edit or a changed choice takes the earlier answer over"
    MESSAGE_RECORDED = "it is recorded where a message is"
    STREAM_OPENED = "Slack opens the answer's stream"
    STREAM_GROWN = "Slack adds to the stream"
    STREAM_CLOSED = "Slack closes the stream"
    POSTED = "Slack takes a message: a card, a reminder"
    REWRITTEN = "Slack rewrites a message"
    DELETED = "Slack deletes a message"
    STATUS_SHOWN = "Slack shows or clears a status, or a session's state"


CALLS = {
    "chat.startStream": Boundary.STREAM_OPENED,
    "chat.appendStream": Boundary.STREAM_GROWN,
    "chat.stopStream": Boundary.STREAM_CLOSED,
    "chat.postMessage": Boundary.POSTED,
    "chat.update": Boundary.REWRITTEN,
    "chat.delete": Boundary.DELETED,
    "assistant.threads.setStatus": Boundary.STATUS_SHOWN,
    "agents.sessions.setStatus": Boundary.STATUS_SHOWN,
}
_PASSING = frozenset(
    {
        "auth.test", "bots.info", "users.info", "users.profile.get", "team.profile.get", "apps.connections.open",
        "conversations.replies",
        "conversations.history", "conversations.info", "conversations.open", "chat.getPermalink", "chat.postEphemeral",
        "views.open",
    }
)  # fmt: skip
"""Calls without a lasting effect that anybody could miss or see twice."""

COMMITS: tuple[tuple[frozenset[str], Boundary], ...] = (
    (frozenset({"asks=expired"}), Boundary.EXPIRED),
    (frozenset({"decided", "into inbox"}), Boundary.DECIDED),
    (frozenset({"into asks", "into checkpoints"}), Boundary.ASKED),
    (frozenset({"into asks"}), Boundary.READING_ASSUMED),
    (frozenset({"assumed again"}), Boundary.READING_ASSUMED),
    (frozenset({"into tool_calls"}), Boundary.CALL_BEGUN),
    (frozenset({"change in force"}), Boundary.CHANGE_IN_FORCE),
    (frozenset({"into checkpoints"}), Boundary.ANSWERED),
    (frozenset({"review wanted", "into inbox"}), Boundary.REVIEW_WANTED),
    (frozenset({"joined"}), Boundary.BURST_JOINED),
    (frozenset({"into claims"}), Boundary.CLAIMED),
    (frozenset({"into messages"}), Boundary.MESSAGE_RECORDED),
    (frozenset({"change", "into inbox"}), Boundary.CHANGE_STORED),
    (frozenset({"reminder", "into inbox"}), Boundary.REMINDER_DUE),
    (frozenset({"into inbox"}), Boundary.EVENT_STORED),
    (frozenset({"partial answer", "inbox"}), Boundary.SAID_KEPT),
    (frozenset({"attempt given back", "inbox"}), Boundary.ATTEMPT_GIVEN_BACK),
    (frozenset({"inbox", "claims"}), Boundary.SHOWN),
    (frozenset({"decided"}), Boundary.QUESTION_MET),
    (frozenset({"closed"}), Boundary.QUESTION_MET),
    (frozenset({"inbox"}), Boundary.SHOWN),
    (frozenset({"tool_calls"}), Boundary.CALL_ENDED),
    (frozenset({"review placed"}), Boundary.REVIEW_PLACED),
    (frozenset({"flags", "reports"}), Boundary.OLD_FORGOTTEN),
    (frozenset({"flags"}), Boundary.OWNER_TOLD),
    (frozenset({"reports"}), Boundary.READER_TOLD),
    (frozenset({"messages"}), Boundary.ANSWER_ADOPTED),
)
"""Boundaries by their writes; the first match counts. An inserting statement writes `into` its table."""

_WRITES = re.compile(
    r"\b(INSERT INTO|UPDATE|DELETE FROM)\s+(?!SET\b|SKIP\b|OF\b)([a-z_]+)(?:\s+[a-z]+)?(?:\s+SET status = '([a-z]+)')?"
)
_MARKS = {
    "change": "askback_changes",
    "reminder": "reminder:",
    "partial answer": 'SET "partial" = ',
    "attempt given back": 'SET "attempts_allowed" = ',
    "change in force": '"changed_at" = $',
    "joined": '"joined_to" = $',
    "assumed again": "UPDATE asks SET decision = $",
    "decided": '"decided_by" = $',
    "closed": '"superseded_by" = $',
    "review wanted": '"asked_at" = $',
    "review placed": '"card" = $',
}
"""Statements that a program composes name columns, and bind their values."""


def written(statements: list[str]) -> frozenset[str]:
    """Return the writes of some statements: the tables, and what distinguishes effects on the same tables."""
    found: set[str] = set()
    for statement in statements:
        for verb, table, status in _WRITES.findall(statement):
            found.add(f"into {table}" if verb == "INSERT INTO" else f"{table}={status}" if status else table)
        found |= {mark for mark, text in _MARKS.items() if text in statement}
    return frozenset(found if found - _MARKS.keys() else ())


def seen_in_commit(writes: frozenset[str]) -> Boundary | None:
    """Return the boundary of a commit; `None` if it has no name."""
    return next((boundary for needed, boundary in COMMITS if needed <= writes), None)


def seen_in_call(method: str) -> Boundary | None:
    """Return the boundary of a call, `None` without a lasting effect. Raises `LookupError` if the call is unknown."""
    if method in _PASSING:
        return None
    if method not in CALLS:
        raise LookupError(f"No boundary names {method}.")
    return CALLS[method]
