"""Formats the results as Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from benchmarks.arena.contestants import Name
from benchmarks.comparison.counting import Cost
from benchmarks.comparison.load import Rush
from benchmarks.comparison.outcome import Outcome
from benchmarks.comparison.parts import Parts
from benchmarks.comparison.storage import Room


@dataclass
class Results:
    """All results; those that were not measured are empty."""

    threads: int = 0
    costs: Mapping[Name, Cost] = field(default_factory=dict[Name, Cost])
    rushes: dict[str, Mapping[Name, Rush]] = field(default_factory=dict[str, Mapping[Name, Rush]])
    """By the bots' models."""
    parts: Mapping[Name, Parts] = field(default_factory=dict[Name, Parts])
    gaps: Sequence[float] = ()
    turns: Sequence[int] = ()
    rooms: Mapping[Name, Room] = field(default_factory=dict[Name, Room])
    faults: dict[str, Mapping[Name, Outcome]] = field(default_factory=dict[str, Mapping[Name, Outcome]])


def markdown(results: Results) -> str:
    """Return the tables, one below the other."""
    parts = [
        _table("One question, alone", _cost_rows(results.costs)),
        *(
            _table(f"{results.threads} threads at once, {models}", _rush_rows(rushes))
            for models, rushes in results.rushes.items()
        ),
        _table("Milliseconds of processor a question, by part", _part_rows(results.parts)),
        _table("A long thread", _room_rows(results)),
        _gap(results.gaps),
        _table("The same faults: right / lost / doubled", _fault_rows(results.faults)),
    ]
    return "\n\n".join(part for part in parts if part)


def _table(title: str, rows: Mapping[str, Mapping[Name, str]]) -> str:
    if not rows:
        return ""
    names = list(next(iter(rows.values())))
    lines = [
        [title, *names],
        ["---", *("---:" for _ in names)],
        *([label, *(cells.get(name, "") for name in names)] for label, cells in rows.items()),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cost_rows(costs: Mapping[Name, Cost]) -> dict[str, dict[Name, str]]:
    def each(show: str, total: str) -> dict[Name, str]:
        return {name: show.format(_read(cost, total) / cost.questions) for name, cost in costs.items()}

    if not costs:
        return {}
    return {
        "model calls": each("{:.1f}", "model_calls"),
        "tokens, in and out": each("{:,.0f}", "tokens"),
        "commits that wrote": each("{:.1f}", "written.commits"),
        "rows written": each("{:.1f}", "written.rows"),
        "bytes of write-ahead log": each("{:,.0f}", "written.size"),
        "calls to Slack": each("{:.1f}", "slack_calls"),
        "seconds to the answer, median": {name: f"{median(cost.seconds):.3f}" for name, cost in costs.items()},
    }


def _read(cost: Cost, path: str) -> float:
    value: object = cost
    for part in path.split("."):
        value = getattr(value, part)
    return float(str(value))


def _rush_rows(rushes: Mapping[Name, Rush]) -> dict[str, dict[Name, str]]:
    return {
        "answers a second, median": {name: f"{median(rush.per_second):.1f}" for name, rush in rushes.items()},
        "… of each round": {
            name: ", ".join(f"{rate:.1f}" for rate in rush.per_second) for name, rush in rushes.items()
        },
        "milliseconds of processor an answer": {
            name: f"{1000 * median(rush.cpu_seconds):.0f}" for name, rush in rushes.items()
        },
        "acknowledged after, median": {name: _ms(median(rush.acknowledged_seconds)) for name, rush in rushes.items()},
        "acknowledged after, 99 of 100": {
            name: _ms(quantiles(rush.acknowledged_seconds, n=100)[98]) for name, rush in rushes.items()
        },
    }


def _part_rows(parts: Mapping[Name, Parts]) -> dict[str, dict[Name, str]]:
    ours = next(iter(parts.values()), dict[str, float]())
    named = sorted({part for one in parts.values() for part in one}, key=lambda part: -ours.get(part, 0.0))
    shown: dict[str, dict[Name, str]] = {
        part: {name: f"{1000 * one.get(part, 0.0):.1f}" for name, one in parts.items()} for part in named
    }
    whole: dict[Name, str] = {name: f"{1000 * sum(one.values()):.1f}" for name, one in parts.items()}
    return {**shown, "all": whole} if parts else {}


def _room_rows(results: Results) -> dict[str, dict[Name, str]]:
    rooms = results.rooms
    grown: dict[str, dict[Name, str]] = {
        f"bytes stored after {turns} turns": {name: f"{room.after[place]:,}" for name, room in rooms.items()}
        for place, turns in enumerate(results.turns)
    }
    pruned: dict[Name, str] = {name: f"{room.pruned:,}" for name, room in rooms.items()}
    return {**grown, "… and pruned, which Askback does after a quiet hour, or 32 runs": pruned} if rooms else {}


def _fault_rows(faults: Mapping[str, Mapping[Name, Outcome]]) -> dict[str, dict[Name, str]]:
    return {
        title: {name: f"{one.right} / {one.lost} / {one.doubled}" for name, one in outcomes.items()}
        for title, outcomes in faults.items()
    }


def _gap(gaps: Sequence[float]) -> str:
    if not gaps:
        return ""
    return (
        "From the end of an answer to the start of the next in its thread, Askback: "
        f"median {_ms(median(gaps))}, longest {_ms(max(gaps))}, of {len(gaps)}."
    )


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"
