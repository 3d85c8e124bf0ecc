"""The measurements of `benchmarks.scale` as a table and as a picture."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.project import ROOT
from benchmarks.scale.corpus import Built

PICTURE: Final = ROOT / "docs" / "images" / "scale.svg"
PAGE: Final = PICTURE.parent.parent / "scale.md"
BEGINS, ENDS = "<!-- measured -->\n", "<!-- end -->\n"
COLOURS: Final = ("#1f2328", "#0969da", "#1a7f37", "#9a6700", "#cf222e", "#8250df")
LEFT, TOP, WIDTH, HEIGHT = 60, 20, 420, 240
MOST_MS: Final = 3000.0


@dataclass(frozen=True, kw_only=True)
class Row:
    """What people of one audience measured."""

    label: str
    passages: int
    """That they may read."""
    milliseconds: Sequence[float]
    recall: float
    """At ten, against comparing all vectors."""

    def percentile(self, share: float) -> float:
        """Return the time in milliseconds that this share of the searches stayed within."""
        return sorted(self.milliseconds)[math.ceil(share * len(self.milliseconds)) - 1]


@dataclass(frozen=True, kw_only=True)
class Size:
    """What was measured among a number of passages."""

    passages: int
    rows: Sequence[Row]
    """The first may read all."""
    built: Sequence[Built]
    stored: float
    """Passages a second, whose vectors are known, beside those that are there."""


def table(sizes: Sequence[Size]) -> str:
    """Return three tables in Markdown: the searches, the indexes, and how fast passages are stored."""
    lines = [
        "| passages | the asker may read | that is | p50 ms | p95 ms | by all's p95 | recall@10 |",
        "| ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for size in sizes:
        first = size.rows[0].percentile(0.95)
        lines += [
            f"| {size.passages:,} | {row.label} | {row.passages:,} | {row.percentile(0.5):.1f} |"
            f" {row.percentile(0.95):.1f} | ×{row.percentile(0.95) / first:.2f} | {row.recall:.3f} |"
            for row in size.rows
        ]
    lines += ["", "| passages | index | MB | seconds to build |", "| ---: | --- | ---: | ---: |"]
    lines += [
        f"| {size.passages:,} | `{one.name}` | {one.megabytes:,.0f} | {one.seconds:,.0f} |"
        for size in sizes
        for one in size.built
        if one.megabytes >= 1
    ]
    lines += ["", "| passages | stored beside them, a second |", "| ---: | ---: |"]
    lines += [f"| {size.passages:,} | {size.stored:,.0f} |" for size in sizes]
    return "\n".join(lines)


def write(sizes: Sequence[Size]) -> None:
    """Replace the tables in the page, and the picture."""
    text = PAGE.read_text("utf-8")
    before, after = text.split(BEGINS)[0], text.split(ENDS)[1]
    PAGE.write_text(f"{before}{BEGINS}{table(sizes)}\n{ENDS}{after}", "utf-8")
    PICTURE.write_text(picture(sizes), "utf-8")


def picture(sizes: Sequence[Size]) -> str:
    """Return a drawing in SVG: p95 by the number of passages, a line for each audience; both axes are logarithmic."""
    parts = [*_axes(sizes)]
    for number, (colour, first) in enumerate(zip(COLOURS, sizes[0].rows, strict=True)):
        points = [(_x(sizes, size.passages), _y(size.rows[number].percentile(0.95))) for size in sizes]
        line = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="{colour}"/>' for x, y in points]
        parts.append(f'<text x="{LEFT + WIDTH + 16}" y="{TOP + 16 + 20 * number}" fill="{colour}">{first.label}</text>')
    size = f"{LEFT + WIDTH + 220} {TOP + HEIGHT + 50}"
    style = 'font-family="sans-serif" font-size="12"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" {style}>',
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _axes(sizes: Sequence[Size]) -> list[str]:
    grey = 'stroke="#d0d7de"'
    lines = [
        f'<line x1="{LEFT}" y1="{_y(ms):.0f}" x2="{LEFT + WIDTH}" y2="{_y(ms):.0f}" {grey}/>'
        f'<text x="{LEFT - 6}" y="{_y(ms) + 4:.0f}" text-anchor="end">{ms:g}</text>'
        for ms in (1, 10, 100, 1000)
    ]
    bottom, middle = TOP + HEIGHT, LEFT + WIDTH // 2
    lines += [
        f'<text x="{_x(sizes, size.passages):.0f}" y="{bottom + 18}" text-anchor="middle">{size.passages:,}</text>'
        for size in sizes
    ]
    return [
        *lines,
        f'<text x="{middle}" y="{bottom + 38}" text-anchor="middle">passages</text>',
        f'<text x="{LEFT}" y="{TOP - 6}" text-anchor="end">p95 ms</text>',
    ]


def _x(sizes: Sequence[Size], passages: int) -> float:
    least, most = math.log(sizes[0].passages), math.log(sizes[-1].passages)
    return LEFT + 20 + (WIDTH - 40) * ((math.log(passages) - least) / (most - least) if most > least else 0.5)


def _y(milliseconds: float) -> float:
    return TOP + HEIGHT * (1 - math.log10(max(1.0, milliseconds)) / math.log10(MOST_MS))
