"""The graph's shape is what the diagram shows."""

from collections.abc import Collection
from typing import Final

from syrupy.assertion import SnapshotAssertion

from graph.builder import compiled_graph
from graph.nodes.steps import UNDECIDED

SPEAKING: Final = frozenset({"write", "clarify", "confirm"})
"""Nodes that tell people something; only `suggest` and those that end a run do so, too."""
WITHOUT_A_STEP: Final = frozenset({"__start__", "assume", "reuse"})
"""Nodes before a silence that do not say that they begin."""


def test_the_diagram_is_as_it_was_reviewed(snapshot: SnapshotAssertion) -> None:
    assert compiled_graph().get_graph().draw_mermaid() == snapshot


def test_it_is_compiled_once() -> None:
    assert compiled_graph() is compiled_graph()


def reached(edges: Collection[tuple[str, str]], first: str) -> set[str]:
    """Return all nodes to which edges lead from the first one."""
    there, before = {first}, set[str]()
    while there != before:
        before = there
        there = there | {target for source, target in edges if source in there}
    return there - {first}


def test_a_step_is_undecided_as_long_as_the_run_has_said_nothing_and_may_stay_silent() -> None:
    edges = [(one.source, one.target) for one in compiled_graph().get_graph().edges]
    unsaid = [edge for edge in edges if SPEAKING.isdisjoint(edge)]
    before_silence = reached([(target, source) for source, target in unsaid], "stay_silent")

    assert before_silence & reached(unsaid, "__start__") - WITHOUT_A_STEP == UNDECIDED
