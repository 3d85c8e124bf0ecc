"""The command line: parses, calls the wiring, says what went wrong; no logic."""

import json
import signal
import sys
import uuid
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import structlog
import typer
from rich.markup import escape

from bot import dotenv, runtime
from bot.cli.administration import Administration, administering
from bot.cli.console import Terminal, print_ingested, progress_bar, until_interrupted
from bot.cli.inspection import Inspection, inspecting
from bot.conversation.turns.entries import STATES, State
from bot.errors import AskbackError
from bot.knowledge.connectors.connector import Connector
from bot.knowledge.formats import NAMED
from bot.logs import configure_logs
from bot.postgres.addresses import addresses
from bot.settings import SLACK_API_URL, Settings
from bot.supervision import Serving, supervised

DEMO_PORT: Final = 8765

app = typer.Typer(
    help="Askback, the Slack bot that asks back before it guesses.", no_args_is_help=True, add_completion=False,
    pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip
inbox = typer.Typer(help="See what waits or failed; retry it, or drop it.", no_args_is_help=True)
app.add_typer(inbox, name="inbox")
runs = typer.Typer(help="See how answers came about, step by step.", no_args_is_help=True)
app.add_typer(runs, name="runs")
sources = typer.Typer(help="See what is known from where; say for whom it is, or take it away.")
app.add_typer(sources, name="sources")
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
        Terminal(stderr=True).print(f"[red]{escape(str(error))}[/red]", highlight=False, soft_wrap=True)
        sys.exit(1)


@app.command()
def demo(port: Annotated[int, typer.Option(help="Where the page is; another if it is taken.")] = DEMO_PORT) -> None:
    """See it answer: a local Slack, an embedded database and sample knowledge; nothing to configure."""
    from bot.cli.demo import run_demo

    settings, console = _start(quiet=True), Terminal(highlight=False)
    console.print("Starting the database …")
    _run_migrated(settings, lambda url: run_demo(settings, url, console, port=port))


@app.command()
def init(
    *, is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask whether an existing file may change.")] = False
) -> None:
    """Ask for the Slack tokens, check them, and write them to `.env`, readable by you only."""
    from bot.cli.initialisation import initialise

    def ask(what: str) -> str:
        # What is piped in cannot be hidden, and Python would warn of that.
        return str(typer.prompt(what, hide_input=sys.stdin.isatty(), err=True))

    settings = _start(quiet=True)
    wanted = initialise(Terminal(highlight=False), ask, slack_api_url=settings.slack_api_url, is_sure=is_sure)
    if not _run(wanted):
        raise typer.Exit(1)


@app.command()
def run() -> None:
    """Answer in Slack: receive events, work on them, all in this process."""
    settings = _start()
    settings.require_slack()
    serving = supervised()

    from bot.app import open_bot, serving_slack

    async def serve(url: str) -> None:
        async with open_bot(settings, url) as bot, serving_slack(bot):
            await _serve(serving)

    _run_migrated(settings, serve)


@app.command()
def receive() -> None:
    """Only receive from Slack, and store for `askback work`; starts in seconds and loads no models."""
    settings = _start()
    settings.require_slack()
    serving = supervised()

    from bot.postgres.pool import Database
    from bot.receiver import RECEIVER_CONNECTIONS, open_slack, receiving

    async def serve(url: str) -> None:
        async with (
            Database.open(url, size=RECEIVER_CONNECTIONS, workspace=settings.workspace) as database,
            open_slack(settings, database) as slack,
            receiving(database, slack, settings),
        ):
            await _serve(serving)

    _run_migrated(settings, serve)


@app.command()
def work() -> None:
    """Only answer what `askback receive` has stored, on this machine or another."""
    settings = _start()
    settings.require_slack()
    serving = supervised()

    from bot.app import open_bot, working
    from bot.receiver import open_slack

    async def serve(url: str) -> None:
        async with open_bot(settings, url) as bot, open_slack(settings, bot.database) as slack, working(bot, slack):
            await _serve(serving)

    _run_migrated(settings, serve)


@app.command()
def migrate(
    *,
    creates_role: Annotated[
        bool, typer.Option("--create-role", help="Also let the role that serves log in, with a new password.")
    ] = False,
    password_file: Annotated[
        Path | None, typer.Option(help="The file with that role's password, or the one to put it into.")
    ] = None,
) -> None:
    """Create or upgrade the database's tables, as the owner in ASKBACK_OWNER_DATABASE_URL."""
    from bot.cli.migration import migrate as migrate_database

    migrate_database(_start(), Terminal(), creates_role=creates_role, password_file=password_file)


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(help=f"Folders and files: {NAMED}.")],
) -> None:
    """Read documents; what has not changed costs nothing, what is gone is removed."""
    from bot.knowledge.connectors.files import files_at

    files = files_at(paths)

    async def chosen(_administration: Administration) -> list[Connector]:
        return [*files]

    _sync(chosen)


