"""How a node is watched: what it made of the turn, and in what time."""

from collections.abc import Awaitable
from functools import wraps
from time import perf_counter
from typing import Protocol

from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import State, Update


class Node(Protocol):
    """A node, as the graph calls it."""

    __name__: str

    def __call__(self, state: State, runtime: Runtime[Context]) -> Awaitable[Update]:
        """Return what to change of the state."""
        ...


def observed(node: Node) -> Node:
    """Return the node, which tells the context's observer of each time that it ran, also in vain."""

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
