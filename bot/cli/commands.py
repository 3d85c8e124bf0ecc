"""The root of the command line: the commands without a group, `askback eval`, and the other groups."""

import json
import signal
import sys
import uuid
from pathlib import Path
from typing import Annotated, Final

import typer

from bot.cli import administration, forget, runs, tools
from bot.cli.console import Commands, Terminal, inert, say_at_once, typed
from bot.cli.inbox import inspection
from bot.cli.knowledge import places, source_commands, verified
from bot.cli.start import run as run_task
from bot.cli.start import run_migrated, serve, start
from bot.errors import AskbackError
from bot.supervision import supervised
from graph.text.invisible import bare, visible

DEMO_PORT: Final = 8765

app = typer.Typer(
    cls=Commands,
    help="Askback, the Slack bot that asks back before it guesses.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Run a command. One of our own errors is printed as one sentence, not as a traceback."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # By default these signals end Python at once, and the embedded server would keep running.
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    try:
        app()
    except AskbackError as error:
        Terminal(stderr=True).print(f"[red]{inert(str(error))}[/red]", soft_wrap=True)
        sys.exit(1)


@app.command()
def demo(
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The page's port. If it is taken, another one is used.")
    ] = DEMO_PORT,
) -> None:
    """Try it: a local Slack, an embedded database and sample documents. Needs no configuration."""
    from bot.cli.demo import run_demo

    settings, console = start(quiet=True), Terminal()
    console.print("Starting the database …")
    run_migrated(settings, lambda url: run_demo(settings, url, console, port=port))


@app.command()
def init(
    *, is_sure: Annotated[bool, typer.Option("--yes", help="Change an existing file without asking.")] = False
) -> None:
    """Ask for the Slack tokens, check them, and write them to `.env`, which only you can read."""
    from bot.cli.initialisation import initialise

    settings, console = start(quiet=True), Terminal()

    def ask(what: str) -> str:
        # Piped input cannot be hidden, and Python would warn about it.
        return typed(console, f"{what}: ", is_secret=sys.stdin.isatty())

    wanted = initialise(console, ask, slack_api_url=settings.slack_api_url, is_sure=is_sure)
    if not run_task(wanted):
        raise typer.Exit(1)


@app.command()
def run() -> None:
    """Answer in Slack: receive events and work on them, all in this process."""
    settings = start()
    settings.require_slack()
    serving = supervised()

    from bot.app import open_bot, serving_slack
    from bot.telemetry.endpoint import monitored

    async def serve_slack(url: str) -> None:
        async with open_bot(settings, url) as bot, monitored(settings, bot.database), serving_slack(bot):
            await serve(serving)

    run_migrated(settings, serve_slack)


@app.command()
def receive() -> None:
    """Only receive from Slack and store for `askback work`. Starts in seconds and loads no models."""
    settings = start()
    settings.require_slack()
    serving = supervised()

    from bot.postgres.pool import Database
    from bot.receiver import RECEIVER_CONNECTIONS, open_slack, receiving
    from bot.telemetry.endpoint import monitored

    async def serve_slack(url: str) -> None:
        async with (
            Database.open(
                url, size=RECEIVER_CONNECTIONS, workspace=settings.workspace, pooler=settings.pooler
            ) as database,
            monitored(settings, database),
            open_slack(settings, database) as slack,
            receiving(database, slack, settings),
        ):
            await serve(serving)

    run_migrated(settings, serve_slack)


@app.command()
def work() -> None:
    """Only answer what `askback receive` has stored, on this machine or another one."""
    settings = start()
    settings.require_slack()
    serving = supervised()

    from bot.app import open_bot, working
    from bot.receiver import open_slack
    from bot.telemetry.endpoint import monitored

    async def serve_slack(url: str) -> None:
        async with (
            open_bot(settings, url) as bot,
            monitored(settings, bot.database),
            open_slack(settings, bot.database) as slack,
            working(bot, slack),
        ):
            await serve(serving)

    run_migrated(settings, serve_slack)


@app.command()
def migrate(
    *,
    creates_role: Annotated[
        bool, typer.Option("--create-role", help="Also create the serving role, with a new password.")
    ] = False,
    password_file: Annotated[
        Path | None, typer.Option(help="The file with the serving role's password. It is created if it is missing.")
    ] = None,
) -> None:
    """Create or upgrade the database's tables, as the owner in ASKBACK_OWNER_DATABASE_URL."""
    from bot.cli.migration import migrate as migrate_database

    migrate_database(start(), Terminal(), creates_role=creates_role, password_file=password_file)


app.command()(source_commands.ingest)