def _sync(
    choose: Callable[[Administration], Coroutine[Any, Any, list[Connector] | None]], *, only_due: bool = False
) -> None:
    """Bring sources in line, with a progress bar; end with 1 if something could not be read."""
    from bot.app import open_bot
    from bot.cli.sources import in_turn
    from bot.knowledge.ingest import sync
    from bot.knowledge.sandbox.limits import Limits

    settings, console = _start(quiet=True), Terminal(highlight=False)

    async def read(url: str) -> bool:
        async with open_bot(settings, url) as bot, in_turn(bot.database, settings.workspace, only_due=only_due) as ours:
            here = Administration(database=bot.database, settings=settings, console=console)
            if not ours:
                console.print("Another process reads what is due.")
                return True
            if (connectors := await choose(here)) is None:
                return False
            with progress_bar(console) as progress:
                outcome = await sync(
                    bot.database,
                    bot.embedder,
                    settings.workspace,
                    connectors,
                    progress=progress,
                    limits=Limits.of(settings),
                )
        print_ingested(console, outcome, settings.link_hosts)
        return not outcome.failed

    if not _run_migrated(settings, read):
        raise typer.Exit(1)


_SOURCE = Annotated[str, typer.Argument(help="A folder or file of the list.")]


@sources.callback(invoke_without_command=True)
def sources_by_default(context: typer.Context) -> None:
    """List the sources if nothing else is asked for."""
    if context.invoked_subcommand is None:
        list_sources()


@sources.command("list")
def list_sources() -> None:
    """List what was ingested, how much is known from it, and for whom it is."""
    from bot.cli.sources import show_sources

    _administer(show_sources)


@sources.command("add")
def add_source(
    location: Annotated[
        str,
        typer.Argument(
            help="A folder, a file, or an address: of a page, of all below it (…/), of a sitemap (….xml), of a"
            " Git repository (….git)."
        ),
    ],
    *,
    names: Annotated[
        str, typer.Option("--for", help="For whom it is from the beginning, with commas: as `share` takes them.")
    ] = "everyone",
    kind: Annotated[
        Literal["files", "git", "web"] | None, typer.Option(help="What it is, if its name does not say so.")
    ] = None,
    minutes: Annotated[
        int | None, typer.Option("--every", min=1, help="Minutes after which the bot reads it again.")
    ] = None,
    days: Annotated[
        int | None, typer.Option("--stale-after", min=1, help="Days after which answers say that a document is old.")
    ] = None,
) -> None:
    """Keep a source, say for whom it is and when it is read again, and read it."""
    from bot.cli import sources

    async def added(here: Administration) -> list[Connector]:
        for_whom = names.replace(",", " ").split()
        source = await sources.add_source(here, location, for_whom, minutes=minutes, kind=kind, days=days)
        return [sources.connector_to(here, source)]

    _sync(added)


@sources.command("sync")
def sync_sources(
    source: Annotated[str | None, typer.Argument(help="One of the list; none: all that are not paused.")] = None,
    *,
    only_due: Annotated[
        bool, typer.Option("--due", help="Only those whose time has come, one process at a time.")
    ] = False,
) -> None:
    """Bring sources in line with what is there now."""
    from bot.cli.sources import chosen

    _sync(lambda here: chosen(here, source, only_due=only_due), only_due=only_due)


@sources.command("show")
def show_source(source: _SOURCE) -> None:
    """Show for whom the parts of a source are, and what of it could not be read."""
    from bot.cli.sources import show_source

    _administer(lambda administration: show_source(administration, source))


@sources.command("pause")
def pause_source(
    source: _SOURCE, *, is_over: Annotated[bool, typer.Option("--off", help="Let it be read again.")] = False
) -> None:
    """Let a source be read no more unless it is named; what is known from it stays."""
    from bot.cli.sources import pause_source

    _administer(lambda administration: pause_source(administration, source, is_paused=not is_over))


@sources.command("set")
def set_source(
    source: _SOURCE,
    *,
    minutes: Annotated[
        int | None, typer.Option("--every", min=0, help="Minutes after which the bot reads it again; 0: never.")
    ] = None,
    days: Annotated[
        int | None, typer.Option("--stale-after", min=0, help="Days after which a document's date is old; 0: never.")
    ] = None,
) -> None:
    """Say how often a source is read, and when answers say that a document of it is old."""
    from bot.cli.sources import set_source

    _administer(lambda administration: set_source(administration, source, minutes=minutes, days=days))


