"""Starts and resumes the runs of a thread. Only this module streams LangGraph; it yields our events."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Interrupt

from graph.answer.review import turn_of
from graph.asking.clarification import Asked, options_of
from graph.asking.preset_wishes import wish_in
from graph.builder import CompiledGraph, compiled_graph
from graph.context import Context
from graph.events import AnswerEvent, ClarificationRequested, ReviewRequested
from graph.memory import forgotten, is_remembered, remember_exchange, without_echoes
from graph.passages import Source
from graph.state import (
    ChoiceState,
    Given,
    Memory,
    RemarkState,
    ReviewPacket,
    State,
    TurnInput,
    TurnState,
    new_turn,
    plainly,
)
from graph.tools import PlannedChange
from graph.turn import Choice, Reply, ReviewDecision, Turn

# Strict resume: only a pending interrupt may be answered. LangGraph has no public name for it.
STRICT_RESUME = "__pregel_strict_resume"
MOST_STEPS = 40


class Run:
    """The runs of one thread over one checkpointer."""

    def __init__(
        self, graph: CompiledGraph, checkpointer: BaseCheckpointSaver[Any], *, thread_id: str, context: Context
    ) -> None:
        # Each run needs its own checkpointer. A copy takes 0.02 ms, compiling 3 ms.
        self._graph: CompiledGraph = graph.copy({"checkpointer": checkpointer})
        self._context = context
        self._config = RunnableConfig(
            configurable={"thread_id": thread_id, STRICT_RESUME: True}, recursion_limit=MOST_STEPS
        )

    def start(self, turn: Turn, choice: Choice | None = None) -> AsyncGenerator[AnswerEvent]:
        """Answer a turn. `choice` is the person's choice if the run that asked back is gone."""
        return self._stream(Given(turn=new_turn(_input_of(turn), _state_of(choice) if choice else None)))

    def resume(self, reply: Reply) -> AsyncGenerator[AnswerEvent]:
        """Resume the run that waits on the reply's interrupt. Raises `UnknownInterruptError` if none does."""
        return self._stream(Command(resume={reply.interrupt_id: _state_of(reply.choice)}))

    def resume_review(self, interrupt_id: str, decision: ReviewDecision) -> AsyncGenerator[AnswerEvent]:
        """Resume the run that waits for this decision. Raises `UnknownInterruptError` if none does."""
        return self._stream(Command(resume={interrupt_id: decision}))

    def conclude_review(self, packet: ReviewPacket, decision: ReviewDecision) -> AsyncGenerator[AnswerEvent]:
        """End a turn as decided, if no run waits: it was answered before, or a newer turn dropped the interrupt."""
        return self._stream(Given(turn=turn_of(packet, decision)))

    def conclude_change(self, turn: Turn, change: PlannedChange, choice: Choice) -> AsyncGenerator[AnswerEvent]:
        """End a turn as its asker decided about a change, if no run waits any more."""
        known = new_turn(_input_of(turn))
        understanding = plainly("retrieve", turn.question, reason="It was understood before.", confidence=1.0)
        return self._stream(
            Given(turn={**known, "understanding": {**understanding, "change": change}, "approval": _state_of(choice)})
        )

    async def waits_for(self, interrupt_id: str) -> bool:
        """Tell whether the thread's run is paused on this interrupt."""
        state = await self._graph.aget_state(self._config)
        return any(pending.id == interrupt_id for pending in state.interrupts)

    async def remembers(self, key: str) -> bool:
        """Tell whether the thread's memory holds the question with this key."""
        values = (await self._graph.aget_state(self._config)).values
        return "memory" in values and is_remembered(values["memory"], key)

    async def forget(self, key: str, *, with_echoes: bool = False) -> None:
        """Remove the message with this key from the thread's memory, and end a waiting run.

        `with_echoes` also puts later questions back into their original words, because their stand-alone form may
        hold words of this message.
        """
        values = (await self._graph.aget_state(self._config)).values
        if not values:
            return
        # The state of a later turn may hold words of the message, so the turn is emptied; its exchange is in memory.
        left = State(turn=_empty_turn())
        if "memory" in values:
            left["memory"] = forgotten(without_echoes(values["memory"], key) if with_echoes else values["memory"], key)
        await self._graph.aupdate_state(self._config, left, as_node="finish")

    async def remember(self, turn: Turn, said: str, sources: Sequence[Source], *, unless_known: bool = False) -> None:
        """Put a stopped turn with its partial answer into the thread's memory, and end a waiting run.

        `unless_known` keeps what the memory already holds of the turn.
        """
        state = await self._graph.aget_state(self._config)
        known = State(turn=new_turn(_input_of(turn)))
        if "memory" in state.values:
            known["memory"] = state.values["memory"]
        memory = known.get("memory")
        if memory is None or not (unless_known and is_remembered(memory, turn.key)):
            memory = remember_exchange(known, answer=said, sources=list(sources))
        await self._graph.aupdate_state(self._config, {"memory": memory}, as_node="finish")

    async def _stream(self, given: Given | Command[Any]) -> AsyncGenerator[AnswerEvent]:
        parts: Any = self._graph.astream(
            given,
            self._config,
            context=self._context,
            stream_mode=["custom", "updates"],
            version="v2",
            durability="exit",
        )
        # LangGraph stores the state when its stream closes: close it here, not when it is garbage-collected.
        async with aclosing(parts):
            async for part in parts:
                if part["type"] == "custom":
                    yield part["data"]
                elif part["type"] == "updates" and "__interrupt__" in part["data"]:
                    for pending in part["data"]["__interrupt__"]:
                        yield _requested(pending)


