"""What `askback eval` does: measures on data files, in a workspace that it empties afterwards."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from bot.app import Bot, open_bot
from bot.cli.console import progress_bar, progress_bars
from bot.cli.start import make_ready
from bot.errors import SettingsError
from bot.evals.answers import Report as AnswersReport
from bot.evals.answers import Result, evaluate_answers, read_asked
from bot.evals.clarification import Outcome, Report, evaluate_clarification, read_questions
from bot.evals.groundedness import Report as GroundednessReport
from bot.evals.groundedness import evaluate_groundedness, read_rated
from bot.evals.markdown_cases import SUFFIX, evaluate_cases, read_cases
from bot.evals.metering import metered
from bot.evals.outcome_report import Report as OutcomesReport
from bot.evals.outcome_report import resumed, transcript
from bot.evals.outcomes import Expectation, evaluate_outcomes, read_expectations
from bot.evals.outcomes import Result as Ended
from bot.evals.page import page_of
from bot.evals.rehearsal import Rehearsal
from bot.evals.retrieval import STEPS, Question, evaluate_retrieval, lay_out, published_figures, table
from bot.evals.retrieval import Report as RetrievalReport
from bot.evals.understanding import Report as UnderstandingReport
from bot.evals.understanding import evaluate_understanding, read_messages
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import IngestOptions, ingest
from bot.knowledge.read import find_files
from bot.knowledge.search import Library, Search, everything
from bot.knowledge.store import Found, Sought
from bot.models.choice import demanded_model
from bot.postgres.addresses import addresses
from bot.postgres.pool import Connection
from bot.settings import Settings
from graph.context import Context

T = TypeVar("T")
WORKSPACE = "evaluation"
FIGURES = ".json"
LONGEST_SHOWN = 40
"""Characters of a question beside the progress bar."""


async def retrieval(settings: Settings, folder: Path, console: Console) -> None:
    """Print recall, MRR and nDCG on the questions of `kb_product_docs` or `kb_cloud`, beside published figures."""
    with tempfile.TemporaryDirectory() as laid_out:
        with _explained(folder):
            sets = lay_out(folder, Path(laid_out))
        async with _ingested_in(settings, [Path(laid_out)], console) as bot:
            reports = {
                f"{name}{step and f': {step}'}": await _searched(bot, questions, step)
                for name, questions in sets.items()
                for step in STEPS
            }
    console.print(f"{max(map(len, sets.values()))} questions\n")
    console.print(table(reports, published_figures(folder)), markup=False, soft_wrap=True)


class _OneSided(Search):
    """A search by words alone, or by meaning alone."""

    def __init__(self, library: Library, embedder: Embedder, step: str) -> None:
        super().__init__(library, embedder)
        self._step = step

    async def _found(self, connection: Connection, sought: Sought) -> list[Found]:
        """Leave one side out."""
        left = replace(sought, vector=None) if self._step == "words alone" else replace(sought, query="")
        return await super()._found(connection, left)


async def _searched(bot: Bot, questions: list[Question], step: str) -> RetrievalReport:
    context = bot.context_of(WORKSPACE, everything)
    if not step:
        return await evaluate_retrieval(context.retriever, questions, reranker=context.reranker)
    if step == "both":
        return await evaluate_retrieval(context.retriever, questions)
    library = Library(bot.database, WORKSPACE, reader=everything)
    return await evaluate_retrieval(_OneSided(library, bot.embedder, step), questions)


async def clarification(settings: Settings, file: Path, folders: list[Path], console: Console) -> None:
    """Print how often Askback asks back about ambiguous questions, and how often about clear ones.

    A question names the beginning of its folder's name.
    """
    with _explained(file):
        questions = read_questions(file)
    outcomes: list[Outcome] = []
    for folder in folders:
        own = [question for question in questions if folder.name.startswith(question.folder)]
        async with _ingested(settings, [folder], console) as context:
            report = await evaluate_clarification(own, Rehearsal(context).ask)
            outcomes.extend(report.outcomes)
    console.print(Report(outcomes=tuple(outcomes)).table(), markup=False, soft_wrap=True)


async def answers(
    settings: Settings, file: Path, folders: list[Path], console: Console, *, missed: str | None = None
) -> None:
    """Print how many answers are right, and how many questions without an answer get one.

    `missed` names a half, dev or held, whose wrong answers are printed too.
    """
    with _explained(file):
        questions = read_asked(file)
    results: list[Result] = []
    for folder in folders:
        own = [question for question in questions if folder.name.startswith(question.folder)]
        async with _ingested(settings, [folder], console) as context:
            results.extend((await evaluate_answers(own, Rehearsal(context).ask)).results)
    report = AnswersReport(results=tuple(results))
    console.print(report.table(), markup=False, soft_wrap=True)
    for result in report.missed(missed) if missed else []:
        console.print(
            f"\n{result.asked.text}\n  {result.told.outcome}: {result.told.text}", markup=False, soft_wrap=True
        )


async def understanding(settings: Settings, file: Path, folders: list[Path], console: Console) -> None:
    """Print how messages are routed, and how follow-ups are made to stand alone."""
    with _explained(file):
        messages = read_messages(file)
    async with _ingested(settings, folders, console) as context:
        understood = evaluate_understanding(messages, context)
        watched = _watched(understood, console, "Understanding", of=len(messages), at=lambda one: one.said.question)
        report = UnderstandingReport(results=tuple([one async for one in watched]))
    console.print(report.table(), markup=False, soft_wrap=True)


async def groundedness(settings: Settings, file: Path, console: Console) -> None:
    """Print how well the validator tells faithful answers from unfaithful ones."""
    with _explained(file):
        rated = read_rated(file)
    async with _ingested(settings, [], console) as context:
        judged = evaluate_groundedness(rated, context.validator)
        watched = _watched(judged, console, "Judging", of=len(rated), at=lambda one: one.rated.question)
        report = GroundednessReport(results=tuple([one async for one in watched]))
    console.print(report.table(), markup=False, soft_wrap=True)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What to make of the outcomes of questions."""

    save: Path | None
    """A file for the transcripts."""
    resume: bool
    """Whether to ask only what that file lacks."""
    against: Path | None
    """The transcripts of an earlier run."""
    report: Path | None
    """A file for a page (`.html`) or for figures (`.json`)."""


