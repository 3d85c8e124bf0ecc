"""Every transition that an item may take (pure).

A transition returns the item as it will be, or None if it refuses. Taken twice, it comes to the same.
`bot.conversation.store.change` locks the row, and writes what has changed.
"""

from dataclasses import asdict, replace
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal

from bot.conversation.address import Address
from bot.conversation.contents import ChangeContent, ChoiceContent, TurnContent
from bot.conversation.items import AT_ONCE, ATTEMPTS, MOST_ALLOWED, Item
from bot.conversation.message_kinds import PartialAnswer
from bot.errors import name_of, place_of
from graph.turn import Choice, Turn

UNFINISHED: Final = ("waiting", "asking")
LONGEST_REASON: Final = 500
"""Of an error, which may repeat people's words."""


def finished(item: Item, *, now: datetime) -> Item | None:
    """End the question; nobody else may have ended it."""
    return replace(item, status="finished", finished_at=now) if item.status in UNFINISHED else None


def asked(item: Item, *, now: datetime) -> Item | None:
    """Let the card of what its run asked be posted, with fresh attempts."""
    if item.status not in UNFINISHED:
        return None
    return replace(
        item,
        status="asking",
        finished_at=now,
        attempts=0,
        attempts_allowed=ATTEMPTS,
        runs_again=False,
        partial=None,
        last_error=None,
    )


def failed(item: Item, *, now: datetime) -> Item:
    """End the question without an answer."""
    return replace(item, status="failed", finished_at=now)


def ended(item: Item, *, status: Literal["stopped", "dropped"], now: datetime) -> Item:
    """End the question as a person wished, which its message says.

    It may never have run, but it has shown something: an attempt says so, and its next run takes that over.
    """
    return replace(item, status=status, finished_at=now, attempts=max(item.attempts, 1))


def removed(item: Item, *, changed_at: str, now: datetime) -> Item:
    """End a question whose message was deleted, and forget what it said."""
    return replace(
        without_run_texts(item),
        status="removed",
        finished_at=now,
        changed_at=Decimal(changed_at),
        content=item.with_turn(replace(item.turn, question="", unread=())).content,
    )


def withdrawn(item: Item, *, now: datetime) -> Item | None:
    """End what answers a question that nobody asks any more, unless it has ended; a message stays."""
    if item.status == "finished" or item.kind == "turn":
        return None
    return replace(item, status="removed", finished_at=now)


def replaced(item: Item, *, now: datetime) -> Item | None:
    """End for good what came to nothing for an earlier choice: Retry does not run it any more."""
    if item.status not in ("failed", "dropped", "stopped"):
        return None
    return replace(item, status="finished", finished_at=now)


def joined(item: Item, *, to: int, now: datetime) -> Item:
    """Let a message be part of another question. It never runs by itself, and is done when the question is."""
    return replace(item, status="finished", joined_to=to, finished_at=now)


def released(item: Item) -> Item | None:
    """Let a message run by itself, because the question that it was part of is gone."""
    if item.status != "finished":
        return None
    return replace(item, status="waiting", joined_to=None, finished_at=None)


def broken_off(item: Item, *, error: BaseException, now: datetime) -> Item | None:
    """Keep why its run has failed, for administrators; while attempts are left, it runs again after a pause.

    A run that has lost its claim may end late. It leaves no words with a question that another process has ended.
    """
    if item.status not in UNFINISHED:
        return None
    reason = str(error).replace("\0", "")[:LONGEST_REASON]
    last_error = {"error": name_of(error), "place": place_of(error), "reason": reason, "at": now.isoformat()}
    pause = item.attempt.pause_before_retry
    return replace(item, last_error=last_error, due_at=now + pause if pause else item.due_at)


def untold(item: Item, *, now: datetime) -> Item:
    """Let its failure be told again after a pause. In the end it fails silently, so that the thread goes on."""
    pause = item.attempt.pause_before_last_words
    return replace(item, due_at=now + pause) if pause else failed(item, now=now)


def with_partial(item: Item, *, partial: PartialAnswer) -> Item | None:
    """Keep what a run had said that is ended from outside; nothing if the question has ended, as in `broken_off`."""
    return replace(item, partial=asdict(partial)) if item.status in UNFINISHED else None