@app.command()
def ask(
    question: str,
    thread: Annotated[str | None, typer.Option(help="A conversation to continue. By default a new one.")] = None,
    *,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, and ask nothing back.")] = False,
) -> None:
    """Ask in the terminal: the same graph and memory; a question back is a numbered choice."""
    if not bare(question).strip():
        raise typer.BadParameter("it is empty: write what you want to know.", param_hint="'question'")

    settings, console = start(quiet=True), Terminal()
    if not is_json:
        say_at_once(console, "Starting")

    from bot.app import open_bot
    from bot.cli import ask

    name = uuid.uuid4().hex[:8] if thread is None else thread
    is_known = True

    async def answer(url: str) -> bool:
        nonlocal is_known
        async with open_bot(settings, url) as bot:
            is_known = thread is None or await ask.is_known(bot, name)
            return is_known and await ask.ask(bot, question, console, thread=name, is_json=is_json)

    is_answered = run_migrated(settings, answer)
    if not is_known:
        said = f"there is no conversation “{visible(name)}”: leave it out, and a new one begins."
        if is_json:
            console.print(ask.as_json(said, name), soft_wrap=True, markup=False)
            raise typer.Exit(2)
        raise typer.BadParameter(said, param_hint="'--thread'")
    if not is_answered:
        raise typer.Exit(1)


@app.command()
def manifest(
    *,
    reads_groups: Annotated[bool, typer.Option("--groups", help="Also to share documents with user groups.")] = False,
) -> None:
    """Print the manifest of the Slack app."""
    from bot.slack.manifest import manifest as slack_manifest
    from bot.slack.people.reviewers import groups_in

    reads_groups = reads_groups or bool(groups_in(start(quiet=True).reviewers))
    typer.echo(json.dumps(slack_manifest(reads_groups=reads_groups), indent=2))


@app.command()
def doctor() -> None:
    """Check tokens, scopes, database and models, and say how to fix each problem."""
    settings, console = start(quiet=True), Terminal()
    say_at_once(console, "Checking")

    from bot.cli import doctor

    if not run_task(doctor.examine(settings, console)):
        raise typer.Exit(1)


@app.command()
def calibrate(
    file: Annotated[Path, typer.Argument(help="The file to write, for ASKBACK_BANDS.")] = Path("bands.json"),
) -> None:
    """Fit when it is sure to 👍 and 👎 of answers without a model; print precision and recall before and after."""
    from bot.cli.calibration import fit_bands

    administration.administer(lambda here: fit_bands(here, file))


app.command()(administration.channel)
app.command()(administration.choices)
app.add_typer(forget.commands, name="forget", cls=Commands)
app.add_typer(inspection.commands, name="inbox", cls=Commands)
app.add_typer(places.commands, name="places", cls=Commands)
app.add_typer(runs.commands, name="runs", cls=Commands)
app.add_typer(source_commands.commands, name="sources", cls=Commands)
app.add_typer(tools.commands, name="tools", cls=Commands)
app.add_typer(verified.commands, name="verified", cls=Commands)


evaluation = typer.Typer(help="Measure search, questions back and answers on data files.", no_args_is_help=True)

_EVALUATIONS: Final = {
    "retrieval": (
        "Print recall, MRR and nDCG, and how well grades tell what answers, beside published figures.",
        "The folder kb_product_docs or kb_cloud.",
    ),
    "clarification": (
        "Print how often it asks back about ambiguous questions, and how often about clear ones.",
        "A file like tests/evals/questions.jsonl.",
    ),
    "answers": (
        "Print how many answers are right, also after a click, and how many questions without an answer get one.",
        "A file like tests/evals/questions.jsonl.",
    ),
    "outcomes": (
        "Print how many questions end as expected: answered, asked back, admitted, declined; and what that took.",
        "A file like tests/evals/strangers.jsonl, or Markdown like tests/evals/cases.md.",
    ),
    "understanding": (
        "Print how many messages take the right route, and how well follow-ups are made to stand alone.",
        "A file like tests/evals/routing.jsonl or conversations.jsonl, or of TREC CAsT.",
    ),
    "groundedness": (
        "Print how well the validator tells faithful answers from unfaithful ones, beside shared words.",
        "A file of rated answers: MTRAG's, or HaluEval's pairs.",
    ),
    "drafts": (
        "Print how many good drafts would be written again, and how many bad ones are caught.",
        "A file of labelled drafts, like tests/evals/drafts.jsonl.",
    ),
}
"""What each evaluation does, and its data file. All share their options."""


def _add_evaluation(name: str, does: str, data: str) -> None:
    @evaluation.command(name, help=does)
    def command(
        file: Annotated[Path, typer.Argument(help=data)],
        folders: Annotated[list[Path] | None, typer.Argument(help="The documents that the rows are about.")] = None,
        *,
        save: Annotated[Path | None, typer.Option(help="A file for the transcripts, written row by row.")] = None,
        resume: Annotated[bool, typer.Option("--resume", help="Measure only what the file of --save lacks.")] = False,
        against: Annotated[Path | None, typer.Option(help="The transcripts of an earlier run to compare with.")] = None,
        report: Annotated[
            Path | None, typer.Option(help="A file for the report: .html with charts and all rows, .json for figures.")
        ] = None,
        is_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    ) -> None:
        from bot.cli import evaluation

        wanted = evaluation.Outputs(save=save, resume=resume, against=against, report=report, is_json=is_json)
        run_task(evaluation.evaluate(start(quiet=True), name, file, folders or [], wanted))


for _name, (_does, _data) in _EVALUATIONS.items():
    _add_evaluation(_name, _does, _data)

app.add_typer(evaluation, name="eval", cls=Commands)
