"""Of the messages that mute and unmute a thread, the latest counts, in whatever order and however often they come."""

import pytest

from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.postgres.pool import Database
from bot.slack.channel_modes import mode_store


def said_at(ts: str, thread: str = "1.0") -> Address:
    return Address(
        team=TeamId("T"),
        channel=ChannelId("C"),
        thread_ts=Ts(thread),
        message_ts=Ts(ts),
        person=PersonId("U"),
        person_team=TeamId("T"),
    )


@pytest.mark.parametrize("order", [("2.0", "3.0"), ("3.0", "2.0"), ("2.0", "3.0", "2.0")])
async def test_the_latest_counts(database: Database, order: tuple[str, ...]) -> None:
    async with database.transaction("one") as connection:
        told = [await mode_store.save_mute(connection, said_at(ts), is_muted=ts == "2.0") for ts in order]

        assert not await mode_store.is_muted(connection, said_at("4.0"))
    assert [ts == max(order[: place + 1]) and ts not in order[:place] for place, ts in enumerate(order)] == told


async def test_only_later_messages_of_the_same_thread_are_muted(database: Database) -> None:
    async with database.transaction("one") as connection:
        await mode_store.save_mute(connection, said_at("10.0"), is_muted=True)

        assert await mode_store.is_muted(connection, said_at("11.0"))
        assert not await mode_store.is_muted(connection, said_at("9.0"))
        assert not await mode_store.is_muted(connection, said_at("11.0", thread="2.0"))
