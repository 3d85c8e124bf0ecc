"""`askback ingest` and `askback sources`: the arguments; `bot.cli.knowledge.sources` does the work."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.cli.administration import Administration, administer
from bot.cli.console import Terminal, print_ingested, progress_bar, progress_bars, resumable, say_at_once, told_refused
from bot.cli.start import run_or_fail, start
from bot.knowledge.connectors.connector import Connector
from bot.knowledge.readers.formats import NAMED
from bot.settings.variables import MOST_DAYS

commands = typer.Typer(help="List the sources of documents, share them, keep them up to date, remove them.")

_SOURCE = Annotated[str, typer.Argument(help="A source, as `askback sources` lists it.")]
_EVERY = Annotated[
    int | None,
    typer.Option(
        "--every", min=0, max=24 * 60 * MOST_DAYS, help="Minutes after which the bot reads it again; 0: never."
    ),
]
_STALE_AFTER = Annotated[
    int | None,
    typer.Option("--stale-after", min=0, max=MOST_DAYS, help="Days after which answers call a document old; 0: never."),
]
_DELETE_AFTER = Annotated[
    int | None,
    typer.Option(
        "--delete-after",
        min=0,
        max=MOST_DAYS,
        help="Days after which a document, such as a thread of Slack, goes; 0: never.",
    ),
]
_OWNER = Annotated[
    str | None,
    typer.Option(help="A person's id in Slack, who is told if readers report a document; `nobody` resets it."),
]


def ingest(
    paths: Annotated[list[Path], typer.Argument(help=f"Folders and files: {NAMED}.")],
) -> None:
    """Read documents. Unchanged ones cost nothing, missing ones are removed."""
    from bot.knowledge.connectors.files import files_at

    files = files_at(paths)

    async def chosen(_administration: Administration) -> list[Connector]:
        return [*files]

    _sync(chosen)


def _sync(
    choose: Callable[[Administration], Coroutine[Any, Any, list[Connector] | None]], *, only_due: bool = False
) -> None:
    """Read sources again, with a progress bar for each. Exit with 1 if something could not be read."""
    settings, console = start(quiet=True), Terminal()
    say_at_once(console, "Starting")

    from bot.app import open_bot
    from bot.knowledge.ingest import IngestOptions, sync
    from bot.knowledge.sandbox.limits import Limits

    async def read(url: str) -> bool:
        async with open_bot(settings, url) as bot:
            here = Administration(database=bot.database, settings=settings, console=console)
            if (connectors := await choose(here)) is None:
                return False
            with resumable(console), progress_bars(console) as bar_of:
                options = IngestOptions(
                    limits=Limits.of(settings),
                    at_once=settings.sources_at_once,
                    progress_of=bar_of,
                    embedder_of=bot.serving.of,
                )
                only = "known" if only_due else None
                outcome = await sync(bot.database, bot.embedder, settings.workspace, connectors, options, only=only)
        print_ingested(console, outcome, settings.link_hosts)
        return not outcome.failed

    run_or_fail(settings, read)


@commands.callback(invoke_without_command=True)
def list_by_default(context: typer.Context) -> None:
    """List the sources if no subcommand is given."""
    if context.invoked_subcommand is None:
        list_sources()


@commands.command("list")
def list_sources() -> None:
    """List the sources, with the number of documents and passages, and who may read them."""
    from bot.cli.knowledge.sources import show_sources

    administer(show_sources)


@commands.command("add")
def add_source(
    location: Annotated[
        str,
        typer.Argument(
            help="A folder, a file, or an address: a page, all pages below it (…/), a sitemap (….xml), or a"
            " Git repository (….git). For Notion: notion: and the name of the variable with the token. For a"
            " document loader: loader: and its name in ASKBACK_LOADERS. For a channel of Slack: slack: and its id or"
            " name (slack:#support)."
        ),
    ],
    *,
    names: Annotated[
        str | None,
        typer.Option(
            "--for",
            help="Who may read it from the start, separated by commas, as for `share`. By default everyone; of a"
            " channel its members.",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="The kind of source, if the name does not show it: files, git, web, notion, loader, slack, or a"
            " package's."
        ),
    ] = None,
    minutes: _EVERY = None,
    days: _STALE_AFTER = None,
    most_days: _DELETE_AFTER = None,
    owner: _OWNER = None,
) -> None:
    """Register a source, say who may read it and when it is read again, and read it."""
    from bot.cli.knowledge import sources

    async def added(here: Administration) -> list[Connector]:
        for_whom = None if names is None else names.replace(",", " ").split()
        upkeep = sources.UpkeepChange(minutes=minutes, days=days, owner=owner, most_days=most_days)
        source = await sources.add_source(here, location, for_whom, kind=kind, upkeep=upkeep)
        return [sources.connector_to(here, source)]

    _sync(added)


@commands.command("sync")
def sync_sources(
    source: Annotated[
        str | None, typer.Argument(help="One source of the list. By default all that are not paused.")
    ] = None,
    *,
    only_due: Annotated[
        bool, typer.Option("--due", help="Only the sources that are due and that no other process is reading.")
    ] = False,
) -> None:
    """Read sources again."""
    from bot.cli.knowledge.sources import chosen

    _sync(lambda here: chosen(here, source, only_due=only_due), only_due=only_due)


@commands.command("embed")
def embed_again() -> None:
    """Embed all passages with the model of ASKBACK_EMBEDDING, and then search with it. The bot does it by itself."""
    from bot.app import open_bot
    from bot.knowledge.embeddings.change import ModelChange
    from bot.models.choice import demanded_model

    settings, console = start(quiet=True), Terminal()

    async def changed(url: str) -> bool:
        async with open_bot(settings, url) as bot:
            embedder = bot.serving.embedding_of(demanded_model(settings.of_embedding) or bot.embedder.model)
            with progress_bar(console, "Embedding passages") as progress:
                change = ModelChange(bot.database, embedder, settings.workspace, progress=progress)
                await change.run()
            refused = await change.refused()
        console.print(f"Searches use {embedder.model}.")
        if refused:
            console.print(told_refused(refused), style="yellow", markup=False, soft_wrap=True)
        return True

    run_or_fail(settings, changed)


@commands.command("show")
def show_source(source: _SOURCE) -> None:
    """Show who may read each part of a source, what could not be read, and what readers reported."""
    from bot.cli.knowledge.sources import show_source

    administer(lambda administration: show_source(administration, source))


@commands.command("pause")
def pause_source(
    source: _SOURCE, *, is_over: Annotated[bool, typer.Option("--off", help="End the pause.")] = False
) -> None:
    """Stop reading a source, also in the middle, until it is named or the pause ends. Its documents stay."""
    from bot.cli.knowledge.sources import pause_source

    administer(lambda administration: pause_source(administration, source, is_paused=not is_over))


@commands.command("set")
def set_source(
    source: _SOURCE,
    *,
    minutes: _EVERY = None,
    days: _STALE_AFTER = None,
    most_days: _DELETE_AFTER = None,
    owner: _OWNER = None,
) -> None:
    """Set how often a source is read, after how many days its documents are old or go, and who looks after them."""
    from bot.cli.knowledge.sources import UpkeepChange, set_source

    upkeep = UpkeepChange(minutes=minutes, days=days, owner=owner, most_days=most_days)
    administer(lambda administration: set_source(administration, source, upkeep=upkeep))


@commands.command("shared")
def list_shared() -> None:
    """List the answers that people shared in channels: when, who, where, and from which documents."""
    from bot.cli.knowledge.sources import show_shared

    administer(show_shared)


@commands.command("share")
def share_source(
    source: _SOURCE,
    names: Annotated[
        list[str], typer.Argument(help="everyone, guests, nobody, or ids of channels, user groups, people.")
    ],
    *,
    part: Annotated[str, typer.Option(help="Only this document or folder; the name `default` resets it.")] = "",
) -> None:
    """Set who may read a source, from the next question on. Nobody else may."""
    from bot.cli.knowledge.sources import share_source

    administer(lambda administration: share_source(administration, source, names, part=part.strip("/")))


@commands.command("remove")
def remove_source(
    source: _SOURCE, *, is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
) -> None:
    """Remove a source with its documents and passages. The files stay."""
    from bot.cli.knowledge.sources import remove_source

    administer(lambda administration: remove_source(administration, source, is_sure=is_sure))
