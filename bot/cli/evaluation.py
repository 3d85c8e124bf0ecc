"""What `askback eval` does: measures on data files, in a workspace that it empties afterwards."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rich.console import Console

from bot.app import open_bot
from bot.bot import Bot
from bot.cli.console import Terminal, progress_bar, progress_bars, write
from bot.cli.start import make_ready
from bot.errors import SettingsError
from bot.evals.answers import read_answers
from bot.evals.clarification import read_clarification
from bot.evals.drafts import read_drafts
from bot.evals.groundedness import read_groundedness
from bot.evals.markdown_cases import SUFFIX, read_cases
from bot.evals.metering import measured
from bot.evals.outcomes import read_outcomes
from bot.evals.page import page_of
from bot.evals.rehearsal import Rehearsal
from bot.evals.report import EvaluationReport, resumed, transcript
from bot.evals.retrieval import read_retrieval
from bot.evals.tasks import UNREADABLE, Bench, Evaluation, Measured, Task
from bot.evals.understanding import Rewriter, read_understanding
from bot.knowledge.connectors.files import find_files
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import IngestOptions, ingest
from bot.knowledge.search import Library, Search, everything
from bot.knowledge.search_store import Found, SearchRequest
from bot.models.choice import demanded_model
from bot.postgres.addresses import addresses
from bot.postgres.pool import Connection
from bot.settings import Settings
from graph.context import Retriever
from graph.search import CANDIDATES

WORKSPACE = "evaluation"
FIGURES = ".json"
RETRIEVAL = "retrieval"
LONGEST_SHOWN = 40
"""Characters of a question beside the progress bar."""
READERS: Final[dict[str, Callable[[Path], Evaluation]]] = {
    "answers": read_answers,
    "clarification": read_clarification,
    "drafts": read_drafts,
    "groundedness": read_groundedness,
    "outcomes": lambda file: read_cases(file) if file.suffix == SUFFIX else read_outcomes(file),
    "understanding": read_understanding,
}
"""What reads the data file of each evaluation, except of retrieval, which brings its documents along."""


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What to make of the results."""

    save: Path | None = None
    """A file for the transcripts."""
    resume: bool = False
    """Whether to measure only what that file lacks."""
    against: Path | None = None
    """The transcripts of an earlier run."""
    report: Path | None = None
    """A file for a page (`.html`) or for figures (`.json`)."""
    is_json: bool = False
    """Whether to print the figures as JSON, not tables."""


async def evaluate(settings: Settings, name: str, file: Path, folders: list[Path], wanted: Outputs) -> None:
    """Measure every row of a data file, and print the report."""
    if wanted.resume and wanted.save is None:
        raise SettingsError("--resume needs --save, the file to go on with.")
    if wanted.report:
        with _explained(wanted.report):
            wanted.report.open("a").close()  # Now: hours later would be too late.
    console, watching = Terminal(), Terminal(stderr=wanted.is_json)
    with tempfile.TemporaryDirectory() as laid_out:
        with _explained(wanted.against or file):
            before = await asyncio.to_thread(wanted.against.read_text, "utf-8") if wanted.against else ""
        with _explained(file):
            evaluation = read_retrieval(file, Path(laid_out)) if name == RETRIEVAL else READERS[name](file)
        read = [Path(laid_out)] if name == RETRIEVAL else folders
        every = [*evaluation.failed, *[one async for one in _measured(settings, evaluation, read, watching, wanted)]]
    if len(every) == len(evaluation.failed):
        named = ", ".join(map(str, folders))
        raise SettingsError(
            f"No row of {file} is about {named}." if named else f"Name the folders that {file} is about."
        )
    report = EvaluationReport(results=tuple(every), figures=evaluation.figures, beside=evaluation.beside)
    console.print(report.as_json() if wanted.is_json else report.as_text(), markup=False, soft_wrap=True)
    if wanted.report:
        written = report.as_json() if wanted.report.suffix == FIGURES else page_of(report, file.name)
        await write(wanted.report, written)
    if wanted.against:
        with _explained(wanted.against):
            watching.print(f"\n{report.against(before)}", markup=False, soft_wrap=True)


