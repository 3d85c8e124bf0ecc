"""Makes the parts that receivers and workers share, as the settings say."""

from collections.abc import Collection
from datetime import timedelta

from bot.audience import EVERYONE, Names
from bot.clock import SystemClock
from bot.conversation.asks.ask import AskRules
from bot.conversation.asks.review_intake import ReviewIntake
from bot.conversation.inputs import QueueLimits
from bot.conversation.intake import Intake
from bot.conversation.items import Surface
from bot.knowledge.audience_store import named, read_as
from bot.knowledge.connectors.slack.adding import DatabaseAddingIntake
from bot.knowledge.flags.flagging import DatabaseFlagIntake
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.search_store import passages_there
from bot.knowledge.verified.maintain import DatabaseMaintainIntake
from bot.knowledge.verified.verify import DatabaseVerifyIntake
from bot.postgres.pool import Connection, Database
from bot.settings import Settings
from bot.slack.api.messenger import Messenger
from bot.slack.payloads.identity import Identity
from bot.slack.people.memberships import Memberships
from bot.slack.people.people import AccessPolicy, People
from bot.slack.people.readers import Readers


def surface_of(me: Identity) -> Surface:
    """Return the surface of a Slack team. Several may share a database, such as the demo's and a real one."""
    return f"slack:{me.team}"


def intake_of(settings: Settings, database: Database, surface: Surface) -> Intake:
    """Return the intake of a surface."""
    return Intake(
        database,
        SystemClock(),
        workspace=settings.workspace,
        surface=surface,
        rules=rules_of(settings, surface),
        limits=QueueLimits(per_person=settings.most_waiting_per_person, altogether=settings.most_waiting),
    )


def access_policy_of(settings: Settings) -> AccessPolicy:
    """Return the settings about who is served."""
    return AccessPolicy(
        answers_guests=settings.answer_guests,
        reads_others=settings.read_other_companies,
        in_shared_channels=settings.in_shared_channels,
    )


def rules_of(settings: Settings, surface: Surface) -> AskRules:
    """Return the settings about questions back. In the terminal, nobody is identified."""
    is_terminal = surface.startswith("terminal:")
    return AskRules(
        may_answer=settings.may_answer,
        change_within=timedelta(days=settings.change_within_days),
        remind_after=timedelta(seconds=settings.remind_after_seconds),
        expire_after=timedelta(seconds=settings.expire_after_seconds),
        remember_for=timedelta(days=0 if is_terminal else settings.remember_choices_days),
    )


def review_intake_of(settings: Settings, database: Database) -> ReviewIntake:
    """Return the intake of reviews."""
    return ReviewIntake(
        database,
        SystemClock(),
        workspace=settings.workspace,
        expire_after=timedelta(seconds=settings.review_expire_after_seconds),
        for_everyone=_for_everyone,
    )


def maintain_intake_of(settings: Settings, database: Database) -> DatabaseMaintainIntake:
    """Return the intake of what people say of verified answers that they were told."""
    return DatabaseMaintainIntake(
        database=database,
        clock=SystemClock(),
        workspace=settings.workspace,
        valid_for=timedelta(days=settings.verified_days),
    )


def adding_intake_of(settings: Settings, database: Database) -> DatabaseAddingIntake:
    """Return the intake of messages that people add."""
    return DatabaseAddingIntake(database=database, workspace=settings.workspace, limits=Limits.of(settings))


def flag_intake_of(settings: Settings, database: Database) -> DatabaseFlagIntake:
    """Return the intake of what readers say of documents."""
    return DatabaseFlagIntake(
        database=database,
        clock=SystemClock(),
        workspace=settings.workspace,
        review_channel=settings.review_channel,
        link_hosts=settings.link_hosts,
    )


async def may_read(connection: Connection, names: Names, passages: Collection[int]) -> bool:
    """Tell whether a person with these names may read all of some passages."""
    await read_as(connection, names)
    return await passages_there(connection, [*passages]) == set(passages)


async def _for_everyone(connection: Connection, passages: Collection[int]) -> bool:
    return await may_read(connection, Names({EVERYONE}), passages)


def memberships_of(settings: Settings, database: Database, messenger: Messenger) -> Memberships:
    """Return the memberships: which channels people are in, and who is in which user group."""
    return Memberships(database, messenger, settings.workspace)


def readers_of(settings: Settings, database: Database, people: People, memberships: Memberships) -> Readers:
    """Return the readers: they know what each person may read."""

    async def named_now() -> Names:
        async with database.transaction(settings.workspace) as connection:
            return await named(connection)

    return Readers(people, memberships, named_now)


def verify_intake_of(settings: Settings, database: Database) -> DatabaseVerifyIntake:
    """Return the intake of what people keep."""
    return DatabaseVerifyIntake(
        database=database,
        clock=SystemClock(),
        workspace=settings.workspace,
        valid_for=timedelta(days=settings.verified_days),
    )
