"""How nodes have text written: what a writer gets, one call of one writer, and the nearest sentences quoted."""

from collections.abc import AsyncGenerator, Callable

from langgraph.runtime import Runtime

import prompts
from graph.answer.draft import Draft, Numbering, checked, is_blank
from graph.answer.evidence import sources_of
from graph.answer.review import withholding
from graph.context import Brief, Context, ModelError, TextCutError, Writer
from graph.events import AnswerEvent, SourcesFound, TextWritten
from graph.memory import recall, standalone
from graph.passages import Passage, Source
from graph.state import State
from graph.sufficiency import Opening
from graph.text.wording import CUT_SHORT

Emit = Callable[[AnswerEvent], None]


def emitter(runtime: Runtime[Context]) -> Emit:
    """Return what tells people of a run. It holds back text that a reviewer may have to see first."""
    return withholding(runtime.stream_writer) if runtime.context.review_below else runtime.stream_writer


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


async def quoted(question: str, passages: list[Passage], context: Context) -> str:
    """Return the nearest sentences, checked like a draft; empty if there are none."""
    if not passages or context.quoter is None:
        return ""
    return checked(await context.quoter.nearest(question, passages), passages, prompts.load("write").sentences)


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