def given_back(item: Item) -> Item | None:
    """Refund an attempt that was not its fault; a bounded number of them, because it may be its fault after all."""
    if not item.attempts or item.attempts_allowed >= MOST_ALLOWED:
        return None
    return replace(item, attempts_allowed=item.attempts_allowed + 1)


def retried(item: Item, *, has_run: bool = False) -> Item | None:
    """Run a failed, stopped, dropped or pending question with fresh attempts.

    It keeps its words, so it keeps its partial answer, too: a stop can still show it. `has_run`: somebody has run for
    it, as a stop that is taken back.
    """
    if item.status not in (*UNFINISHED, "failed", "dropped", "stopped"):
        return None
    again = replace(item, status="waiting", due_at=AT_ONCE, finished_at=None)
    return _renewed(again, has_run=has_run or item.status == "asking", keeps_partial=True)


def moved(item: Item, *, address: Address) -> Item:
    """Let it wait in another thread with fresh attempts."""
    return replace(
        item,
        address=address,
        thread_id=address.thread_id,
        position=Decimal(address.message_ts),
        attempts=0,
        attempts_allowed=ATTEMPTS,
    )


def run_again(item: Item, *, now: datetime) -> Item | None:
    """Let a message that asked back ask again; a reply that did leaves its card superseded."""
    return _due(item, now) if item.kind == "turn" else None


def redone(item: Item, *, turn: Turn, changed_at: str, now: datetime) -> Item:
    """Let a message run with its new text and fresh attempts."""
    return _due(reworded(item, turn=turn, changed_at=changed_at), now)


def shown_again(item: Item, *, now: datetime) -> Item:
    """Let its card be shown as it is."""
    return _renewed(replace(item, status="asking", due_at=now))


def reworded(item: Item, *, turn: Turn, changed_at: str) -> Item:
    """Keep the new text of a message that does not run again by itself; a deleted one is part of its question again."""
    return replace(
        item,
        content=TurnContent(turn=turn),
        changed_at=Decimal(changed_at),
        status="finished" if item.status == "removed" else item.status,
    )


def said_to_us(item: Item) -> Item:
    """Note that a message was said to us, though it may not mention us: it has closed a question of ours."""
    return replace(item, content=TurnContent(turn=item.turn, said_to_us=True))


def without_run_texts(item: Item) -> Item:
    """Forget what its runs have said: the partial answer, and the message of the last error."""
    error = item.last_error
    kept = {name: value for name, value in error.items() if name != "reason"} if error else None
    return replace(item, partial=None, last_error=kept)


def without_choice(item: Item) -> Item:
    """Forget which option a reply or a changed choice names; it still answers its question."""
    if not isinstance(item.content, ChoiceContent):
        return item
    return replace(item, content=replace(item.content, choice=Choice(kind="just_answer"), instead_of=""))


def without_words(item: Item) -> Item:
    """Forget what an edit or a choice says."""
    match item.content:
        case ChangeContent(turn=Turn() as turn) as edit:
            return replace(item, content=replace(edit, turn=replace(turn, question="")))
        case ChoiceContent() as chosen:
            return replace(item, content=replace(chosen, choice=replace(chosen.choice, value="", label="")))
        case _:
            return item


def is_newest(change: ChangeContent, target: Item) -> bool:
    """Tell whether no newer change of a message was applied."""
    return target.changed_at is None or target.changed_at < Decimal(change.changed_at)


def matters(change: ChangeContent, target: Item) -> bool:
    """Tell whether a change still counts: it is the newest, and it changes the text.

    A message that was edited to nothing is removed like a deleted one, but may be edited again.
    """
    leaves_all = change.turn == target.turn if change.turn else target.status == "removed"
    return is_newest(change, target) and not leaves_all


def _due(item: Item, now: datetime) -> Item:
    again = replace(item, status="waiting", due_at=now, finished_at=None)
    return _renewed(again, has_run=item.status == "asking")


def _renewed(item: Item, *, has_run: bool = False, keeps_partial: bool = False) -> Item:
    """Give fresh attempts, and note that it has run: its next run takes over what was shown.

    What never ran has nothing to renew. The attempts of a question that asked back are forgotten, but it `has_run`.
    """
    if not (item.attempts or has_run):
        return item
    attempts = max(item.attempts, 1)
    return replace(
        item,
        attempts=attempts,
        attempts_allowed=attempts + ATTEMPTS,
        runs_again=True,
        partial=item.partial if keeps_partial else None,
    )
