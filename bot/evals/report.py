"""The report of any evaluation: counts, figures and effort in tables, JSON, transcripts, comparisons (pure)."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from bot.evals.measures import Figure, Figures, Share, mcnemar, mean, percentile, share, wilson
from bot.evals.tasks import FAILED, RIGHT, Effort, Measured, Task

VERDICTS: Final = ("right", "nearest", "partly", "guessed", "needless", "nothing", "wrong", "other", FAILED)
"""In the order of reports, from best to worst."""
ALL: Final = "all"
_DIGITS: Final = 3
_PERCENT: Final = 100


@dataclass(frozen=True, kw_only=True)
class EvaluationReport:
    """The results of a set of tasks. There must be one."""

    results: tuple[Measured, ...]
    figures: Callable[[Sequence[Measured]], Figures]
    beside: Mapping[str, Figures] = field(default_factory=dict[str, Figures])

    @property
    def groups(self) -> dict[str, dict[str, list[Measured]]]:
        """Return the results by each thing that they are counted by, if it has more than one value."""
        names = dict.fromkeys(name for result in self.results for name in result.groups)
        every = {name: _by(self.results, lambda one, name=name: one.groups.get(name, "")) for name in names}
        every["retries"] = _by(self.results, lambda one: str(one.effort.retries))
        return {name: own for name, own in every.items() if len(own) > 1}

    @property
    def rows(self) -> dict[str, list[Measured]]:
        """Return the results of each row of a table."""
        parts = {f"{name}: {value}": own for name, those in self.groups.items() for value, own in those.items()}
        return {ALL: list(self.results), **parts}

    def tables(self) -> dict[str, dict[str, Figures]]:
        """Return the rows of tables by title: how tasks ended, the evaluation's figures, what tasks took."""
        told = {name: self.figures(_read_ones(own)) for name, own in self.rows.items()}
        return {
            "How they ended": {name: _ends(own) for name, own in self.rows.items()},
            "Figures": {**told, **self.beside},
            "What they took": {name: efforts(_read_ones(own)) for name, own in self.rows.items()},
        }

    def as_text(self) -> str:
        """Return all tables, and the rows that failed."""
        failed = [f"{one.id}: {one.told.get('error', '')}" for one in self.results if one.verdict == FAILED]
        told = [f"{len(failed)} failed:", *failed] if failed else []
        return "\n\n".join([*map(table, self.tables().values()), *(["\n".join(told)] if told else [])])

    def as_json(self) -> str:
        """Return the figures as JSON: of all, and of each group."""
        groups = {
            name: {value: self._counted(own) for value, own in those.items()} for name, those in self.groups.items()
        }
        beside = {name: _plain(own) for name, own in self.beside.items()}
        return json.dumps({ALL: self._counted(self.results), **groups, "beside": beside}, indent=2)

    def against(self, transcripts: str) -> str:
        """Compare with an earlier run on the same questions: won, lost, and the probability of chance (McNemar)."""
        rows = [json.loads(line) for line in transcripts.splitlines()]
        before = {row["id"]: row["verdict"] == RIGHT for row in rows}
        now = {result.id: result.verdict == RIGHT for result in self.results}
        both = before.keys() & now.keys()
        won = sum(now[each] and not before[each] for each in both)
        lost = sum(before[each] and not now[each] for each in both)
        changed = f"{won} are right that were not, {lost} no longer are"
        return f"Of {len(both)} questions, {changed}: p = {mcnemar(won, lost):.3f}."

    def _counted(self, own: Sequence[Measured]) -> dict[str, Any]:
        ended = Counter(result.verdict for result in own)
        read = _read_ones(own)
        return {"questions": len(own), "ended": ended, **_plain(self.figures(read)), **_plain(efforts(read))}


def efforts(results: Sequence[Measured]) -> Figures:
    """Return what results took, and how faithful the validator found the answers. There must be a result."""
    every = [result.effort for result in results]
    seconds = [effort.seconds for effort in every]
    return {
        "seconds": mean(seconds),
        "95 of 100 within": percentile(seconds, 0.95),
        "calls": mean(effort.calls for effort in every),
        "tokens": mean(effort.tokens for effort in every),
        "searches": mean(effort.searches for effort in every),
        "retried": share(effort.retries > 0 for effort in every),
        "retries": mean(effort.retries for effort in every),
        "faithful": mean(effort.faithful for effort in every if effort.faithful is not None),
    }


def transcript(result: Measured) -> str:
    """Return a result as a line of JSON, for people to judge, and for later comparisons."""
    return json.dumps(asdict(result), ensure_ascii=False)


def resumed(transcripts: str, tasks: Iterable[Task]) -> dict[str, Measured]:
    """Return the results of an earlier run by the task's id; a last line that was cut off is ignored.

    What failed is left out, so that it is measured again.
    """
    ids = {task.id for task in tasks}
    rows = [json.loads(line) for line in transcripts.splitlines(keepends=True) if line.endswith("\n")]
    return {row["id"]: _read(row) for row in rows if row["id"] in ids and row["verdict"] != FAILED}


def _read(row: dict[str, Any]) -> Measured:
    fields: dict[str, Any] = {**row, "asked": tuple(row["asked"]), "effort": Effort(**row["effort"])}
    return Measured(**fields)


def table(rows: Mapping[str, Figures]) -> str:
    """Return a Markdown table with a row for each name."""
    (_, *columns), *told = cells(rows)
    head = f"| | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}"
    return "\n".join([head, *(f"| {' | '.join(row)} |" for row in told)])


def cells(rows: Mapping[str, Figures]) -> list[list[str]]:
    """Return the texts of a table, with its head; a column without any figure is left out."""
    columns = dict.fromkeys(name for own in rows.values() for name, figure in own.items() if figure is not None)
    told = [[row, *(shown(own.get(name)) for name in columns)] for row, own in rows.items()]
    return [["", *(name.replace("_", " ") for name in columns)], *told]


def shown(figure: Figure) -> str:
    """Return a figure for people: a share with its interval, a number with as many digits as say something."""
    match figure:
        case None:
            return "–"
        case Share():
            low, high = wilson(figure.hits, figure.of)
            return f"{figure.value:.1%} of {figure.of:,.0f} ({low:.0%}–{high:.0%})"
        case int():
            return f"{figure:,}"
        case _:
            return f"{figure:,.0f}" if figure >= _PERCENT else f"{figure:.{_DIGITS}f}"


def _read_ones(own: Sequence[Measured]) -> Sequence[Measured]:
    """Leave out rows that could not be read: nobody knows what they ask."""
    return [one for one in own if one.groups]


def _ends(own: Sequence[Measured]) -> Figures:
    counts = Counter(result.verdict for result in own)
    return {
        "questions": len(own),
        "right": counts[RIGHT],
        "share": share(one.verdict == RIGHT for one in own),
        **{verdict: counts[verdict] or None for verdict in VERDICTS[1:]},
    }


def _plain(figures: Figures) -> dict[str, Any]:
    return {name: _of_share(figure) if isinstance(figure, Share) else figure for name, figure in figures.items()}


def _of_share(one: Share) -> dict[str, float]:
    low, high = wilson(one.hits, one.of)
    return {"share": one.value, "of": one.of, "low": low, "high": high}


def _by(results: Iterable[Measured], value: Callable[[Measured], str]) -> dict[str, list[Measured]]:
    groups: dict[str, list[Measured]] = {}
    for result in results:
        groups.setdefault(value(result), []).append(result)
    return {name: own for name, own in groups.items() if name}