async def _measured(
    settings: Settings, evaluation: Evaluation, folders: list[Path], console: Console, wanted: Outputs
) -> AsyncGenerator[Measured]:
    """Yield the results of an earlier run, then those of what is left, folder by folder."""
    parts = _parts(evaluation.tasks, folders)
    done = _earlier(wanted, [task for _, own in parts for task in own])
    for result in done.values():
        yield result
    with _saving(wanted, done.values()) as save:
        for read, own in parts:
            left = [task for task in own if task.id not in done]
            if not left:
                continue
            async with _ingested(settings, read, console) as bench:
                with progress_bar(console, "Measuring") as progress:
                    count = 0
                    async for result in measured(left, bench):
                        count += 1
                        progress(count, len(left), result.id[:LONGEST_SHOWN], 0)
                        save(result)
                        yield result


def _parts(tasks: Iterable[Task], folders: list[Path]) -> list[tuple[list[Path], list[Task]]]:
    """Return which folders are read for which tasks: one for its own tasks, all for those that name none."""
    every = list(tasks)
    parts = [
        ([folder], [one for one in every if one.folder and folder.name.startswith(one.folder)]) for folder in folders
    ]
    return [*parts, (folders, [one for one in every if not one.folder])]


def _earlier(wanted: Outputs, tasks: list[Task]) -> dict[str, Measured]:
    if not (wanted.resume and wanted.save and wanted.save.exists()):
        return {}
    with _explained(wanted.save):
        return resumed(wanted.save.read_text("utf-8"), tasks)


@contextmanager
def _saving(wanted: Outputs, done: Iterable[Measured]) -> Generator[Callable[[Measured], None]]:
    """Yield what writes a transcript at once, so that an evaluation that is broken off can go on.

    What is done is written again first: the last line may have been cut off.
    """
    if wanted.save is None:
        yield lambda _: None
        return
    with _explained(wanted.save):
        opened = wanted.save.open("w", encoding="utf-8")
    with opened as file:

        def save(result: Measured) -> None:
            file.write(f"{transcript(result)}\n")
            file.flush()

        for result in done:
            save(result)
        yield save


class _OneSided(Search):
    """A search by words alone, or by meaning alone."""

    def __init__(self, library: Library, embedder: Embedder, step: str) -> None:
        super().__init__(library, embedder)
        self._step = step

    async def _found(self, connection: Connection, sought: SearchRequest) -> list[Found]:
        """Leave one side out."""
        left = replace(sought, vector=None) if self._step == "words alone" else replace(sought, query="")
        return await super()._found(connection, left)


def _bench(bot: Bot) -> Bench:
    context = bot.context_of(WORKSPACE, everything)
    rehearsal = Rehearsal(context)

    def searching(step: str) -> Retriever:
        if not step.endswith("alone"):
            return context.retriever
        return _OneSided(Library(bot.database, WORKSPACE, reader=everything), bot.embedder, step)

    return Bench(
        context=context,
        ask=rehearsal.ask,
        converse=rehearsal.converse,
        searching=searching,
        candidates=CANDIDATES,
        standalone=Rewriter(context).standalone,
    )


@contextmanager
def _explained(given: Path) -> Generator[None]:
    """Turn the error of an unreadable data file into one sentence."""
    try:
        yield
    except OSError as error:
        raise SettingsError(f"{error.filename or given} cannot be opened: {error.strerror}.") from error
    except UNREADABLE as error:
        raise SettingsError(f"{given} does not hold questions in the expected form: see tests/evals.") from error


@asynccontextmanager
async def _ingested(settings: Settings, folders: list[Path], console: Console) -> AsyncGenerator[Bench]:
    for folder in folders:
        find_files(folder)  # Report a missing folder before a database starts.
    with addresses(settings) as found:
        make_ready(settings, found)
        async with open_bot(settings, found.serving) as bot:
            await _empty(bot)
            if demanded := demanded_model(settings.of_embedding):
                # The installation keeps the model of its own documents until it has changed.
                bot.serving.of(demanded)
            with progress_bars(console) as bar_of:
                await ingest(bot.database, bot.embedder, WORKSPACE, folders, IngestOptions(progress_of=bar_of))
            try:
                yield _bench(bot)
            finally:
                await _empty(bot)


async def _empty(bot: Bot) -> None:
    async with bot.database.transaction(WORKSPACE) as connection:
        await connection.execute("DELETE FROM sources")
        # An earlier evaluation may have used another embedding.
        await connection.execute("DELETE FROM serving_models")
