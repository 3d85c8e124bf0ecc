"""What `askback sources` does: list, add, share, read again, pause and remove sources."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from bot.audience import ALL, GUESTS, default_names, is_person, read_names, written
from bot.cli.administration import Administration
from bot.cli.console import agrees, named_first, print_table, told_refused, told_skipped
from bot.errors import KnowledgeError
from bot.knowledge import audience_store, source_store
from bot.knowledge.audience_store import Audience, read_as
from bot.knowledge.connectors.connector import Connector, KnowsReaders
from bot.knowledge.connectors.files import require_there
from bot.knowledge.connectors.kinds import KINDS, connector_of, faults_of, guessed, known_connector
from bot.knowledge.connectors.slack.channel import KIND as SLACK
from bot.knowledge.connectors.slack.channel import SlackChannel, location_of
from bot.knowledge.connectors.slack.paths import channel_in, whole_channel
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.embeddings import store as embeddings
from bot.knowledge.flags import flag_store
from bot.knowledge.flags.flag_store import OpenFlags
from bot.knowledge.lock_store import source_lock
from bot.knowledge.places.store import KIND as PLACES
from bot.knowledge.source_store import ListedSource
from bot.postgres.pool import Connection, enter_workspace
from bot.slack.sharing import share_store

HEADS: Final = (
    "SOURCE", "KIND", "DOCUMENTS", "PASSAGES", "FOR", "OWNER", "EVERY", "OLD AFTER", "DELETED AFTER",
    "LAST READ", "FAILED",
)  # fmt: skip
AS_AROUND: Final = "default"
TERMS: Final = (
    "Askback stores what people write in this channel. Slack's terms allow that only to an app that your company made"
    " for itself. Tell the channel's people."
)


@dataclass(frozen=True, kw_only=True)
class UpkeepChange:
    """What changes in how a source is kept; `None` changes nothing."""

    minutes: int | None = None
    """After how many minutes it is read again; 0 for never."""
    days: int | None = None
    """After how many days answers call a document old; 0 for never."""
    owner: str | None = None
    """The id of the person who is told of reports, or `nobody`."""
    most_days: int | None = None
    """After how many days a document is deleted; 0 for never."""


AS_IT_IS: Final = UpkeepChange()


async def show_sources(here: Administration) -> None:
    """Print the sources, with the number of documents and passages, and who may read them."""
    sources = await _all_sources(here)
    nothing = "There are no sources yet: `askback ingest` reads documents."
    here.show(HEADS, [_row(source) for source in sources], or_else=nothing)
    for fault in await asyncio.to_thread(faults_of, [source.kind for source in sources if source.kind != PLACES]):
        here.say(fault, style="yellow")


async def add_source(
    here: Administration,
    location: str,
    words: list[str] | None,
    *,
    kind: str | None = None,
    upkeep: UpkeepChange = AS_IT_IS,
) -> ListedSource:
    """Register a source and its audience, before anything of it can be found. Without words, the default reads it."""
    kind, known_as = guessed(location, kind)
    settings = SourceSettings.of(here.settings)
    if kind == SLACK:
        known_as = await location_of(known_as, settings)
        here.say(TERMS)
    connector = connector_of(kind, known_as, settings)
    await connector.aclose()
    if words is not None:
        require_shareable(connector)
    names = None if words is None else read_names(words)
    await _require_members(kind, known_as, names or (), settings)
    if kind == "files":
        require_there(Path(known_as))
    workspace = here.settings.workspace
    async with here.transaction() as connection:
        source_id = await source_store.add_source(connection, workspace, known_as, kind)
        await _set_upkeep(connection, source_id, upkeep)
        if names is not None:
            await audience_store.share(connection, source_id, "", names)
        return next(one for one in await source_store.all_sources(connection) if one.id == source_id)


async def show_source(here: Administration, location: str) -> bool:
    """Print a source: who may read its parts, and what could not be read."""
    found = await _found(here, location)
    if found is None:
        return False
    print_table(here.console, HEADS, [_row(found)])
    async with here.reading_all() as connection:
        audiences = await audience_store.audiences_of(connection, found.id)
        failures = await source_store.failures_of(connection, found.id)
        flags = await flag_store.open_of(connection, found.id)
        recognised = await source_store.recognised_of(connection, found.id)
        refused = await embeddings.refused(connection, found.id)
    _print_audiences(here, audiences)
    if found.skipped:
        here.say(told_skipped(found.skipped, found.skipped_paths))
    if recognised:
        said = f"{len(recognised)} read by text recognition (OCR), which may err: {named_first(recognised)}."
        here.say(said)
    if refused:
        here.say(told_refused(refused), style="yellow")
    if flags:
        print_table(here.console, ("DOUBTED", "WHY", "REPORTS", "SINCE", "TOLD"), [_flag_row(one) for one in flags])
    for path, reason in {**({"": found.error} if found.error else {}), **failures}.items():
        here.say(f"{path or 'Nothing could be read'}: {reason}", style="yellow")
    return True


async def show_shared(here: Administration) -> None:
    """Print the latest answers that people shared in channels."""
    async with here.reading_all() as connection:
        shared = await share_store.latest(connection)
    rows = [
        (
            f"{one['shared_at']:%Y-%m-%d %H:%M}",
            one["person"],
            one["channel"],
            ", ".join(one["titles"]) or "(gone)",
            "not everybody there might read them" if one["is_restricted"] else "",
            "taken back" if one["taken_back_at"] else "",
        )
        for one in shared
    ]
    here.show(("SHARED", "BY", "IN", "FROM", "", ""), rows, or_else="Nobody has shared an answer.")


async def pause_source(here: Administration, location: str, *, is_paused: bool) -> bool:
    """Pause the scheduled reading of a source, which ends one that is under way, or end the pause."""
    found = await _found(here, location)
    if found is None:
        return False
    async with here.transaction() as connection:
        await source_store.pause(connection, found.id, is_paused=is_paused)
    await show_sources(here)
    return True


async def set_source(here: Administration, location: str, *, upkeep: UpkeepChange) -> bool:
    """Set how often a source is read, after how many days it is old or deleted, and whose it is."""
    found = await _found(here, location)
    if found is None:
        return False
    if upkeep.minutes:
        connector_to(here, found)
    async with here.transaction() as connection:
        await _set_upkeep(connection, found.id, upkeep)
    await show_sources(here)
    return True


async def _set_upkeep(connection: Connection, source_id: int, upkeep: UpkeepChange) -> None:
    if upkeep.minutes is not None:
        every = timedelta(minutes=upkeep.minutes) if upkeep.minutes else None
        await source_store.set_schedule(connection, source_id, every=every)
    if upkeep.days is not None:
        await source_store.set_stale_after(connection, source_id, days=upkeep.days or None)
    if upkeep.most_days is not None:
        await source_store.set_delete_after(connection, source_id, days=upkeep.most_days or None)
        await read_as(connection, ALL)
        await source_store.delete_old(connection)
    if upkeep.owner is not None:
        await _set_owner(connection, source_id, upkeep.owner)


async def _set_owner(connection: Connection, source_id: int, owner: str) -> None:
    """Set a source's owner, who is also told of what nobody could be told of before. Raises `KnowledgeError`."""
    if owner != "nobody" and not is_person(owner):
        raise KnowledgeError(f"{owner} is no person: give a person's id as Slack shows it (U0123ABCD), or nobody.")
    await source_store.set_owner(connection, source_id, owner=None if owner == "nobody" else owner)
    await read_as(connection, ALL)
    await flag_store.tell_again(connection, source_id)


