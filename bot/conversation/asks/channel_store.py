"""What holds in a channel, in SQL; call everything here within the workspace."""

from dataclasses import dataclass, replace

from bot.conversation.address import Address
from bot.conversation.asks.ask import AskRules, MayAnswer
from bot.postgres.pool import Connection, Database
from graph.state import PresetName


@dataclass(frozen=True, kw_only=True)
class Differing:
    """A channel that differs from the settings; None keeps the setting."""

    channel: str
    may_answer: MayAnswer | None
    preset: PresetName | None


async def rules_for(connection: Connection, rules: AskRules, channel: str) -> AskRules:
    """Return the rules with what holds in a channel."""
    cursor = await connection.execute(
        "SELECT may_answer FROM channels WHERE channel = %(channel)s", {"channel": channel}
    )
    row = await cursor.fetchone()
    return replace(rules, may_answer=row["may_answer"]) if row and row["may_answer"] else rules


async def preset_in(connection: Connection, channel: str) -> PresetName | None:
    """Return how much work answers are worth in a channel; None if the setting holds."""
    cursor = await connection.execute("SELECT preset FROM channels WHERE channel = %(channel)s", {"channel": channel})
    row = await cursor.fetchone()
    return row["preset"] if row else None


async def all_channels(connection: Connection) -> list[Differing]:
    """Return the channels that differ from the settings."""
    cursor = await connection.execute(
        """
        SELECT channel, may_answer, preset FROM channels
        WHERE may_answer IS NOT NULL OR preset IS NOT NULL ORDER BY channel
        """
    )
    return [Differing(**row) for row in await cursor.fetchall()]


async def let_answer(connection: Connection, workspace: str, channel: str, may_answer: MayAnswer | None) -> None:
    """Set who may answer in a channel; None restores the setting."""
    await connection.execute(
        """
        INSERT INTO channels (workspace, channel, may_answer) VALUES (%(workspace)s, %(channel)s, %(may_answer)s)
        ON CONFLICT (workspace, channel) DO UPDATE SET may_answer = excluded.may_answer
        """,
        {"workspace": workspace, "channel": channel, "may_answer": may_answer},
    )


async def let_take(connection: Connection, workspace: str, channel: str, preset: PresetName | None) -> None:
    """Set how much work answers take in a channel; None restores the setting."""
    await connection.execute(
        """
        INSERT INTO channels (workspace, channel, preset) VALUES (%(workspace)s, %(channel)s, %(preset)s)
        ON CONFLICT (workspace, channel) DO UPDATE SET preset = excluded.preset
        """,
        {"workspace": workspace, "channel": channel, "preset": preset},
    )


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
        async with self.database.at_once(self.workspace) as connection:
            return await preset_in(connection, asked_at.channel) or self.elsewhere
