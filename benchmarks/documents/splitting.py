"""Compares sizes of passages: `python -m benchmarks.documents.splitting [PUBLIC] [--sizes N …] [--sets NAME …]`.

It asks the `dev` halves of our own and the strangers' questions, and the public sets of a given folder
(`kb_product_docs`, and the documents of some questions of `kb_cloud`). Each size has its own workspace. The last row of
a set is the usual size, embedded without the names and headings of documents.
"""

import argparse
import asyncio
import random
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

import psycopg
from rich.console import Console

from benchmarks.arena.arena import Arena, open_arena
from benchmarks.databases import as_app
from benchmarks.fitting.sets import Asked, folders, questions
from bot.evals.outcomes import holds
from bot.evals.retrieval import averages, documents_of, figures_of
from bot.knowledge.documents import Matrix
from bot.knowledge.ingest import ingest
from bot.knowledge.search import Library, Search, everything
from bot.knowledge.split import TARGET
from bot.logs import configure_logs
from bot.models.embedding import MiniLm
from bot.models.reranking import SignalReranker
from bot.postgres.pool import Database
from graph.answer.selection import FEWEST, selected
from graph.passages import Passage

SIZES: Final = (75, 125, TARGET, 300, 450)
"""Tokens; of English text, a token is some four characters."""
SETS: Final = {"our own": "dev", "strangers": "strangers", "product documents": "product", "cloud": "cloud"}
"""The sets of the table, and what the names of their questions hold."""
_FOUND: Final = 30


@dataclass(frozen=True, kw_only=True)
class Way:
    """How documents are split and embedded."""

    tokens: int
    is_bare: bool = False
    """Whether the embedded text lacks the document's name and headings."""

    @property
    def label(self) -> str:
        """What the table calls it."""
        return f"{self.tokens} tokens{', without names and headings' if self.is_bare else ''}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """The figures of a set of questions with one way of splitting."""

    way: Way
    set: str
    passages: int
    """All that the set's folders hold."""
    report: dict[str, float | None]
    joined: float | None
    """The share (0–1) of questions whose answer stands in the first passages that are read, with neighbours joined."""
    apart: float | None
    """The same without joining; both are `None` if only documents are known to be right."""


