"""The command line: parses, calls the wiring, says what went wrong; no logic."""

import asyncio
import json
import signal
import sys
import uuid
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from bot import asking, checkup, evaluations
from bot.console import ingest_progress, print_ingested, until_interrupted
from bot.demo import PORT, run_demo
from bot.errors import AskbackError
from bot.knowledge.ingest import ingest as ingest_paths
from bot.logs import configure_logs
from bot.migrations import migrate as migrate_database
from bot.settings import Settings
from bot.slack.manifest import manifest as slack_manifest
from bot.wiring import database_url, open_bot, serving_slack

app = typer.Typer(
    help="Askback, the Slack bot that asks back before it guesses.", no_args_is_help=True, add_completion=False,
    pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip
evaluation = typer.Typer(help="Measure on data files.", no_args_is_help=True)
app.add_typer(evaluation, name="eval")


def main() -> None:
    """Run a command; an error of ours is one sentence, not a traceback."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Without this Python ends without closing anything, and the embedded server would go on.
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    try:
        app()
    except AskbackError as error:
        Console(stderr=True).print(f"[red]{escape(str(error))}[/red]", highlight=False, soft_wrap=True)
        sys.exit(1)


@app.command()
def demo(port: Annotated[int, typer.Option(help="Where the page is; another if it is taken.")] = PORT) -> None:
    """See it answer: a local Slack, an embedded database and sample knowledge; nothing to configure."""
    settings, console = _start(quiet=True), Console(highlight=False)
    console.print("Starting the database …")
    with database_url(settings) as url:
        migrate_database(url)
        _run(run_demo(settings, url, console, port=port))


@app.command()
def run() -> None:
    """Answer in Slack: receive events, work on them, all in this process."""
    settings = _start()
    settings.require_slack()

    async def serve(url: str) -> None:
        async with open_bot(settings, url) as bot, serving_slack(bot):
            await until_interrupted()

    with database_url(settings) as url:
        migrate_database(url)
        _run(serve(url))


@app.command()
def migrate() -> None:
    """Create or upgrade the database's tables."""
    with database_url(_start()) as url:
        migrate_database(url)
    Console().print("The database is up to date.")


@app.command()
def ingest(paths: Annotated[list[Path], typer.Argument(help="Folders and files: Markdown, text, HTML.")]) -> None:
    """Read documents; what has not changed costs nothing, what is gone is removed."""
    settings, console = _start(quiet=True), Console(highlight=False)

    async def read(url: str) -> None:
        async with open_bot(settings, url) as bot:
            with ingest_progress(console) as progress:
                outcome = await ingest_paths(bot.database, bot.embedder, settings.workspace, paths, progress=progress)
        print_ingested(console, outcome)

    with database_url(settings) as url:
        migrate_database(url)
        _run(read(url))


@app.command()
def ask(
    question: str,
    thread: Annotated[str | None, typer.Option(help="A conversation to go on with; a new one by default.")] = None,
    *,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, and ask nothing.")] = False,
) -> None:
    """Ask in the terminal: the same graph, the same memory, clarifications as a numbered choice."""
    settings, console = _start(quiet=True), Console(highlight=False)
    name = thread or uuid.uuid4().hex[:8]

    async def answer(url: str) -> bool:
        async with open_bot(settings, url) as bot:
            return await asking.ask(bot, question, console, thread=name, is_json=is_json)

    with database_url(settings) as url:
        migrate_database(url)
        if not _run(answer(url)):
            raise typer.Exit(1)


@app.command()
def manifest() -> None:
    """Print the manifest of the Slack app."""
    typer.echo(json.dumps(slack_manifest(), indent=2))


@app.command()
def doctor() -> None:
    """Check tokens, scopes, database and models, and say how to mend each."""
    if not _run(checkup.examine(_start(quiet=True), Console(highlight=False))):
        raise typer.Exit(1)


@evaluation.command()
def retrieval(folder: Annotated[Path, typer.Argument(help="The folder kb_product_docs.")]) -> None:
    """Recall and MRR on a folder's questions, beside the published figures."""
    _run(evaluations.retrieval(_start(quiet=True), folder, Console(highlight=False)))


@evaluation.command()
def clarification(
    questions: Annotated[Path, typer.Argument(help="A file like tests/evals/questions.jsonl.")],
    folders: Annotated[list[Path], typer.Argument(help="The documents that the questions are about.")],
) -> None:
    """How often it asks where it should, and where it should not."""
    _run(evaluations.clarification(_start(quiet=True), questions, folders, Console(highlight=False)))


def _start(*, quiet: bool = False) -> Settings:
    """Read the settings and set up logs; commands that talk to a person log warnings only."""
    settings = Settings.read()
    level = "warning" if quiet and settings.log_level == "info" else settings.log_level
    configure_logs(settings.log_format, level)
    return settings


def _run(main_task: Coroutine[Any, Any, Any]) -> Any:
    try:
        return asyncio.run(main_task)
    except KeyboardInterrupt:
        sys.exit(130)
