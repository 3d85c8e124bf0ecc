"""Builds the graph: nodes in reading order, then edges."""

from collections.abc import Awaitable
from functools import cache, wraps
from time import perf_counter
from typing import Protocol, TypeAlias

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

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
from graph.routing import (
    after_assume,
    after_audit,
    after_clarify,
    after_compare,
    after_confirm,
    after_grade,
    after_improve,
    after_look_up_place,
    after_retrieve,
    after_reuse,
    after_search_web,
    after_start,
    after_suggest,
    after_understand,
    after_use_tools,
    after_validate,
    after_widen,
    after_write,
    routed,
)
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

    graph.add_conditional_edges(START, routed(after_start))
    graph.add_edge("search", "understand")
    graph.add_conditional_edges("understand", routed(after_understand))
    graph.add_conditional_edges("look_up_place", routed(after_look_up_place))
    graph.add_conditional_edges("retrieve", routed(after_retrieve))
    graph.add_conditional_edges("confirm", routed(after_confirm))
    graph.add_conditional_edges("reuse", routed(after_reuse))
    graph.add_conditional_edges("assume", routed(after_assume))
    graph.add_conditional_edges("clarify", routed(after_clarify))
    graph.add_conditional_edges("grade", routed(after_grade))
    graph.add_conditional_edges("use_tools", routed(after_use_tools))
    graph.add_conditional_edges("widen", routed(after_widen))
    graph.add_conditional_edges("search_web", routed(after_search_web))
    graph.add_conditional_edges("suggest", routed(after_suggest))
    graph.add_conditional_edges("write", routed(after_write))
    graph.add_conditional_edges("improve", routed(after_improve))
    graph.add_conditional_edges("audit", routed(after_audit))
    graph.add_conditional_edges("compare", routed(after_compare))
    graph.add_conditional_edges("validate", routed(after_validate))
    graph.add_edge("review", "finish")
    graph.add_edge("approve", "finish")
    graph.add_edge("converse", "finish")
    graph.add_edge("admit", "finish")
    graph.add_edge("stay_silent", END)
    graph.add_edge("finish", END)
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