@sources.command("share")
def share_source(
    source: _SOURCE,
    names: Annotated[list[str], typer.Argument(help="everyone, guests, nobody, ids of channels and people.")],
    *,
    part: Annotated[str, typer.Option(help="Only a document or folder below it; `default`: as the rest.")] = "",
) -> None:
    """Let a source be for these and nobody else, from the next question on."""
    from bot.cli.sources import share_source

    _administer(lambda administration: share_source(administration, source, names, part=part.strip("/")))


@sources.command("remove")
def remove_source(
    source: _SOURCE, *, is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
) -> None:
    """Let a source be known no more; its files stay."""
    from bot.cli.sources import remove_source

    _administer(lambda administration: remove_source(administration, source, is_sure=is_sure))


@app.command()
def ask(
    question: str,
    thread: Annotated[str | None, typer.Option(help="A conversation to go on with; a new one by default.")] = None,
    *,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, and ask nothing.")] = False,
) -> None:
    """Ask in the terminal: the same graph, the same memory, clarifications as a numbered choice."""
    from bot.app import open_bot
    from bot.cli import ask

    settings, console = _start(quiet=True), Terminal(highlight=False)
    name = thread or uuid.uuid4().hex[:8]

    async def answer(url: str) -> bool:
        async with open_bot(settings, url) as bot:
            return await ask.ask(bot, question, console, thread=name, is_json=is_json)

    if not _run_migrated(settings, answer):
        raise typer.Exit(1)


@app.command()
def manifest() -> None:
    """Print the manifest of the Slack app."""
    from bot.slack.manifest import manifest as slack_manifest
    from bot.slack.reviewers import groups_in

    reads_groups = bool(groups_in(_start(quiet=True).reviewers))
    typer.echo(json.dumps(slack_manifest(reads_groups=reads_groups), indent=2))


@app.command()
def doctor() -> None:
    """Check tokens, scopes, database and models, and say how to mend each."""
    from bot.cli import doctor

    if not _run(doctor.examine(_start(quiet=True), Terminal(highlight=False))):
        raise typer.Exit(1)


_REFERENCE = Annotated[str, typer.Argument(help="The eight characters that a failed answer shows.")]