async def outcomes(settings: Settings, file: Path, folders: list[Path], console: Console, wanted: Wanted) -> None:
    """Print how many questions, or turns of Markdown cases, ended as expected, and what that took."""
    if wanted.resume and wanted.save is None:
        raise SettingsError("--resume needs --save, the file to go on with.")
    with _explained(wanted.against or file):
        before = await asyncio.to_thread(wanted.against.read_text, "utf-8") if wanted.against else ""
    ended = _of_cases if file.suffix == SUFFIX else _of_questions
    report = OutcomesReport(results=tuple([one async for one in ended(settings, file, folders, console, wanted)]))
    if not report.results:
        raise SettingsError(f"No question of {file} is about {', '.join(map(str, folders))}.")
    console.print(report.tables(), markup=False, soft_wrap=True)
    if wanted.report:
        written = report.as_json() if wanted.report.suffix == FIGURES else page_of(report, file.name)
        await asyncio.to_thread(wanted.report.write_text, written, "utf-8")
    if before:
        console.print(f"\n{report.against(before)}", markup=False, soft_wrap=True)


async def _of_questions(
    settings: Settings, file: Path, folders: list[Path], console: Console, wanted: Wanted
) -> AsyncGenerator[Ended]:
    with _explained(file):
        names = {folder.name for folder in folders}
        expectations = [expected for expected in read_expectations(file) if expected.folder in names]
        done = _earlier(wanted, expectations)
    for result in done.values():
        yield result
    left = [expected for expected in expectations if expected.id not in done]
    with _saving(wanted, done.values()) as save:
        for folder in folders:
            own = [expected for expected in left if folder.name == expected.folder]
            async with _ingested(settings, [folder], console) as context:
                ended = evaluate_outcomes(own, metered(Rehearsal(context).converse))
                async for result in _watched(ended, console, "Asking", of=len(own), at=lambda one: one.expected.id):
                    save(result)
                    yield result


async def _of_cases(
    settings: Settings, file: Path, folders: list[Path], console: Console, wanted: Wanted
) -> AsyncGenerator[Ended]:
    with _explained(file):
        cases = read_cases(file)
    if wanted.resume:
        raise SettingsError("--resume is for single questions: the turns of a case need each other.")
    turns = sum(len(case.turns) for case in cases)
    with _saving(wanted) as save:
        async with _ingested(settings, folders, console) as context:
            rehearsal = Rehearsal(context)
            ended = evaluate_cases(cases, lambda: metered(rehearsal.thread()))
            async for result in _watched(ended, console, "Asking", of=turns, at=lambda one: one.expected.id):
                save(result)
                yield result


async def _watched(
    results: AsyncIterator[T], console: Console, doing: str, *, of: int, at: Callable[[T], str]
) -> AsyncGenerator[T]:
    """Yield the results, and show a progress bar with the name of the last one."""
    with progress_bar(console, doing) as progress:
        count = 0
        async for result in results:
            count += 1
            progress(count, of, at(result)[:LONGEST_SHOWN], 0)
            yield result


def _earlier(wanted: Wanted, expectations: list[Expectation]) -> dict[str, Ended]:
    if not (wanted.resume and wanted.save and wanted.save.exists()):
        return {}
    return resumed(wanted.save.read_text("utf-8"), expectations)


@contextmanager
def _saving(wanted: Wanted, done: Iterable[Ended] = ()) -> Generator[Callable[[Ended], None]]:
    """Yield what writes a transcript at once, so that an evaluation that is broken off can go on.

    What is done is written again first: the last line may have been cut off.
    """
    if wanted.save is None:
        yield lambda _: None
        return
    with wanted.save.open("w", encoding="utf-8") as file:

        def save(result: Ended) -> None:
            file.write(f"{transcript(result)}\n")
            file.flush()

        for result in done:
            save(result)
        yield save


@contextmanager
def _explained(given: Path) -> Generator[None]:
    """Turn the error of an unreadable data file into one sentence."""
    try:
        yield
    except OSError as error:
        raise SettingsError(f"{error.filename or given} cannot be opened: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(f"{given} does not hold questions in the expected form: see tests/evals.") from error


@asynccontextmanager
async def _ingested(settings: Settings, folders: list[Path], console: Console) -> AsyncGenerator[Context]:
    async with _ingested_in(settings, folders, console) as bot:
        yield bot.context_of(WORKSPACE, everything)


@asynccontextmanager
async def _ingested_in(settings: Settings, folders: list[Path], console: Console) -> AsyncGenerator[Bot]:
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
                yield bot
            finally:
                await _empty(bot)


async def _empty(bot: Bot) -> None:
    async with bot.database.transaction(WORKSPACE) as connection:
        await connection.execute("DELETE FROM sources")
        # An earlier evaluation may have used another embedding.
        await connection.execute("DELETE FROM serving_models")