async def chosen(here: Administration, location: str | None, *, only_due: bool) -> list[Connector] | None:
    """Return the named source; without a name, all that are not paused, or only those that are due."""
    if location is not None:
        found = await _found(here, location)
        return [connector_to(here, found)] if found else None
    sources = await _all_sources(here)
    wanted = [one for one in sources if (one.is_due if only_due else not one.is_paused) and one.kind != PLACES]
    return [connector_to(here, one) for one in wanted]


def connector_to(here: Administration, source: ListedSource) -> Connector:
    """Return the connector that reads a source, with the settings' limits. Raises `KnowledgeError` for places."""
    if source.kind == PLACES:
        raise KnowledgeError("A directory of places is read on command only: askback places import FILE.csv")
    return known_connector(source.kind, source.location, SourceSettings.of(here.settings))


async def share_source(here: Administration, location: str, words: list[str], *, part: str) -> bool:
    """Share a source, or a part of it, with these readers and nobody else. Return whether the source exists."""
    names = None if words == [AS_AROUND] and part else read_names(words)
    found = await _found(here, location)
    if found is None:
        return False
    settings = SourceSettings.of(here.settings)
    if found.kind not in {*KINDS, PLACES}:
        # Without its package nobody knows whether the source says itself who may read it.
        connector = connector_of(found.kind, found.location, settings)
        await connector.aclose()
        require_shareable(connector)
    await _require_members(found.kind, found.location, names or (), settings)
    async with here.transaction() as connection:
        if names is None:
            await audience_store.share_as_around(connection, found.id, part)
        else:
            await audience_store.share(connection, found.id, part, names)
        await read_as(connection, ALL)
        audiences = await audience_store.audiences_of(connection, found.id)
    _print_audiences(here, audiences)
    return True


