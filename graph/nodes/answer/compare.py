"""Compare the draft with a second one: where they disagree, the passages may not say it clearly (requirement A7)."""

from langgraph.runtime import Runtime

from graph.answer.disagreements import disagreements
from graph.answer.evidence import evidence_text
from graph.context import Context, ModelError
from graph.nodes.steps import begun
from graph.nodes.writing import Writing, brief_of
from graph.routing import preset_of
from graph.state import State, Update

_MOST = 5
"""Disagreements that the next pass settles."""


async def compare(state: State, runtime: Runtime[Context]) -> Update:
    """Write a second draft, which nobody sees, and note what the two disagree about. If it fails, nothing is noted."""
    turn, context = state["turn"], runtime.context
    runtime.stream_writer(begun(state, "compare"))
    evidence = "\n".join(map(evidence_text, turn["passages"]))
    writer = next(writer for writer in context.writers if writer.judges)
    brief = brief_of(state, context)
    brief["temperature"] = preset_of(turn).second_temperature
    try:
        second = await Writing(writer, brief, emit=lambda _: None, holds=True).written()
    except ModelError:
        found: list[str] = []
    else:
        found = disagreements(turn["draft"], second, evidence=evidence)[:_MOST]
    return {
        "turn": {
            **turn,
            "calls": turn.get("calls", 0) + 1,
            "disagreements": found,
            "issues": [f"Two drafts disagree, so check it against the passages: {one}" for one in found],
        }
    }
