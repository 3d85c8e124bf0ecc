"""What holds in a channel, in SQL; call everything here within the workspace."""

from dataclasses import dataclass, replace

from bot.conversation.address import Address
from bot.conversation.asks.ask import AskRules, MayAnswer
from bot.postgres import fetch
from bot.postgres.pool import Connection, Database
from graph.state import PresetName


@dataclass(frozen=True, kw_only=True)
class ChannelRules:
    """What differs in a channel from the settings; None keeps the setting."""

    channel: str
    may_answer: MayAnswer | None = None
    preset: PresetName | None = None
    """How much work answers are worth there."""


async def in_channel(connection: Connection, channel: str) -> ChannelRules:
    """Return what differs in a channel."""
    query = "SELECT channel, may_answer, preset FROM channels WHERE channel = %(channel)s"
    return await fetch.row(connection, ChannelRules, query, channel=channel) or ChannelRules(channel=channel)


async def rules_for(connection: Connection, rules: AskRules, channel: str) -> AskRules:
    """Return the rules with what holds in a channel."""
    differing = await in_channel(connection, channel)
    return replace(rules, may_answer=differing.may_answer) if differing.may_answer else rules


async def all_channels(connection: Connection) -> list[ChannelRules]:
    """Return the channels that differ from the settings."""
    query = """
        SELECT channel, may_answer, preset FROM channels
        WHERE may_answer IS NOT NULL OR preset IS NOT NULL ORDER BY channel
    """
    return await fetch.rows(connection, ChannelRules, query)


async def set_rules(connection: Connection, workspace: str, rules: ChannelRules) -> None:
    """Store what differs in a channel."""
    query = """
        INSERT INTO channels (workspace, channel, may_answer, preset)
        VALUES (%(workspace)s, %(channel)s, %(may_answer)s, %(preset)s)
        ON CONFLICT (workspace, channel) DO UPDATE SET may_answer = excluded.may_answer, preset = excluded.preset
    """
    await connection.execute(query, {**vars(rules), "workspace": workspace})


@dataclass(frozen=True, kw_only=True)
class PresetsAt:
    """The presets of the channel in which a question was asked."""

    database: Database
    workspace: str
    address: Address
    elsewhere: PresetName
    """For a channel that has none of its own."""

    async def usual(self) -> PresetName:
        """Return the channel's preset, or that of the settings."""
        asked_at = self.address.asked_at or self.address
        async with self.database.one_statement(self.workspace) as connection:
            return (await in_channel(connection, asked_at.channel)).preset or self.elsewhere
