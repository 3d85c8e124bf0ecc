"""The steps of a run, which show later how an answer came about (pure; plain JSON)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

from graph.passages import Passage
from graph.state import TurnState, queries_of, understood
from graph.sufficiency import UNSAID
from graph.text.invisible import visible
from graph.text.wording import LEFT_OUT
from graph.tools import are_of_web

LONGEST: Final = 4000
"""The most characters of one text."""
MOST: Final = 30
"""The most texts of one kind in a step."""

Fact: TypeAlias = bool | int | float | str | list[float]
RunOutcome = Literal[
    "answered", "conversed", "declined", "admitted", "rejected", "silent", "asked", "in_review", "failed", "ended"
]
"""How a run ended: like its turn, waiting for a person, with an error, or cancelled."""


class Call(TypedDict):
    """A successful call to a model."""

    model: str
    tokens_in: int
    tokens_out: int
    ms: int
    cost: NotRequired[float]
    """In the currency of the prices, if the model has one."""


class TracedStep(TypedDict):
    """One run of a node."""

    node: str
    ms: int
    facts: dict[str, Fact]
    """Numbers, and names from code."""
    words: dict[str, list[str]]
    """Words of people, documents and models."""
    calls: list[Call]
    unfinished: NotRequired[bool]
    """Whether the node did not finish: it waits for a person, failed, or was cancelled."""


Told: TypeAlias = tuple[dict[str, Fact], dict[str, list[str]]]


def step_of(node: str, before: TurnState, after: TurnState | None, *, seconds: float) -> TracedStep:
    """Return a node's step. `after` is missing if the node did not finish."""
    facts, words = _TELLERS[node](before, after or before) if node in _TELLERS else ({}, {})
    # The database accepts no empty texts and no half characters.
    kept = {name: cleaned for name, said in words.items() if (cleaned := [*_cleaned(said)])}
    step = TracedStep(node=node, ms=round(seconds * 1000), facts=facts, words=kept, calls=[])
    if after is None:
        step["unfinished"] = True
    return step


def without_words(steps: list[TracedStep]) -> list[TracedStep]:
    """Return the steps without anybody's words."""
    return [{**step, "words": {}} for step in steps]


def outcome_of(steps: list[TracedStep]) -> RunOutcome:
    """Return how a run without errors ended. Raises `LookupError` if there are no steps."""
    last = steps[-1]
    if last.get("unfinished"):
        return "in_review" if last["node"] == "review" else "asked"
    found: Any = last["facts"].get("outcome", "silent")
    return found


def cost_of(steps: Sequence[TracedStep]) -> float | None:
    """Return what the calls cost; `None` if there is none, or if the price of one is not known."""
    costs = [call.get("cost") for step in steps for call in step["calls"]]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if costs and len(known) == len(costs) else None


def rounds(steps: list[TracedStep]) -> list[dict[str, Fact]]:
    """Return the numbers of each round from evidence to draft. The first step of a round says why it began."""
    parts: list[list[TracedStep]] = [[]]
    for step in steps:
        if "again" in step["facts"] and parts[-1]:
            parts.append([])
        parts[-1].append(step)
    return [
        _summed(number, part)
        for number, part in enumerate(parts, 1)
        if any(step["node"] in ("grade", "write") for step in part)
    ]


def _summed(number: int, part: list[TracedStep]) -> dict[str, Fact]:
    facts = {name: value for step in part for name, value in step["facts"].items() if name in _OF_ROUNDS}
    return {
        "number": number,
        "nodes": " ".join(step["node"] for step in part),
        **facts,
        "calls": sum(len(step["calls"]) for step in part),
        "ms": sum(step["ms"] for step in part),
    }


_OF_ROUNDS: Final = frozenset(
    {"again", "found", "kept", "best", "evidence", "faults", "faithful", "responsive", "confidence"}
)


def _search(_before: TurnState, turn: TurnState) -> Told:
    facts: dict[str, Fact] = {"preset": turn.get("preset", ""), **_found(turn), "readings": len(turn["facets"])}
    return facts, {"searched": [turn["searched"]], "found": _titles(turn["found"])}


