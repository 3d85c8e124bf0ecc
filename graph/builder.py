"""Builds the graph: nodes in reading order, then edges."""

from collections.abc import Awaitable
from functools import cache, wraps
from time import perf_counter
from typing import Protocol, TypeAlias

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from graph import routing
from graph.context import Context
from graph.nodes.answer.admit import admit
from graph.nodes.answer.audit import audit
from graph.nodes.answer.compare import compare
from graph.nodes.answer.finish import finish
from graph.nodes.answer.reuse import reuse
from graph.nodes.answer.review import review
from graph.nodes.answer.validate import validate
from graph.nodes.answer.write import write
from graph.nodes.dialogue.approve import approve
from graph.nodes.dialogue.assume import assume
from graph.nodes.dialogue.clarify import clarify
from graph.nodes.dialogue.confirm import confirm
from graph.nodes.dialogue.converse import converse
from graph.nodes.dialogue.stay_silent import stay_silent
from graph.nodes.dialogue.suggest import suggest
from graph.nodes.dialogue.understand import understand
from graph.nodes.evidence.grade import grade
from graph.nodes.evidence.improve import improve
from graph.nodes.evidence.look_up_place import look_up_place
from graph.nodes.evidence.retrieve import retrieve
from graph.nodes.evidence.search import search
from graph.nodes.evidence.search_web import search_web
from graph.nodes.evidence.use_tools import use_tools
from graph.nodes.evidence.widen import widen
from graph.state import Given, State, Update

AnswerGraph: TypeAlias = StateGraph[State, Context, Given, State]
CompiledGraph: TypeAlias = CompiledStateGraph[State, Context, Given, State]


@cache
def compiled_graph() -> CompiledGraph:
    """Return the graph, compiled once in a process. Each run takes a copy with its own checkpointer."""
    return build_graph().compile()


def build_graph() -> AnswerGraph:
    """Return the graph before it is compiled."""
    graph = AnswerGraph(State, Context, input_schema=Given)

    for node in (
        search, understand, stay_silent, converse, look_up_place, retrieve, confirm, reuse, assume, clarify,
        grade, approve, use_tools, widen, search_web, suggest, admit, write, improve, audit, compare, validate, review,
        finish,
    ):  # fmt: skip
        graph.add_node(node.__name__, observed(node))

    graph.add_conditional_edges(START, routing.routed(routing.after_start))
    graph.add_edge("search", "understand")
    for after in (
        routing.after_understand,
        routing.after_look_up_place,
        routing.after_retrieve,
        routing.after_confirm,
        routing.after_reuse,
        routing.after_assume,
        routing.after_clarify,
        routing.after_grade,
        routing.after_use_tools,
        routing.after_widen,
        routing.after_search_web,
        routing.after_suggest,
        routing.after_write,
        routing.after_improve,
        routing.after_audit,
        routing.after_compare,
        routing.after_validate,
    ):
        graph.add_conditional_edges(after.__name__.removeprefix("after_"), routing.routed(after))
    for last in ("review", "approve", "converse", "admit"):
        graph.add_edge(last, "finish")
    for end in ("stay_silent", "finish"):
        graph.add_edge(end, END)
    return graph


class Node(Protocol):
    """A node of the graph."""

    __name__: str

    def __call__(self, state: State, runtime: Runtime[Context]) -> Awaitable[Update]:
        """Return the changes of the state."""
        ...


def observed(node: Node) -> Node:
    """Return a node that reports each of its runs to the context's observer, also if it fails."""

    @wraps(node)
    async def told(state: State, runtime: Runtime[Context]) -> Update:
        began, after = perf_counter(), None
        try:
            update = await node(state, runtime)
            after = update.get("turn")
        finally:
            seconds = perf_counter() - began
            runtime.context.observer.note(node.__name__, state["turn"], after, seconds=seconds)
        return update

    return told
