"""Reports of how questions end: figures, tables, transcripts, and comparisons with an earlier run (pure)."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, get_args

from bot.evals.answers import Told
from bot.evals.effort import Effort
from bot.evals.measures import mcnemar, percentile, wilson
from bot.evals.outcomes import Expectation, Expected, Result, Verdict

ANSWERABLE = ("answer", "ask")
"""Expected ends of a question that documents answer."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """The results of a set of questions."""

    results: tuple[Result, ...]

    @property
    def halves(self) -> list[str]:
        """The halves that have questions."""
        return sorted({result.expected.half for result in self.results})

    def of_half(self, half: str) -> list[Result]:
        """Return the results of one half."""
        return [result for result in self.results if result.expected.half == half]

    def by_kind(self) -> dict[str, list[Result]]:
        """Return the results of each kind of question, in the order of the questions."""
        kinds = dict.fromkeys(result.expected.kind for result in self.results)
        return {kind: [result for result in self.results if result.expected.kind == kind] for kind in kinds}

    def by_retries(self) -> dict[int, list[Result]]:
        """Return the results by the number of their rounds after the first."""
        counts = sorted({result.effort.retries for result in self.results})
        return {count: [result for result in self.results if result.effort.retries == count] for count in counts}

    def tables(self) -> str:
        """Return everything as Markdown tables: ends, rates, effort by kind, success by retries."""
        return f"{self.table()}\n\n{self.rates()}\n\n{self.efforts()}\n\n{self.retries()}"

    def table(self) -> str:
        """Return counts as Markdown: a row for each half and expected end."""
        verdicts = get_args(Verdict)
        rows = [
            _ends(half, expect, self.of_half(half)) for half in self.halves for expect in [None, *get_args(Expected)]
        ]
        return _table(["half", "expected", "questions", *verdicts, "right", "95 %"], [row for row in rows if row], 2)

    def rates(self) -> str:
        """Return shares as Markdown: a row for each half. See `figures`."""
        shares = [(half, figures(self.of_half(half))) for half in self.halves]
        rows = [[half, *(_percent(of[name]) for name in _RATES)] for half, of in shares]
        return _table(["half", *_RATES.values()], rows, 1)

    def efforts(self) -> str:
        """Return means as Markdown: a row for each kind of question."""
        rows = [(kind, figures(own)) for kind, own in [("all", list(self.results)), *self.by_kind().items()]]
        head = ["kind", "questions", "right", "seconds", "95 of 100 within", "calls", "tokens", "searches", "retried"]
        return _table(head, [_effort(kind, of) for kind, of in rows], 1)

    def retries(self) -> str:
        """Return how many are right after how many retries, as Markdown."""
        counted = [(retries, len(own), _rights(own)) for retries, own in self.by_retries().items()]
        rows = [[str(retries), str(of), f"{right / of:.0%}"] for retries, of, right in counted]
        return _table(["retries", "questions", "right"], rows, 0)

    def as_json(self) -> str:
        """Return the figures as JSON: of all, of each half, of each kind."""
        return json.dumps(
            {
                "all": figures(self.results),
                "halves": {half: figures(self.of_half(half)) for half in self.halves},
                "kinds": {kind: figures(own) for kind, own in self.by_kind().items()},
                "retries": {str(retries): figures(own) for retries, own in self.by_retries().items()},
            },
            indent=2,
        )

    def against(self, transcripts: str) -> str:
        """Compare with an earlier run on the same questions: won, lost, and the probability of chance (McNemar)."""
        rows = [json.loads(line) for line in transcripts.splitlines()]
        before = {row["id"]: row["verdict"] == "right" for row in rows}
        now = {result.expected.id: result.verdict == "right" for result in self.results}
        both = before.keys() & now.keys()
        won = sum(now[each] and not before[each] for each in both)
        lost = sum(before[each] and not now[each] for each in both)
        changed = f"{won} are right that were not, {lost} no longer are"
        return f"Of {len(both)} questions, {changed}: p = {mcnemar(won, lost):.3f}."


_RATES = {
    "right": "right", "helpful": "right or nearest", "wrong": "wrong or guessed", "false_nothing": "false nothing",
    "over_asked": "asked needlessly", "ask_precision": "questions back: right", "ask_recall": "ambiguous: asked",
}  # fmt: skip


def figures(results: Sequence[Result]) -> dict[str, float | None]:
    """Return shares (0–1) and means of results; None if there is nothing to count. There must be a result.

    `false_nothing`, of what documents answer. `over_asked`, of clear questions. `ask_precision`, of the questions back.
    `ask_recall`, of the ambiguous questions. `retried`, of all.
    """
    efforts = [result.effort for result in results]
    seconds = [effort.seconds for effort in efforts]
    asked = [result for result in results if result.told.outcome == "asked"]
    return {
        "questions": len(results),
        "right": _share(results, "right"),
        "helpful": _share(results, "right", "nearest"),
        "wrong": _share(results, "wrong", "guessed"),
        "false_nothing": _share((one for one in results if one.expected.expect in ANSWERABLE), "nothing"),
        "over_asked": _share((one for one in results if one.expected.expect == "answer"), "needless"),
        "ask_precision": _share(asked, "right"),
        "ask_recall": _mean(
            one.told.outcome == "asked" and one.verdict == "right" for one in results if one.expected.expect == "ask"
        ),
        "seconds_mean": fmean(seconds),
        "seconds_p95": percentile(seconds, 0.95),
        "calls_mean": fmean(effort.calls for effort in efforts),
        "tokens_mean": fmean(effort.tokens for effort in efforts),
        "searches_mean": fmean(effort.searches for effort in efforts),
        "retried": _mean(effort.retries > 0 for effort in efforts),
        "retries_mean": fmean(effort.retries for effort in efforts),
    }


def transcript(result: Result) -> str:
    """Return a result as a line of JSON, for people to judge, and for later comparisons."""
    expected, told = result.expected, result.told
    return json.dumps(
        {
            "id": expected.id,
            "set": expected.half,
            "asked": [*expected.earlier, expected.question],
            "expect": expected.expect,
            "verdict": result.verdict,
            "outcome": told.outcome,
            "text": told.text,
            "documents": told.documents,
            "options": [label for label, _ in told.options],
            "effort": asdict(result.effort),
        },
        ensure_ascii=False,
    )


def resumed(transcripts: str, expectations: Sequence[Expectation]) -> dict[str, Result]:
    """Return the results of an earlier run by the question's id; a last line that was cut off is ignored."""
    of_id = {expected.id: expected for expected in expectations}
    rows = [json.loads(line) for line in transcripts.splitlines(keepends=True) if line.endswith("\n")]
    return {row["id"]: _read(row, of_id[row["id"]]) for row in rows if row["id"] in of_id}