async def rewrite(
    checkpointer: BaseCheckpointSaver[Any], thread_id: str, change: Callable[[State], Memory | None]
) -> bool:
    """Replace a thread's memory by what `change` returns, unless it is None; return whether it was replaced.

    The last turn is emptied, and a waiting run ends. Older checkpoints still hold the old words.
    """
    graph: CompiledGraph = compiled_graph().copy({"checkpointer": checkpointer})
    config = RunnableConfig(configurable={"thread_id": thread_id})
    values: Any = (await graph.aget_state(config)).values
    left = change(values) if values else None
    if left is None:
        return False
    await graph.aupdate_state(config, State(turn=_empty_turn(), memory=left), as_node="finish")
    return True


async def ending_of(context: Context, turn: Turn, choice: Choice | None = None) -> AnswerEvent | None:
    """Return how a run of a temporary thread ends; nothing of it is shown or stored.

    It takes the turn as addressed to the bot, even if nobody called the bot: the run that would answer it does so, too.
    """
    ended: AnswerEvent | None = None
    async with aclosing(run_alone(context).start(replace(turn, addressed=True), choice)) as events:
        async for event in events:
            ended = event
    return ended


def run_alone(context: Context) -> Run:
    """Return a run of a temporary thread: for measuring, and to judge whether the documents answer."""
    return Run(compiled_graph(), InMemorySaver(), thread_id="alone", context=context)


def _requested(pending: Interrupt) -> ClarificationRequested | ReviewRequested:
    if "packet" in pending.value:
        return ReviewRequested(interrupt_id=pending.id, packet=pending.value["packet"])
    asked: Asked = pending.value
    return ClarificationRequested(
        interrupt_id=pending.id,
        question=asked["question"],
        options=options_of(asked),
        attribute=asked.get("attribute", ""),
        change=asked.get("change"),
        asker=asked.get("asker", ""),
    )


def _empty_turn() -> TurnState:
    """Return a turn without anybody's words."""
    return new_turn(_input_of(Turn(question="", asker="", addressed=False)))


def _input_of(turn: Turn) -> TurnInput:
    """Return a turn as JSON, with the preset that one of its phrases asks for."""
    wish = None if turn.is_literal else wish_in(turn.question)
    given = TurnInput(
        question=wish.question if wish else turn.question,
        asker=turn.asker,
        addressed=turn.addressed,
        mentions_others=turn.mentions_others,
        is_muted=turn.is_muted,
        earlier=[RemarkState(person=remark.person, text=remark.text, key=remark.key) for remark in turn.earlier],
        unread=list(turn.unread),
        mode=turn.mode,
        key=turn.key,
    )
    return {**given, "preset": wish.preset, "wished": wish.phrase} if wish else given


def _state_of(choice: Choice) -> ChoiceState:
    return ChoiceState(kind=choice.kind, value=choice.value, label=choice.label)