class SplittingModel(MiniLm):
    """The built-in model; texts seem shorter or longer to the splitter, as the way of splitting needs."""

    way = Way(tokens=TARGET)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens, relative to the size of passages."""
        return round(super().count_tokens(text) * TARGET / self.way.tokens)

    def _embed(self, text: str, *, is_query: bool) -> Matrix:
        return super()._embed(text if is_query or not self.way.is_bare else text.partition("\n")[2], is_query=is_query)


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.documents.splitting", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("public", nargs="?", type=Path, help="the folder with the public sets")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="tokens of a passage")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, help="whose questions to ask")
    parser.add_argument("--most", type=int, default=100, help="questions of a set")
    arguments = parser.parse_args()
    configure_logs("console", "error")
    ways = [*(Way(tokens=size) for size in arguments.sizes), Way(tokens=TARGET, is_bare=True)]
    console = Console(stderr=True, highlight=False, log_path=False)
    with tempfile.TemporaryDirectory(prefix="askback-") as target, open_arena({}, documents=None) as arena:
        found = folders(arguments.public, Path(target))
        asked = _some_of_dev(questions(arguments.public, found), arguments.sets, most=arguments.most)
        if "cloud" in asked:
            _keep_some(found["cloud"], {path for one in asked["cloud"] for path in one.answers})
        rows = asyncio.run(measure(arena, ways, found, asked, console))
    print(table(rows))


def _some_of_dev(asked: Sequence[Asked], sets: Iterable[str], *, most: int) -> dict[str, list[Asked]]:
    """Return questions of each set that have an answer."""
    chance = random.Random(17)
    chosen = {
        title: [one for one in asked if one.answers and one.meant and SETS[title] in one.name.split()] for title in sets
    }
    return {title: chance.sample(those, min(most, len(those))) for title, those in chosen.items() if those}


def _keep_some(folder: Path, right: set[str]) -> None:
    """Remove documents, but keep the right ones and twice as many others."""
    others = sorted(file for file in folder.rglob("*.md") if file.relative_to(folder).as_posix() not in right)
    for file in others[2 * len(right) :]:
        file.unlink()


async def measure(
    arena: Arena, ways: Sequence[Way], found: dict[str, Path], asked: dict[str, list[Asked]], console: Console
) -> list[Row]:
    """Return the figures of each set with each way."""
    model = SplittingModel.load()
    wanted = {one.folder for several in asked.values() for one in several}
    rows: list[Row] = []
    url = arena.clone()
    async with Database.open(as_app(url), size=4, workspace="") as database:
        for way in ways:
            console.log(f"Asking with {way.label} …")
            # Of texts embedded without names, nothing may be remembered for others.
            model = SplittingModel.load() if way.is_bare else model
            model.way = way
            passages = {
                name: await _read(database, model, _workspace(way, name), found[name]) for name in sorted(wanted)
            }
            await _analyze(url)
            for title, several in asked.items():
                count = sum(passages[name] for name in {one.folder for one in several})
                rows.append(await _row(database, model, way, title, several, passages=count))
                console.log(_line(rows[-1]))
    return rows


async def _read(database: Database, model: SplittingModel, workspace: str, folder: Path) -> int:
    """Read a folder into a workspace of its own, and return the number of passages."""
    await ingest(database, model, workspace, [folder])
    async with Library(database, workspace, reader=everything).reading() as connection:
        cursor = await connection.execute("SELECT count(*) AS passages FROM passages")
        return (await cursor.fetchall())[0]["passages"]


async def _analyze(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        await owner.execute("ANALYZE")


async def _row(
    database: Database, model: SplittingModel, way: Way, title: str, asked: Sequence[Asked], *, passages: int
) -> Row:
    ranked = [await _ranked(database, model, _workspace(way, one.folder), one.question) for one in asked]
    pairs = list(zip(asked, ranked, strict=True))
    has_phrases = any(phrase for one in asked for phrase in one.answers.values())
    return Row(
        way=way,
        set=title,
        passages=passages,
        report=averages(figures_of(documents_of(found), frozenset(one.answers)) for one, found in pairs),
        joined=_share(pairs, joined=True) if has_phrases else None,
        apart=_share(pairs, joined=False) if has_phrases else None,
    )


async def _ranked(database: Database, model: SplittingModel, workspace: str, question: str) -> list[Passage]:
    search = Search(Library(database, workspace, reader=everything), model)
    found = await search.search(question, limit=_FOUND)
    return await SignalReranker(model).rerank(question, found, keep=_FOUND)


def _share(pairs: Sequence[tuple[Asked, list[Passage]]], *, joined: bool) -> float:
    read = ((one, (selected(found) if joined else found)[:FEWEST]) for one, found in pairs)
    return fmean(any(_answers(one, passage) for passage in passages) for one, passages in read)


def _answers(asked: Asked, passage: Passage) -> bool:
    phrase = asked.answers.get(passage["path"])
    return phrase is not None and holds(passage["text"], phrase)


def _workspace(way: Way, folder: str) -> str:
    return f"{folder} {way.label}"


def table(rows: Sequence[Row]) -> str:
    """Return the figures in Markdown, the rows of a set one below the other."""
    head = ["passages", "recall at 3", "recall at 5", "MRR", "the answer is read", "… neighbours not joined"]
    parts: list[str] = []
    for title in dict.fromkeys(row.set for row in rows):
        lines = [[title, *head], ["---", *("---:" for _ in head)]]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
        parts[-1] += "".join(f"\n{_line(row)}" for row in rows if row.set == title)
    return "\n\n".join(parts)


def _line(row: Row) -> str:
    figures = (*(row.report[name] for name in ("recall at 3", "recall at 5", "MRR")), row.joined, row.apart)
    cells = ("–" if figure is None else f"{figure:.3f}" for figure in figures)
    return f"| {row.way.label} | {row.passages:,} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
