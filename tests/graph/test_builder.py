"""The graph's shape is what the diagram shows."""

from syrupy.assertion import SnapshotAssertion

from graph.builder import build_graph


def test_the_diagram_is_as_it_was_reviewed(snapshot: SnapshotAssertion) -> None:
    assert build_graph().compile().get_graph().draw_mermaid() == snapshot
