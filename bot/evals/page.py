"""An evaluation's report as one page: charts, figures, and each question with its answer (pure).

The page holds everything itself and loads nothing. All texts are escaped.
"""

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Final

from bot.evals.measures import percentile
from bot.evals.report import ALL, VERDICTS, EvaluationReport, cells
from bot.evals.tasks import RIGHT, Measured

COLOURS: Final[dict[str, str]] = dict(
    zip(
        VERDICTS,
        ("#2f8f4e", "#9ccc65", "#d4c04a", "#e8a33d", "#8fa8c8", "#b8b8b8", "#c0392b", "#7a5c9e", "#222222"),
        strict=True,
    )
)
WIDTH: Final = 480
"""Of a chart, in pixels."""
ROW: Final = 26
BARS: Final = 20
"""Of the histogram."""
STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }
td, th { padding: .2rem .7rem; border-bottom: 1px solid #ddd; text-align: right }
td:first-child, th:first-child { text-align: left } details { border-bottom: 1px solid #ddd; padding: .4rem 0 }
summary { cursor: pointer } pre { white-space: pre-wrap; background: #f6f6f6; padding: .7rem }
.verdict { display: inline-block; min-width: 5.5rem; font-weight: 600 } svg text { font: 13px system-ui, sans-serif }
"""


def page_of(report: EvaluationReport, title: str) -> str:
    """Return the page. There must be a result."""
    charts = {
        "How they ended": {ALL: list(report.results)},
        **{f"By {name}": own for name, own in report.groups.items()},
    }
    parts = [
        f"<h1>{escape(title)}</h1>",
        _legend(),
        *(f"<h2>{escape(name)}</h2>{_stacked(groups)}" for name, groups in charts.items()),
        f"<h2>Seconds to the end</h2>{_histogram([one.effort.seconds for one in report.results])}",
        *(f"<h2>{escape(name)}</h2>{_table(cells(rows))}" for name, rows in report.tables().items()),
        "<h2>Questions</h2>",
        *map(_question, report.results),
    ]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def _legend() -> str:
    marks = [f'<span style="color:{colour}">■</span> {verdict}' for verdict, colour in COLOURS.items()]
    return f"<p>{' &ensp; '.join(marks)}</p>"


def _stacked(groups: dict[str, list[Measured]]) -> str:
    """Draw a bar of verdicts for each group, all of one width, with its share of right ones."""
    rows = [_bar(name, own, place * ROW) for place, (name, own) in enumerate(groups.items())]
    return f'<svg width="{WIDTH + 320}" height="{len(rows) * ROW}" role="img">{"".join(rows)}</svg>'


def _bar(name: str, own: Sequence[Measured], top: int) -> str:
    counts, left, parts = Counter(result.verdict for result in own), 200.0, list[str]()
    for verdict, colour in COLOURS.items():
        width = WIDTH * counts[verdict] / len(own)
        parts.append(
            f'<rect x="{left:.1f}" y="{top + 3}" width="{width:.1f}" height="{ROW - 6}" fill="{colour}">'
            f"<title>{verdict}: {counts[verdict]}</title></rect>"
        )
        left += width
    label = f'<text x="0" y="{top + 18}">{escape(name[:28])}</text>'
    share = f'<text x="{WIDTH + 208}" y="{top + 18}">{counts[RIGHT] / len(own):.0%} of {len(own)}</text>'
    return label + "".join(parts) + share


def _histogram(seconds: Sequence[float]) -> str:
    longest = max(seconds) or 1.0
    counts = Counter(min(int(BARS * one / longest), BARS - 1) for one in seconds)
    highest, step = max(counts.values()), WIDTH / BARS
    bars = [
        f'<rect x="{place * step:.1f}" y="{120 - 110 * count / highest:.1f}" width="{step - 2:.1f}"'
        f' height="{110 * count / highest:.1f}" fill="#4a78b0"><title>{count}</title></rect>'
        for place, count in counts.items()
    ]
    axis = f'<text x="0" y="138">0 s</text><text x="{WIDTH}" y="138" text-anchor="end">{longest:.1f} s</text>'
    told = f"Median {percentile(seconds, 0.5):.2f} s, 95 of 100 within {percentile(seconds, 0.95):.2f} s."
    return f'<svg width="{WIDTH}" height="142" role="img">{"".join(bars)}{axis}</svg><p>{told}</p>'


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *told = rows
    return f"<table>{_row('th', head)}{''.join(_row('td', row) for row in told)}</table>"


def _row(tag: str, texts: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(text)}</{tag}>' for text in texts)}</tr>"


def _question(result: Measured) -> str:
    mark = f'<span class="verdict" style="color:{COLOURS[result.verdict]}">{result.verdict}</span>'
    said = "".join(f"<p>{escape(message)}</p>" for message in result.asked)
    counted = ", ".join([*result.groups.values(), *(f"{name} {one:.3g}" for name, one in result.numbers.items())])
    texts = "".join(f"<p>{escape(name)}</p><pre>{escape(text)}</pre>" for name, text in result.told.items() if text)
    effort = result.effort
    took = (
        f"{effort.seconds:.2f} s, {effort.calls} calls, {effort.tokens:,} tokens, {effort.searches} searches, "
        f"{effort.retries} retries"
    )
    return (
        f"<details><summary>{mark} {escape(result.asked[-1])}</summary>{said}"
        f"<p>{escape(result.id)}: {escape(counted)}. {took}.</p>{texts}</details>"
    )
