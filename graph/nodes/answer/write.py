"""Write the answer from the passages, and emit each sentence after it is checked."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field

from langgraph.runtime import Runtime

import prompts
from graph.answer.draft import Draft, Numbering, is_blank
from graph.answer.evidence import sources_of
from graph.answer.review import withholding
from graph.context import Brief, Context, ModelError, TextCutError, Writer
from graph.events import AnswerEvent, DraftWithdrawn, SourcesFound, TextWritten
from graph.memory import recall, standalone
from graph.nodes.steps import begun
from graph.passages import Source
from graph.routing import calls_left, may_improve, preset_of
from graph.state import State, TurnState, Update
from graph.sufficiency import UNSAID, Opening, Sufficiency
from graph.text.wording import CUT_SHORT, UNPROVED
from graph.tools import is_result

LEAST_SECONDS = 2.0
"""The least time for a writer, however long the steps before took."""
FIRST_SHARE = 0.65
"""Share of the remaining time for a writer if another one can take over."""

Emit = Callable[[AnswerEvent], None]


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
    turn, emit = state["turn"], runtime.stream_writer
    if runtime.context.review_below:
        emit = withholding(emit)
    emit(begun(state, "write"))
    if turn.get("shown"):
        emit(DraftWithdrawn(reason=next(iter(turn["issues"]), "The draft fell short.")))
    written = await _first_that_can(turn, runtime.context, brief_of(state, runtime.context), emit)
    return {"turn": _with_draft(turn, written)}


def brief_of(state: State, context: Context) -> Brief:
    """Return what a writer gets."""
    turn = state["turn"]
    brief = Brief(
        question=standalone(turn),
        passages=turn["passages"],
        memory=recall(state),
        issues=turn["issues"],
        today=context.today(turn).isoformat(),
    )
    if turn["draft"] and turn["issues"]:
        brief["draft"] = turn["draft"]
    return brief


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


class Writing:
    """One call of one writer."""

    def __init__(self, writer: Writer, brief: Brief, emit: Emit, *, holds: bool) -> None:
        self._writer = writer
        self._brief = brief
        self._emit = emit
        self._holds = holds
        """Whether a partial answer is held back, because the run will search for the rest and write again."""
        self._draft = Draft(brief["passages"], prompts.load("write").sentences)
        self._sources = sources_of(brief["passages"], brief["question"])
        self._numbering = Numbering(self._sources)
        self._told: list[Source] | None = None
        """The sources that people were told of last, in their order."""
        self.opening = Opening()
        self.note = writer.note

    @property
    def shown(self) -> bool:
        """Whether people were told anything."""
        return self._told is not None

    async def written(self) -> str:
        """Return the draft, empty if the evidence does not answer. Raises `ModelError` if the writer fails."""
        pieces = self._writer.write(self._brief)
        try:
            async for piece in pieces:
                self._show(self._draft.feed(self.opening.feed(piece) if self._writer.judges else piece))
                if self._level() == "none":
                    return ""
                if self._draft.loops:
                    break
        except TextCutError:
            return self._cut_short()
        finally:
            # After "none" nothing more is read, so release the connection at once.
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()
        return self._ended()

    def _ended(self) -> str:
        self._show([*self._draft.feed(self.opening.rest()), *self._draft.rest()])
        if self._level() == "none":
            return ""
        if self._writer.judges and self._draft.is_mostly_removed:
            raise ModelError("The model repeated its instructions.")
        if not is_blank(self._draft.text):
            return self._draft.text.strip()
        if self._writer.judges:
            raise ModelError("The model wrote nothing.")
        return ""

    def _cut_short(self) -> str:
        """Return the complete sentences. Raises `ModelError` if there are none."""
        if not self._draft.text.strip():
            raise ModelError("The model had no room for a sentence.")
        self.note = CUT_SHORT
        return self._draft.text.strip()

    def _level(self) -> str:
        return self.opening.sufficiency["level"] if self.opening.sufficiency else ""

    def _show(self, sentences: list[str]) -> None:
        if self._level() == "part" and self._holds:
            return
        for sentence in sentences:
            text, sources = self._numbering.renumbered(sentence), self._numbering.ordered(self._sources)
            if sources != self._told:
                self._emit(SourcesFound(sources=tuple(sources)))
            self._told = sources
            self._emit(TextWritten(text=text))
