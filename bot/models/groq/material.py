"""How what a run knows is laid before a model: every text that others wrote stands in a fence of its own."""

import json

from graph.answer.draft import CITATION
from graph.passages import Facet, Passage
from graph.state import Choosing, Exchange, Memory
from prompts.fencing import fence

_NOTHING = "(none)"


def passages(found: list[Passage]) -> str:
    """Lay out passages, numbered from 1, with what dates and divides them."""
    blocks = [fence(f"passage {number}", _passage(passage)) for number, passage in enumerate(found, start=1)]
    return "\n\n".join(blocks) or _NOTHING


def conversation(memory: Memory) -> str:
    """Lay out what was asked, answered and said before."""
    exchanges = [line for exchange in memory["exchanges"] for line in _exchange(exchange)]
    overheard = [_line(remark["person"], remark["text"]) for remark in memory["overheard"]]
    blocks = [
        fence("conversation", "\n".join(exchanges)) if exchanges else "",
        "Said in the thread, but not to the bot:\n" + fence("overheard", "\n".join(overheard)) if overheard else "",
    ]
    return "\n".join(block for block in blocks if block) or _NOTHING


def readings(facets: list[Facet]) -> str:
    """Lay out the readings that may be offered, one JSON object a line."""
    return fence("readings", "\n".join(_reading(facet) for facet in facets)) if facets else _NOTHING


def topics(names: list[str]) -> str:
    """Lay out what the documents cover."""
    return fence("topics", "\n".join(names)) if names else _NOTHING


def choice(choosing: Choosing | None) -> str:
    """Lay out what a person answered to the clarifying question."""
    if choosing is None:
        return "They were not asked."
    if choosing["kind"] == "just_answer":
        return "They want an answer without saying more: take the likeliest reading and state it."
    return fence("choice", choosing["label"] or choosing["value"])


def faults(issues: list[str]) -> str:
    """Lay out what was wrong with the last draft."""
    return fence("faults", "\n".join(f"- {issue}" for issue in issues)) if issues else _NOTHING


def _passage(passage: Passage) -> str:
    place = " › ".join([passage["title"], *passage["heading_path"]])
    details = [f"{key}: {value}" for key, value in passage["attributes"].items()]
    if dated := passage.get("dated"):
        details = [f"dated: {dated}", *details]
    return "\n".join([place, *details, "", passage["text"]])


def _exchange(exchange: Exchange) -> list[str]:
    # The numbers in an earlier answer mean its own sources, not the passages of now.
    answer = CITATION.sub("", exchange["answer"])
    # As it reads alone, with what was chosen: neither "What about Porto?" nor a click tells what the answer is about.
    asked = exchange["standalone"] or exchange["question"]
    lines = [_line(exchange["asker"], asked), _line("Askback", answer)]
    return [*lines, _line("Its sources", "; ".join(exchange["sources"]))] if exchange["sources"] else lines


def _line(speaker: str, text: str) -> str:
    # Continuation lines are indented, so that nobody can speak for somebody else.
    return f"{speaker}: " + "\n    ".join(text.splitlines())


def _reading(facet: Facet) -> str:
    told = {
        "id": facet["id"],
        "divides": facet["attribute"],
        "label": facet["label"],
        "passages": len(facet["passages"]),
        "says": facet["best_sentence"],
    }
    return json.dumps(told, ensure_ascii=False)
