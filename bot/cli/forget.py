"""`askback forget`: forgets a person, a document, a channel or the workspace on request, and reports what went."""

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from bot.cli.administration import Administration, administered, person_of
from bot.cli.console import agrees, print_table
from bot.conversation.address import Placed
from bot.knowledge import source_store
from bot.knowledge.store import hashes_of

if TYPE_CHECKING:
    from bot.forget.forget import Forgetter

Act: TypeAlias = "Callable[[Forgetter], Awaitable[Counter[str]]]"

commands = typer.Typer(
    help="Forget a person, a document, a channel or the workspace, and report what went.", no_args_is_help=True
)
_DRY = Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")]
_YES = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@administered(commands, "person")
async def forget_person(
    here: Administration,
    person: Annotated[str, typer.Argument(help="A person's id, such as U0123ABCD.", callback=person_of)],
    *,
    is_dry: _DRY = False,
    is_sure: _YES = False,
) -> bool:
    """Forget what a person said, did and was told. What others said stays."""
    return await forget(here, f"the person {person}", lambda it: it.person(person), is_dry=is_dry, is_sure=is_sure)


@administered(commands, "channel")
async def forget_channel(
    here: Administration,
    channel: Annotated[str, typer.Argument(help="A channel's id, such as C0123ABCD.")],
    *,
    is_dry: _DRY = False,
    is_sure: _YES = False,
) -> bool:
    """Forget all threads of a channel, its documents if it is a source, its settings, what was shared with it."""
    return await forget(here, f"the channel {channel}", lambda it: it.channel(channel), is_dry=is_dry, is_sure=is_sure)


@administered(commands, "document")
async def forget_document(
    here: Administration,
    source: Annotated[str, typer.Argument(help="A source, as `askback sources` lists it.")],
    path: Annotated[str, typer.Argument(help="The document's path below the source.")],
    *,
    is_dry: _DRY = False,
    is_sure: _YES = False,
) -> bool:
    """Forget a document and what was made of it. Its source does not bring it back."""
    found = await _source_of(here, source, path)
    if found is None:
        here.say(f"There is no document {path} in {source}.", style="red")
        return False
    what = f"the document {path}"
    return await forget(
        here, what, lambda it: it.documents(found.id, found.location, [path]), is_dry=is_dry, is_sure=is_sure
    )


@administered(commands, "workspace")
async def forget_workspace(here: Administration, *, is_dry: _DRY = False, is_sure: _YES = False) -> bool:
    """Forget everything: documents, conversations, choices, settings of channels."""
    what = f"the whole workspace {here.settings.workspace}"
    return await forget(here, what, lambda it: it.everything(), is_dry=is_dry, is_sure=is_sure)


async def forget(here: Administration, what: str, act: Act, *, is_dry: bool, is_sure: bool) -> bool:
    """Say what would go, ask, forget, and report. Return whether it was done."""
    from bot.forget.forget import Forgetter

    if not (is_sure and not is_dry):
        workspace = here.settings.workspace
        planned = await act(Forgetter(database=here.database, workspace=workspace, is_dry=True))
        _report(here, f"This would go with {what}:", planned)
        if is_dry:
            return True
        # Without anything to lose nobody is asked; what somebody has begun to forget is ended.
        if planned.total() and not agrees(here.console, "Forget it? Nobody can bring it back."):
            return False
    async with _forgetter(here) as forgetter:
        _report(here, f"Forgotten with {what}:", await act(forgetter))
    return True


@asynccontextmanager
async def _forgetter(here: Administration) -> "AsyncGenerator[Forgetter]":
    """Connect to Slack if the settings have tokens, so that answers go there too."""
    from bot.forget.forget import Forgetter

    if here.settings.slack_bot_token is None or here.settings.slack_app_token is None:
        yield Forgetter(database=here.database, workspace=here.settings.workspace)
        return
    from bot.receiver import open_slack

    async with open_slack(here.settings, here.database) as slack:

        async def remove(message: Placed) -> None:
            await slack.messenger.delete(message.channel, message.ts)

        yield Forgetter(database=here.database, workspace=here.settings.workspace, remove=remove)


async def _source_of(here: Administration, location: str, path: str) -> source_store.ListedSource | None:
    """Return the source of a document that is there, or that somebody has begun to forget."""
    from bot.cli.knowledge.sources import named

    async with here.reading_all() as connection:
        source = named(location, await source_store.all_sources(connection))
        if source is None:
            return None
        is_there = path in await hashes_of(connection, source.id)
        return source if is_there or await source_store.forgotten_of(connection, source.id, [path]) else None


def _report(here: Administration, heading: str, counts: Counter[str]) -> None:
    rows = [(kind, str(count)) for kind, count in sorted(counts.items()) if count]
    here.say(heading if rows else f"{heading} nothing.")
    if rows:
        print_table(here.console, ("WHAT", "NUMBER"), rows)
