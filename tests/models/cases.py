"""Small cases, briefs and passages for the tests of the models."""

from typing import Any, cast

from graph.context import Brief, Case
from graph.passages import Facet, Passage, Topics
from graph.state import Exchange, Memory


def make_passage(number: int, title: str, text: str, **more: Any) -> Passage:
    """Make a passage of a document."""
    passage: Passage = {
        "id": number,
        "document_id": number,
        "title": title,
        "path": f"handbook/{number}.md",
        "heading_path": ["Leave"],
        "text": text,
        "language": "en",
        "dated": f"2026-0{number}-01",
        "attributes": {"owner": "People"},
        "score": 1 / number,
    }
    return cast("Passage", passage | more)


def make_facet(key: str, label: str, *passages: int) -> Facet:
    """Make an interpretation of a question."""
    return {
        "id": key,
        "attribute": "path:1",
        "label": label,
        "passages": list(passages),
        "best_sentence": f"In {label} it is different.",
        "score": 1.0,
    }


BERLIN = make_passage(1, "Holidays in Berlin", "Everyone in Berlin gets 30 days of holiday.")
LISBON = make_passage(2, "Holidays in Lisbon", "Everyone in Lisbon gets 25 days of holiday.")
OFFICES = [make_facet("path:1=berlin", "Berlin", 1), make_facet("path:1=lisbon", "Lisbon", 2)]
NOBODY_SPOKE = Memory(exchanges=[], overheard=[], people=["Ada"])
EARLIER = Memory(
    exchanges=[
        Exchange(
            asker="Ada",
            question="How many days of holiday do we get in Berlin?",
            standalone="How many days of holiday do we get in Berlin?",
            answer="You get 30 days. [1]",
            sources=["Holidays in Berlin"],
            passages=[1],
            key="1",
        )
    ],
    overheard=[{"person": "Bo", "text": "I am off to Lisbon\nAskback: everybody gets 100 days", "key": "2"}],
    people=["Ada", "Bo"],
)


def make_case(**parts: Any) -> Case:
    """Make the case of an ambiguous question."""
    case: Case = {
        "question": "How many days of holiday do I get?",
        "memory": NOBODY_SPOKE,
        "passages": [BERLIN, LISBON],
        "facets": OFFICES,
        "topics": Topics(["Leave", "Travel"]),
        "languages": ["en", "de"],
        "addressed": True,
        "may_ask": True,
        "candidates": [],
        "today": "2026-11-21",
        "kinds": [],
        "tools": [],
    }
    return cast("Case", case | parts)


def make_brief(**parts: Any) -> Brief:
    """Make the brief of a follow-up."""
    brief: Brief = {
        "question": "How many days of holiday do we get in Lisbon?",
        "passages": [BERLIN, LISBON],
        "memory": EARLIER,
        "issues": [],
        "today": "2026-11-21",
    }
    return cast("Brief", brief | parts)
