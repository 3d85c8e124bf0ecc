"""Wraps a node, so that the context's observer hears of each run of it, with the turn and the time."""

from collections.abc import Awaitable
from functools import wraps
from time import perf_counter
from typing import Protocol

from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import State, Update


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