async def remove_source(here: Administration, location: str, *, is_sure: bool) -> bool:
    """Ask for confirmation, then remove a source. Return whether it is gone."""
    found = await _found(here, location)
    if found is None:
        return False
    if not is_sure and not _may_remove(here, found):
        return False
    removed = await _removed(here, found.id, found.location)
    here.say(_said(removed) if removed else "It was already removed.")
    return True


def require_shareable(connector: Connector) -> None:
    """Raise `KnowledgeError` if the source says itself who may read it."""
    if isinstance(connector, KnowsReaders):
        raise KnowledgeError("The source says itself who may read it: change it there, then read it again.")


async def _require_members(kind: str, location: str, names: Collection[str], settings: SourceSettings) -> None:
    """Check that what was said in a private channel stays with its members. Raises `KnowledgeError`."""
    if kind != SLACK or {*names} <= {*default_names(SLACK, location)}:
        return
    if GUESTS in names:
        raise KnowledgeError("Guests read only the channels that they are in: share a channel with members only.")
    channel = await SlackChannel(whole_channel(channel_in(location)), settings).described()
    if channel.get("is_private") is not False:
        raise KnowledgeError("The channel is private: what was said there is for its members only.")


def _print_audiences(here: Administration, audiences: list[Audience]) -> None:
    rows = [(one.path or "(the rest)", str(one.documents), written(one.names)) for one in audiences]
    print_table(here.console, ("PART", "DOCUMENTS", "FOR"), rows)


async def _all_sources(here: Administration) -> list[ListedSource]:
    async with here.reading_all() as connection:
        return await source_store.all_sources(connection)


async def _found(here: Administration, location: str) -> ListedSource | None:
    """Return the named source. If there is none, say so and list all sources."""
    found = named(location, await _all_sources(here))
    if found is None:
        here.say(f"There is no source {location}.", style="red")
        await show_sources(here)
    return found


async def _removed(here: Administration, source_id: int, location: str) -> ListedSource | None:
    """End the reading of a source that is under way, then remove the source."""
    workspace = here.settings.workspace
    async with here.transaction() as connection:
        await source_store.pause(connection, source_id, is_paused=True)
    async with (
        here.database.session() as connection,
        source_lock(connection, workspace, location),
        connection.transaction(),
    ):
        await enter_workspace(connection, workspace)
        await read_as(connection, ALL)
        source = named(location, await source_store.all_sources(connection))
        if source is not None:
            await source_store.remove_source(connection, source.id)
        return source


def named(location: str, sources: list[ListedSource]) -> ListedSource | None:
    """Return the source that a person names."""
    names = {location, str(Path(location).resolve()), guessed(location)[1]}
    return next((source for source in sources if source.location in names), None)


def _may_remove(here: Administration, source: ListedSource) -> bool:
    print_table(here.console, HEADS, [_row(source)])
    return agrees(here.console, "Remove it? Its files stay.")


def _row(source: ListedSource) -> tuple[str, ...]:
    every = "paused" if source.is_paused else f"{source.every}" if source.every else ""
    read = f"{source.synced_at:%Y-%m-%d %H:%M}" if source.synced_at else ""
    failed = "all" if source.error else str(source.failures or "")
    counts = str(source.documents), str(source.passages)
    old, deleted = (f"{days} days" if days else "" for days in (source.stale_after_days, source.delete_after_days))
    named = source.location, source.kind, *counts, written(source.names), source.owner or ""
    return *named, every, old, deleted, read, failed


def _flag_row(flags: OpenFlags) -> tuple[str, ...]:
    return flags.path, ", ".join(flags.reasons), str(flags.count), f"{flags.since:%Y-%m-%d}", flags.told_to or "nobody"


def _said(source: ListedSource) -> str:
    return (
        f"Removed: {source.location} (documents: {source.documents}, passages: {source.passages})."
        " No answer uses it any more. Old answers stay in their threads."
    )