def _understand(_before: TurnState, turn: TurnState) -> Told:
    understanding = turn["understanding"]
    if understanding is None:
        return {}, {}
    facts: dict[str, Fact] = {"route": understanding["route"], "confidence": round(understanding["confidence"], 2)}
    return facts, {
        "question": [understanding["standalone"]],
        "also": queries_of(understanding)[1:],
        "because": [understanding["reason"]],
        "assumed": [understanding["assumption"]],
        **_asking(turn),
    }


def _look_up_place(_before: TurnState, turn: TurnState) -> Told:
    asked = understood(turn).get("place")
    listed = sum(len(passage.get("links", [])) for passage in turn["passages"])
    facts: dict[str, Fact] = {"known": asked is not None, "listed": listed}
    if asked is None:
        return facts, {}
    return facts, {"kinds": asked["kinds"], "near": [asked["near"]], "also": asked["also"], **_asking(turn)}


def _retrieve(before: TurnState, turn: TurnState) -> Told:
    understanding = understood(turn)
    if turn["searched"] == before["searched"]:
        return {"searched_again": False, "kept": len(turn["passages"])}, {}
    facts: dict[str, Fact] = {"searched_again": True, **_found(turn), "kept": len(turn["passages"])}
    only = [f"{name}: {value}" for name, value in understanding.get("only", {}).items() if value]
    return facts, {"searched": queries_of(understanding), "only": only, "found": _titles(turn["found"])}


def _chosen(_before: TurnState, turn: TurnState) -> Told:
    asked, choice = _asking(turn), turn["choice"]
    return ({"choice": choice["kind"]}, {**asked, "chosen": [choice["label"]]}) if choice else ({}, asked)


def _suggest(_before: TurnState, turn: TurnState) -> Told:
    asked = understood(turn)["clarification"]
    return {"offered": len(asked["options"]) if asked else 0}, _asking(turn)


def _confirm(_before: TurnState, turn: TurnState) -> Told:
    return {"verified": turn.get("reused", 0)}, {}


def _reuse(_before: TurnState, turn: TurnState) -> Told:
    verified = turn.get("verified")
    return {"verified": verified["id"] if verified else 0}, {"draft": [turn["draft"]]} if verified else {}


def _grade(before: TurnState, turn: TurnState) -> Told:
    quoting = turn.get("quoting")
    facts: dict[str, Fact] = {"graded": len(before["passages"]), **_graded(turn)}
    if quoting:
        facts["quoting"] = quoting
    if before.get("quoting"):
        facts["again"] = f"no draft stands: {before.get('quoting')}"
    return facts, {"kept": _titles(turn["passages"]), "nearest": _titles(turn.get("nearest", []))}


def _use_tools(_before: TurnState, turn: TurnState) -> Told:
    calls, results = understood(turn).get("tools", []), turn.get("results", [])
    planned = [f"{call['tool']} {' '.join(call['arguments'].values())}" for call in calls]
    return {"planned": len(calls), "useful": len(results)}, {
        "calls": planned,
        "results": [one["title" if one.get("transient") else "text"] for one in results],
    }


def _approve(_before: TurnState, turn: TurnState) -> Told:
    change = understood(turn).get("change")
    return {"tool": change["tool"] if change else ""}, {"said": [turn["answer"]]}


def _widen(_before: TurnState, turn: TurnState) -> Told:
    facts: dict[str, Fact] = {"again": "nothing bears on it alone", **_found(turn), **_graded(turn)}
    return facts, {"kept": _titles(turn["passages"])}


def _search_web(_before: TurnState, turn: TurnState) -> Told:
    found = turn["passages"] if are_of_web(turn["passages"]) else []
    return {"kept": len(found)}, {"found": _titles(found)}


def _write(before: TurnState, turn: TurnState) -> Told:
    sufficiency = turn.get("sufficiency", UNSAID)
    facts: dict[str, Fact] = {
        "draft": turn["drafts"],
        "passages": len(before["passages"]),
        "evidence": sufficiency["level"],
        "characters": len(turn["draft"]),
    }
    if before["issues"]:
        facts["again"] = "the draft before fell short"
    return facts, {
        "to fix": before["issues"],
        "missing": [sufficiency["missing"]],
        "notes": turn["notes"],
        "draft": [turn["draft"]],
    }


