"""The measurements of `benchmarks.documents.ingesting` as tables in docs/benchmarks.md."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

from benchmarks.arena.write_ahead import Written
from benchmarks.documents.ingest_once import Name, Reading
from benchmarks.project import PAGE

BEGINS, ENDS = "<!-- ingesting -->\n", "<!-- end -->\n"


@dataclass(frozen=True, kw_only=True)
class Step:
    """What reading a folder took."""

    reading: Reading
    written: Written
    statements: int
    """Those that the server ran, with the begin and end of transactions; 0 if they were not counted."""


@dataclass(frozen=True, kw_only=True)
class Killed:
    """What was there after a kill in the middle of the first reading, and after the second."""

    pieces: int
    """All that there are to embed."""
    there: int
    """Documents stored as a whole when it was killed."""
    halved: int
    """Documents of which only a part was stored."""
    embedded_again: int
    """Pieces that the second reading embedded."""
    missing: int
    """Documents that were lost, or stored in part, after the second reading."""
    twice: int
    """Documents with a piece too many after the second reading."""


@dataclass(kw_only=True)
class Results:
    """All results."""

    documents: int = 0
    steps: dict[Name, dict[str, Step]] = field(default_factory=dict[Name, dict[str, Step]])
    """Counted once."""
    left: dict[Name, int] = field(default_factory=dict[Name, int])
    """Pieces of the deleted document that can still be found."""
    killed: dict[Name, Killed] = field(default_factory=dict[Name, Killed])
    rounds: dict[str, list[Mapping[Name, Reading]]] = field(default_factory=dict[str, list[Mapping[Name, Reading]]])
    """Each round's readings, by the step and how it was embedded."""


def markdown(results: Results) -> str:
    """Return the tables, one below the other."""
    return "\n\n".join("\n".join(rows) for rows in (_counted(results), _killed(results), _timed(results)))


def write(results: Results) -> None:
    """Replace the tables in the page."""
    text = PAGE.read_text("utf-8")
    before, after = text.split(BEGINS)[0], text.split(BEGINS)[1].split(ENDS, 1)[1]
    PAGE.write_text(f"{before}{BEGINS}{markdown(results)}\n{ENDS}{after}", "utf-8")


def _counted(results: Results) -> list[str]:
    rows = [
        f"| {title} | {name} | {step.reading.embedded} | {step.statements:,} | {step.written.commits} |"
        f" {step.written.size:,} |"
        for title in next(iter(results.steps.values()))
        for name, steps in results.steps.items()
        for step in [steps[title]]
    ]
    return [
        f"| {results.documents} documents | | embedded | statements | commits that wrote | bytes of write-ahead log |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        *rows,
    ]


def _killed(results: Results) -> list[str]:
    killed = results.killed
    rows = {
        "documents stored whole when it was killed": {name: one.there for name, one in killed.items()},
        "… stored in part": {name: one.halved for name, one in killed.items()},
        "pieces, all in all": {name: one.pieces for name, one in killed.items()},
        "… embedded by the second reading": {name: one.embedded_again for name, one in killed.items()},
        "documents lost or in part after it": {name: one.missing for name, one in killed.items()},
        "documents with pieces twice after it": {name: one.twice for name, one in killed.items()},
        "pieces of the deleted document still found": results.left,
    }
    return [
        f"| Killed in the middle, and read again | {' | '.join(killed)} |",
        f"| --- |{' ---: |' * len(killed)}",
        *(f"| {title} | {' | '.join(str(cells[name]) for name in killed)} |" for title, cells in rows.items()),
    ]


def _timed(results: Results) -> list[str]:
    return [
        "| Askback's share of what the plain way does: median, and each round | documents a second | processor time |",
        "| --- | ---: | ---: |",
        *(
            f"| {title} | {_ratios(rounds, lambda reading: 1 / reading.seconds)} |"
            f" {_ratios(rounds, lambda reading: reading.processor_seconds)} |"
            for title, rounds in results.rounds.items()
        ),
    ]


def _ratios(rounds: list[Mapping[Name, Reading]], of: Callable[[Reading], float]) -> str:
    ratios = [of(readings["Askback"]) / of(readings["plain"]) for readings in rounds]
    return f"×{median(ratios):.2f} ({', '.join(f'{ratio:.2f}' for ratio in ratios)})"
