"""A question reads each text once: how often the graph calls its own functions stays small."""

import sys
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

import graph
from graph.builder import compiled_graph
from graph.documents import versions
from graph.documents.versions import newest_versions
from graph.events import AnswerCompleted
from graph.run import Run
from tests.graph.test_run import events, turn
from tests.support.fakes import FoundPassages, Written, context, passage

HERE = str(Path(graph.__file__).parent)
PLACES = ("porto", "hamburg", "berlin", "lisbon", "vienna", "basel", "turin", "oslo")
SAYS = "People in {} have {} days of vacation. Ask your manager two weeks ahead. Days that are left go to March."


@contextmanager
def counted() -> Generator[Counter[str]]:
    """Count the calls of the graph's functions, by name."""
    calls = Counter[str]()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(HERE) and not code.co_name.startswith("<"):
            calls[f"{Path(code.co_filename).stem}.{code.co_name}"] += 1

    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)


async def asked() -> Counter[str]:
    """Answer a question from eight documents, and return the calls."""
    found = [
        passage(number, SAYS.format(place.title(), 20 + number), path=f"{place}/vacation.md", title=place.title())
        for number, place in enumerate(PLACES, 1)
    ]
    given = context(
        retriever=FoundPassages(found),
        writers=(Written([["People in Porto have 21 days of vacation [1]."]]),),
        offers_follow_ups=True,
    )
    run = Run(compiled_graph(), InMemorySaver(), thread_id="T0:C0:1", context=given)
    with counted() as calls:
        said = await events(run.start(turn("How many days of vacation do people in Porto have?")))
    assert isinstance(said[-1], AnswerCompleted)
    return calls


async def test_a_question_costs_few_calls() -> None:
    await asked()
    calls = await asked()

    assert calls.total() <= 1_900, calls.most_common(12)


def test_versions_are_compared_only_between_documents_that_share_a_name() -> None:
    paths = [*(f"topics/{topic}.md" for topic in PLACES), "rules/badge.md", "rules/badge-v2.md"]
    found = [passage(number, "Ask Olga.", path=path, title=path) for number, path in enumerate(paths)]
    versions._are_versions.cache_clear()
    with counted() as calls:
        newest_of = newest_versions(found, "Whom do I ask?")

    assert {8: found[9]} == newest_of
    assert 1 == calls["versions._are_versions"]