@inbox.command("list")
def list_items(
    *,
    state: Annotated[State | None, typer.Option(help="Only what is so.")] = None,
    limit: Annotated[int, typer.Option(help="At most so many, the oldest first.")] = 100,
    is_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """List what is not done: waiting, running, asking a person, failed."""
    _inspect(lambda inspection: inspection.show_all([state] if state else STATES, limit=limit, is_json=is_json))


@inbox.command()
def show(
    reference: _REFERENCE,
    *,
    with_text: Annotated[bool, typer.Option("--text", help="Also what people said.")] = False,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show all that is known of an item: attempts, the last error, what was posted and asked."""
    _inspect(lambda inspection: inspection.show(reference.upper(), with_text=with_text, is_json=is_json))


@inbox.command()
def retry(reference: _REFERENCE) -> None:
    """Let an item run again, with new attempts."""
    _inspect(lambda inspection: inspection.retry(reference.upper()))


@inbox.command()
def drop(
    reference: _REFERENCE,
    *,
    why: Annotated[str, typer.Option(help="What the person is told besides.")] = "",
    is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Take an item out, so that its thread goes on; the person is told in the thread."""
    _inspect(lambda inspection: inspection.drop(reference.upper(), why, is_sure=is_sure))


def _inspect(do: Callable[[Inspection], Coroutine[Any, Any, bool | None]]) -> None:
    settings, console = _start(quiet=True), Terminal(highlight=False)

    async def inspect(url: str) -> bool | None:
        async with inspecting(settings, url, console) as inspection:
            return await do(inspection)

    if _run_migrated(settings, inspect) is False:
        raise typer.Exit(1)


@runs.command("list")
def list_runs(
    *,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the newest first.")] = 20,
    is_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """List the latest runs: when, where, how they ended, and what they took."""
    from bot.cli.runs import list_runs

    _administer(lambda administration: list_runs(administration, limit=limit, is_json=is_json))


@runs.command("show")
def show_run(
    name: Annotated[str, typer.Argument(help="A run of the list; a reference: all runs of that item.")],
    *,
    with_text: Annotated[bool, typer.Option("--text", help="Also what people, documents and models said.")] = False,
    is_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """Show a run as a tree: each step with what it found, graded and wrote, and why it went round again."""
    from bot.cli.runs import show_runs

    _administer(lambda administration: show_runs(administration, name, with_text=with_text, is_json=is_json))


@app.command()
def channel(
    name: Annotated[str | None, typer.Argument(help="Its id, such as C0123ABCD; none: list the channels.")] = None,
    *,
    may_answer: Annotated[
        Literal["asker", "anyone", "default"] | None, typer.Option(help="Who may answer; default: as the settings say.")
    ] = None,
    preset: Annotated[
        Literal["quick", "balanced", "thorough", "default"] | None,
        typer.Option(help="How much work answers are worth; default: as the settings say."),
    ] = None,
) -> None:
    """Say who may answer clarifying questions in a channel, and what answers may take; or list what holds where."""
    if name and (may_answer or preset):
        _administer(lambda administration: administration.rule_channel(name, may_answer, preset))
    else:
        _administer(lambda administration: administration.show_channels())


@app.command()
def choices(
    *,
    clear: Annotated[str | None, typer.Option(help="The id of a person, such as U0123ABCD, to be asked anew.")] = None,
) -> None:
    """List what is remembered of what people chose, or clear what one of them did."""
    if clear:
        _administer(lambda administration: administration.clear_choices(clear))
    else:
        _administer(lambda administration: administration.show_choices())


def _administer(do: Callable[[Administration], Coroutine[Any, Any, bool | None]]) -> None:
    settings, console = _start(quiet=True), Terminal(highlight=False)

    async def administer(url: str) -> bool | None:
        async with administering(settings, url, console) as administration:
            return await do(administration)

    if _run_migrated(settings, administer) is False:
        raise typer.Exit(1)


@evaluation.command()
def retrieval(folder: Annotated[Path, typer.Argument(help="The folder kb_product_docs.")]) -> None:
    """Recall and MRR on a folder's questions, beside the published figures."""
    from bot.cli import evaluation

    _run(evaluation.retrieval(_start(quiet=True), folder, Terminal(highlight=False)))


@evaluation.command()
def clarification(
    questions: Annotated[Path, typer.Argument(help="A file like tests/evals/questions.jsonl.")],
    folders: Annotated[list[Path], typer.Argument(help="The documents that the questions are about.")],
) -> None:
    """How often it asks where it should, and where it should not."""
    from bot.cli import evaluation

    _run(evaluation.clarification(_start(quiet=True), questions, folders, Terminal(highlight=False)))


@evaluation.command()
def answers(
    questions: Annotated[Path, typer.Argument(help="A file like tests/evals/questions.jsonl.")],
    folders: Annotated[list[Path], typer.Argument(help="The documents that the questions are about.")],
    missed: Annotated[
        str | None, typer.Option(help="The half, dev or held, of which to print what went wrong.")
    ] = None,
) -> None:
    """How many answers say what they must, also after a click, and how often it answers what nothing answers."""
    from bot.cli import evaluation

    console = Terminal(highlight=False)
    _run(evaluation.answers(_start(quiet=True), questions, folders, console, missed=missed))


@evaluation.command()
def outcomes(
    questions: Annotated[Path, typer.Argument(help="A file like tests/evals/strangers.jsonl.")],
    folders: Annotated[list[Path], typer.Argument(help="The documents that the questions are about.")],
    save: Annotated[Path | None, typer.Option(help="A file for the transcripts.")] = None,
    against: Annotated[Path | None, typer.Option(help="The transcripts of an earlier run, to compare with.")] = None,
) -> None:
    """How many questions end as they should: answered, asked back, admitted, declined."""
    from bot.cli import evaluation

    console = Terminal(highlight=False)
    _run(evaluation.outcomes(_start(quiet=True), questions, folders, console, save=save, against=against))


def _start(*, quiet: bool = False) -> Settings:
    """Read the settings and set up logs; commands that talk to a person log warnings only."""
    settings = Settings.read()
    level = "warning" if quiet and settings.log_level == "info" else settings.log_level
    configure_logs(settings.log_format, level)
    _tell_where_settings_are_from(settings, quiet=quiet)
    return settings


def _tell_where_settings_are_from(settings: Settings, *, quiet: bool) -> None:
    """Say which file was read, and where the Slack tokens go if that is not Slack: neither should surprise anybody."""
    file = dotenv.trusted()
    elsewhere = settings.slack_api_url if settings.slack_api_url != SLACK_API_URL else None
    if not quiet and (file or elsewhere):
        structlog.get_logger().info("settings_read", file=file and str(file), slack=elsewhere)
    elif file:
        slack = f"; Slack is at {elsewhere}" if elsewhere else ""
        said = f"Settings are read from {file}{slack}."
        Terminal(stderr=True).print(escape(said), style="dim", highlight=False, soft_wrap=True)


def _run_migrated(settings: Settings, main_task: Callable[[str], Coroutine[Any, Any, Any]]) -> Any:
    """Run what needs the database, whose URL it is given, once the tables are up to date."""
    from bot.postgres.migrations import make_ready

    with addresses(settings) as found:
        make_ready(found)
        return _run(main_task(found.serving))


async def _serve(serving: Serving) -> None:
    async with runtime.heartbeat():
        serving.begun()
        await until_interrupted()


def _run(main_task: Coroutine[Any, Any, Any]) -> Any:
    try:
        return runtime.run(main_task)
    except KeyboardInterrupt:
        sys.exit(130)