def _improve(before: TurnState, turn: TurnState) -> Told:
    sufficiency = before.get("sufficiency", UNSAID)
    facts: dict[str, Fact] = {
        "again": "two drafts disagree" if before.get("disagreements") else f"evidence: {sufficiency['level']}",
        "new": len(turn["found"]) - len(before["found"]),
        **_graded(turn),
    }
    return facts, {"missing": [sufficiency["missing"]], "kept": _titles(turn["passages"])}


def _audit(_before: TurnState, turn: TurnState) -> Told:
    doubts = turn.get("doubts", [])
    facts: dict[str, Fact] = {
        "faults": len(turn["issues"]),
        "doubts": len(doubts),
        "confidence": round(turn["confidence"], 2),
    }
    return facts, {"faults": turn["issues"], "doubts": doubts}


def _compare(_before: TurnState, turn: TurnState) -> Told:
    disagreements = turn.get("disagreements", [])
    return {"disagreements": len(disagreements)}, {"disagreements": disagreements}


def _validate(before: TurnState, turn: TurnState) -> Told:
    # If no call was left for a validator, the scores belong to the draft before.
    is_judged = turn.get("calls", 0) > before.get("calls", 0) or turn.get("preset") == "quick"
    scores = turn.get("scores", {}) if is_judged else {}
    facts: dict[str, Fact] = {"judged": is_judged, **{name: round(score, 2) for name, score in scores.items()}}
    facts["confidence"] = round(turn["confidence"], 2)
    if turn.get("needs_review"):
        facts["needs_review"] = True
    # A validator that names no sentence may mean any.
    refuted = turn.get("refuted", []) if is_judged and (turn["issues"] or LEFT_OUT in turn["notes"]) else []
    return facts, {"issues": turn["issues"], "refuted": refuted}


def _review(_before: TurnState, turn: TurnState) -> Told:
    decision = turn.get("decision")
    return ({"decision": decision["kind"]}, {"said": [decision["text"]]}) if decision else ({}, {})


def _said(_before: TurnState, turn: TurnState) -> Told:
    return {"sources": len(turn["sources"])}, {"said": [turn["answer"]]}


def _ending(before: TurnState, turn: TurnState) -> Told:
    # `finish` empties the turn, so the numbers come from before.
    return {"outcome": turn["outcome"], "drafts": before["drafts"], "confidence": round(before["confidence"], 2)}, {}


_TELLERS: Final[dict[str, Callable[[TurnState, TurnState], Told]]] = {
    "search": _search,
    "understand": _understand,
    "look_up_place": _look_up_place,
    "retrieve": _retrieve,
    "confirm": _confirm,
    "reuse": _reuse,
    "assume": _chosen,
    "clarify": _chosen,
    "suggest": _suggest,
    "grade": _grade,
    "approve": _approve,
    "use_tools": _use_tools,
    "widen": _widen,
    "search_web": _search_web,
    "write": _write,
    "improve": _improve,
    "audit": _audit,
    "compare": _compare,
    "validate": _validate,
    "review": _review,
    "admit": _said,
    "converse": _said,
    "stay_silent": _ending,
    "finish": _ending,
}


def _asking(turn: TurnState) -> dict[str, list[str]]:
    asked = understood(turn)["clarification"]
    if asked is None:
        return {}
    labels = {facet["id"]: facet["label"] for facet in turn["facets"]}
    return {"asks": [asked["question"], *(labels.get(option, option) for option in asked["options"])]}


def _found(turn: TurnState) -> dict[str, Fact]:
    documents = {passage["document_id"] for passage in turn["found"]}
    found: dict[str, Fact] = {"found": len(turn["found"]), "documents": len(documents)}
    return {**found, "by_words": True} if turn.get("by_words") else found


def _graded(turn: TurnState) -> dict[str, Fact]:
    grades = [round(passage["relevance"], 2) for passage in turn["passages"] if "relevance" in passage]
    kept: dict[str, Fact] = {"kept": len(turn["passages"])}
    return {**kept, "best": max(grades), "grades": [*grades]} if grades else kept


def _titles(passages: Iterable[Passage]) -> list[str]:
    return [" › ".join((passage["title"], *passage["heading_path"])) for passage in passages]


def _cleaned(said: list[str]) -> Iterator[str]:
    for text in said[:MOST]:
        if clean := visible(text).strip()[:LONGEST]:
            # A model's cut text may end in half a character.
            yield clean.encode(errors="replace").decode()
