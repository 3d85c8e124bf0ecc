"""The graph's shape is what the diagram shows."""

from syrupy.assertion import SnapshotAssertion

from graph.builder import compiled_graph


def test_the_diagram_is_as_it_was_reviewed(snapshot: SnapshotAssertion) -> None:
    assert compiled_graph().get_graph().draw_mermaid() == snapshot


def test_it_is_compiled_once() -> None:
    assert compiled_graph() is compiled_graph()
