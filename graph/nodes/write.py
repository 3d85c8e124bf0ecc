"""Write the answer from the passages, and let it go sentence by sentence once each is checked."""

from collections.abc import Callable

from langgraph.runtime import Runtime

import prompts
from graph.answer.draft import Draft
from graph.answer.evidence import sources_of
from graph.answer.review import withholding
from graph.context import Brief, Context, ModelError, Writer
from graph.events import AnswerEvent, DraftWithdrawn, SourcesFound, StepStarted, TextWritten
from graph.memory import recall, standalone
from graph.state import State, Update


async def write(state: State, runtime: Runtime[Context]) -> Update:
    """Write a draft; where a writer fails the next one starts over."""
    turn, emit = state["turn"], runtime.stream_writer
    if runtime.context.review_below:
        emit = withholding(emit)
    issues = turn["issues"]
    emit(StepStarted(step="write", title="Writing the answer"))
    emit(SourcesFound(sources=tuple(sources_of(turn["passages"]))))
    if turn["drafts"]:
        emit(DraftWithdrawn(reason=issues[0] if issues else "The draft fell short."))
    brief = Brief(
        question=standalone(turn),
        passages=turn["passages"],
        memory=recall(state),
        issues=issues,
        today=runtime.context.clock.now().date().isoformat(),
    )
    text, note = await _first_that_can(runtime.context.writers, brief, emit)
    return {
        "turn": {**turn, "draft": text, "drafts": turn["drafts"] + 1, "notes": [note] if note else []},
    }


async def _first_that_can(
    writers: tuple[Writer, ...], brief: Brief, emit: Callable[[AnswerEvent], None]
) -> tuple[str, str]:
    failure = ModelError("No writer is set.")
    for writer in writers:
        try:
            return await _written(writer, brief, emit), writer.note
        except ModelError as error:
            failure = error
            emit(DraftWithdrawn(reason="The language model broke off."))
    raise failure


async def _written(writer: Writer, brief: Brief, emit: Callable[[AnswerEvent], None]) -> str:
    draft = Draft(brief["passages"], prompts.load("write").sentences)
    async for piece in writer.write(brief):
        for sentence in draft.feed(piece):
            emit(TextWritten(text=sentence))
    for sentence in draft.rest():
        emit(TextWritten(text=sentence))
    if not draft.text.strip():
        raise ModelError("The model wrote nothing.")
    return draft.text
