"""How much work an answer is worth where it is asked."""

from dataclasses import dataclass

from bot.conversation.address import Address
from bot.conversation.asks import channel_store
from bot.postgres.pool import Database
from graph.state import PresetName


@dataclass(frozen=True, kw_only=True)
class PresetsAt:
    """The presets of the channel in which a question was asked."""

    database: Database
    workspace: str
    address: Address
    elsewhere: PresetName
    """Where the channel has none of its own."""

    async def usual(self) -> PresetName:
        """Return the channel's preset, or that of the settings."""
        asked_at = self.address.asked_at or self.address
        async with self.database.at_once(self.workspace) as connection:
            return await channel_store.preset_in(connection, asked_at.channel) or self.elsewhere