def _read(row: dict[str, Any], expected: Expectation) -> Result:
    told = Told(
        outcome=row["outcome"],
        text=row["text"],
        documents=tuple(row["documents"]),
        options=tuple((label, frozenset[str]()) for label in row["options"]),
    )
    return Result(expected=expected, told=told, verdict=row["verdict"], effort=Effort(**row["effort"]))


def _ends(half: str, expect: Expected | None, own: Sequence[Result]) -> list[str]:
    of = [result for result in own if expect in (None, result.expected.expect)]
    if not of:
        return []
    counts = Counter(result.verdict for result in of)
    low, high = wilson(counts["right"], len(of))
    cells = [str(counts[each]) for each in get_args(Verdict)]
    return [half, expect or "all", str(len(of)), *cells, f"{counts['right'] / len(of):.0%}", f"{low:.0%}–{high:.0%}"]


def _effort(kind: str, of: dict[str, float | None]) -> list[str]:
    means = [
        f"{of[name] or 0:,.{digits}f}"
        for name, digits in (
            ("seconds_mean", 2), ("seconds_p95", 2), ("calls_mean", 1), ("tokens_mean", 0), ("searches_mean", 1),
        )
    ]  # fmt: skip
    return [kind, f"{of['questions']:.0f}", _percent(of["right"]), *means, _percent(of["retried"])]


def _rights(results: Iterable[Result]) -> int:
    return sum(result.verdict == "right" for result in results)


def _share(results: Iterable[Result], *verdicts: Verdict) -> float | None:
    return _mean(result.verdict in verdicts for result in results)


def _mean(found: Iterable[bool]) -> float | None:
    counted = list(found)
    return fmean(counted) if counted else None


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], words: int) -> str:
    """Return a Markdown table; the first columns hold words, the others numbers."""
    rule = "---|" * words + "---:|" * (len(head) - words)
    return "\n".join([f"| {' | '.join(head)} |", f"|{rule}", *(f"| {' | '.join(row)} |" for row in rows)])
