"""Every transition that a question, or a command about one, may take (pure).

A transition takes the question as it is and returns it as it will be, or None if it refuses. Taken twice, it comes to
the same. `bot.conversation.store.change` locks the row, and writes the columns that the transition has changed.
"""

from dataclasses import asdict, replace
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal

from bot.conversation.items import AT_ONCE, Item
from bot.conversation.message_kinds import PartialAnswer
from bot.conversation.retry import ATTEMPTS, MOST_ALLOWED, LastError
from graph.turn import Choice, Turn

UNFINISHED: Final = ("waiting", "asking")


def finished(question: Item, *, now: datetime) -> Item | None:
    """End the question; nobody else may have ended it."""
    return replace(question, status="finished", finished_at=now) if question.status in UNFINISHED else None


def asked(question: Item, *, now: datetime) -> Item | None:
    """Let the card of what its run asked be posted, with fresh attempts."""
    if question.status not in UNFINISHED:
        return None
    return replace(
        question, status="asking", finished_at=now, attempts=0, attempts_allowed=ATTEMPTS, runs_again=False,
        partial=None, last_error=None,
    )  # fmt: skip


def failed(question: Item, *, now: datetime) -> Item:
    """End the question without an answer."""
    return replace(question, status="failed", finished_at=now)


def ended(question: Item, *, status: Literal["stopped", "dropped"], now: datetime) -> Item:
    """End the question as a person wished, which its message says.

    It may never have run, but it has shown something: an attempt says so, and its next run takes that over.
    """
    return replace(question, status=status, finished_at=now, attempts=max(question.attempts, 1))


def removed(question: Item, *, changed_at: str, now: datetime) -> Item:
    """End a question whose message was deleted, and forget what it said."""
    return replace(
        without_said(question), status="removed", finished_at=now, changed_at=Decimal(changed_at),
        content={**question.content, "question": ""},
    )  # fmt: skip


def withdrawn(question: Item, *, now: datetime) -> Item | None:
    """End what answers a question that nobody asks any more, unless it has ended; a message stays."""
    if question.status == "finished" or question.kind == "turn":
        return None
    return replace(question, status="removed", finished_at=now)


def replaced(question: Item, *, now: datetime) -> Item | None:
    """End for good what came to nothing for an earlier choice: Retry does not run it any more."""
    if question.status not in ("failed", "dropped", "stopped"):
        return None
    return replace(question, status="finished", finished_at=now)


def joined(question: Item, *, to: int, now: datetime) -> Item:
    """Let a message be part of another question: it is done when that is, and never runs by itself."""
    return replace(question, status="finished", joined_to=to, finished_at=now)


def released(question: Item) -> Item | None:
    """Let a message that was part of a question run by itself, for that question is gone."""
    if question.status != "finished":
        return None
    return replace(question, status="waiting", joined_to=None, finished_at=None)


def postponed(question: Item, *, until: datetime) -> Item:
    """Let the question run again, not before a time."""
    return replace(question, due_at=until)


def with_error(question: Item, *, error: LastError, now: datetime) -> Item:
    """Keep what ended its last run, for administrators."""
    return replace(question, last_error={**asdict(error), "at": now.isoformat()})


def with_partial(question: Item, *, partial: PartialAnswer) -> Item:
    """Keep what a run had said that is ended from outside."""
    return replace(question, partial=partial.to_json())


def given_back(question: Item) -> Item | None:
    """Give an attempt back for which it was not to blame; a bounded number of them, for it may be after all."""
    if not question.attempts or question.attempts_allowed >= MOST_ALLOWED:
        return None
    return replace(question, attempts_allowed=question.attempts_allowed + 1)


def retried(question: Item, *, has_run: bool = False) -> Item | None:
    """Run a failed, stopped, dropped or pending question with fresh attempts.

    It keeps its words, so it keeps its partial answer, too: a stop can still show it. `has_run`: somebody has run for
    it, as a stop that is taken back.
    """
    if question.status not in (*UNFINISHED, "failed", "dropped", "stopped"):
        return None
    again = replace(question, status="waiting", due_at=AT_ONCE, finished_at=None)
    return _renewed(again, has_run=has_run or question.status == "asking", keeps_partial=True)


def run_again(question: Item, *, now: datetime) -> Item | None:
    """Let a message that asked back ask again; a reply that did leaves its card superseded."""
    if question.kind != "turn":
        return None
    again = replace(question, status="waiting", due_at=now, finished_at=None)
    return _renewed(again, has_run=question.status == "asking")


def redone(question: Item, *, turn: Turn, changed_at: str, now: datetime) -> Item:
    """Let a message run with its new text and fresh attempts."""
    again = replace(
        question, status="waiting", due_at=now, finished_at=None, content=asdict(turn),
        changed_at=Decimal(changed_at),
    )  # fmt: skip
    return _renewed(again, has_run=question.status == "asking")


def shown_again(question: Item, *, now: datetime) -> Item:
    """Let its card be shown as it is."""
    return _renewed(replace(question, status="asking", due_at=now))


def reworded(question: Item, *, turn: Turn, changed_at: str) -> Item:
    """Keep the new text of a message that does not run again by itself; a deleted one is part of its question again."""
    return replace(
        question, content=asdict(turn), changed_at=Decimal(changed_at),
        status="finished" if question.status == "removed" else question.status,
    )  # fmt: skip


def said_to_us(question: Item) -> Item:
    """Note that a message was said to us, though it may not mention us: it has closed a question of ours."""
    return replace(question, content={**question.content, "said_to_us": True})


def without_said(question: Item) -> Item:
    """Forget what its runs have said: the partial answer, and the message of the last error."""
    error = question.last_error
    kept = {name: value for name, value in error.items() if name != "reason"} if error else None
    return replace(question, partial=None, last_error=kept)


def without_choice(question: Item) -> Item:
    """Forget which option a reply or a changed choice names; it still answers its question."""
    content = {**question.content, "choice": asdict(Choice(kind="just_answer"))}
    return replace(question, content={**content, "instead_of": ""} if "instead_of" in content else content)


def without_words(question: Item) -> Item:
    """Forget what an edit or a choice says."""
    content = dict(question.content)
    if question.kind == "edit":
        content["turn"] = {**content["turn"], "question": ""}
    elif "choice" in content:
        content["choice"] = {**content["choice"], "value": "", "label": ""}
    return replace(question, content=content)


def _renewed(question: Item, *, has_run: bool = False, keeps_partial: bool = False) -> Item:
    """Give fresh attempts, and note that it has run: its next run takes over what was shown.

    What never ran has nothing to renew. The attempts of a question that asked back are forgotten, but it `has_run`.
    """
    if not (question.attempts or has_run):
        return question
    attempts = max(question.attempts, 1)
    return replace(
        question, attempts=attempts, attempts_allowed=attempts + ATTEMPTS, runs_again=True,
        partial=question.partial if keeps_partial else None,
    )  # fmt: skip
