"""Write the answer from the passages, and emit each sentence after it is checked."""

from dataclasses import dataclass, field

from langgraph.runtime import Runtime

from graph.context import Brief, Context, ModelError, Writer
from graph.events import DraftWithdrawn
from graph.nodes.steps import begun
from graph.nodes.writing import Emit, Writing, brief_of, emitter
from graph.routing import calls_left, may_improve, preset_of
from graph.state import State, TurnState, Update
from graph.sufficiency import UNSAID, Sufficiency
from graph.text.wording import UNPROVED
from graph.tools import is_result

LEAST_SECONDS = 2.0
"""The least time for a writer, however long the steps before took."""
FIRST_SHARE = 0.65
"""Share of the remaining time for a writer if another one can take over."""


@dataclass(frozen=True)
class _Written:
    """The result of the writers."""

    text: str = ""
    note: str = ""
    sufficiency: Sufficiency = field(default_factory=UNSAID.copy)
    shown: bool = False
    calls: int = 0


async def write(state: State, runtime: Runtime[Context]) -> Update:
    """Write a draft. If a writer fails, the next one starts over; if all models fail, the documents are quoted."""
    turn, emit = state["turn"], emitter(runtime)
    emit(begun(state, "write"))
    if turn.get("shown"):
        emit(DraftWithdrawn(reason=next(iter(turn["issues"]), "The draft fell short.")))
    written = await _first_that_can(turn, runtime.context, brief_of(state, runtime.context), emit)
    return {"turn": _with_draft(turn, written)}


def _with_draft(turn: TurnState, written: _Written) -> TurnState:
    # A tool's result is no document's own sentence.
    is_computed = bool(turn.get("quoting")) and all(is_result(passage) for passage in turn["passages"])
    drafted: TurnState = {
        **turn,
        "draft": written.text,
        "drafts": turn["drafts"] + 1,
        "notes": [written.note] if written.text and written.note and not is_computed else [],
        "sufficiency": written.sufficiency,
        "shown": written.shown,
        "calls": turn.get("calls", 0) + written.calls,
    }
    if turn["draft"] and turn["issues"] and not turn.get("disagreements"):
        drafted["rewrites"] = turn.get("rewrites", 0) + 1
    if drafted.get("disagreements"):
        drafted["disagreements"] = []
    if written.text or written.sufficiency["level"] == "none":
        return drafted
    # After the models, the documents are quoted; if nothing can be quoted, the run admits that.
    return {**drafted, "outcome": "admitted"} if turn.get("quoting") else {**drafted, "quoting": "failed"}


async def _first_that_can(turn: TurnState, context: Context, brief: Brief, emit: Emit) -> _Written:
    calls, waiting = 0, _asked(turn, context)
    while waiting:
        writer, *waiting = waiting
        calls += writer.judges
        asked: TurnState = {**turn, "drafts": turn["drafts"] + 1, "calls": turn.get("calls", 0) + calls}
        timed: Brief = {**brief, "seconds": _seconds(turn, context, is_last=not waiting)}
        writing = Writing(writer, timed, emit, holds=may_improve(asked))
        try:
            text = await writing.written()
        except ModelError:
            if writing.shown:
                emit(DraftWithdrawn(reason="The language model broke off."))
            continue
        note = UNPROVED if turn.get("quoting") == "unproved" else writing.note
        return _Written(text, note, writing.opening.sufficiency or UNSAID, writing.shown, calls)
    return _Written(calls=calls)


def _asked(turn: TurnState, context: Context) -> list[Writer]:
    """Return the writers to ask: the quoting ones if documents must be quoted, otherwise models within the limit."""
    if turn.get("quoting"):
        return [writer for writer in context.writers if not writer.judges]
    models = [writer for writer in context.writers if writer.judges]
    return (models[::-1] if preset_of(turn).is_written_small else models)[: calls_left(turn)]


def _seconds(turn: TurnState, context: Context, *, is_last: bool) -> float:
    """Return the time limit for a writer's first word, so that the next writer still has time."""
    now, left = context.clock.now().timestamp(), context.first_word_seconds
    if turn["drafts"] == 0:
        left -= now - turn.get("began", now)
    if not is_last:
        left = min(left * FIRST_SHARE, left - LEAST_SECONDS)
    return max(left, LEAST_SECONDS)
