"""The recorded parts of our messages are the current ones."""

import pytest

from bot.conversation import message_store
from bot.conversation.address import ChannelId, Placed, Ts
from bot.conversation.intake import Intake
from bot.conversation.items import Item
from bot.conversation.message_kinds import Shown
from bot.postgres.pool import Connection, Database
from tests.conversation import claiming
from tests.conversation.test_intake import message
from tests.support.fakes import TurnedClock

CLOCK = TurnedClock()


@pytest.fixture
async def items(database: Database) -> list[Item]:
    """Two items."""
    intake = Intake(database, CLOCK, workspace="one", surface="slack")
    found: list[Item] = []
    for ts in ("100.000001", "200.000001"):
        await intake.receive(message(ts=ts, root=ts))
    async with database.transaction() as connection:
        for _ in range(2):
            item = await claiming.claimed(connection, CLOCK)
            assert item
            found.append(item)
            await claiming.finish(connection, item.id, asking=False, now=CLOCK.now())
    return found


def placed(*numbers: int) -> tuple[Placed, ...]:
    return tuple(Placed(channel=ChannelId("C0"), ts=Ts(f"300.{number}")) for number in numbers)


async def record(connection: Connection, item: Item, parts: tuple[Placed, ...], kind: Shown = "answer") -> None:
    await message_store.record_message(connection, item, kind=kind, parts=parts, now=CLOCK.now())


async def test_the_parts_of_a_message_come_back_in_order(database: Database, items: list[Item]) -> None:
    async with database.transaction("one") as connection:
        await record(connection, items[0], placed(1))
        await record(connection, items[0], placed(1, 2, 3))

        assert {"answer": placed(1, 2, 3)} == await message_store.messages_of(connection, items[0].id)
        assert {"300.1", "300.2", "300.3"} == await message_store.known_messages(connection, items[0])


async def test_parts_that_are_gone_are_forgotten_and_moved_ones_known(database: Database, items: list[Item]) -> None:
    async with database.transaction("one") as connection:
        await record(connection, items[0], placed(1, 2, 3))
        await record(connection, items[0], placed(1, 9))

        assert {"answer": placed(1, 9)} == await message_store.messages_of(connection, items[0].id)


@pytest.mark.parametrize("number", [1, 9])
async def test_an_item_has_one_message_beside_its_card(database: Database, items: list[Item], number: int) -> None:
    item = items[0]
    async with database.transaction("one") as connection:
        await record(connection, item, placed(8), "card")
        await record(connection, item, placed(1, 2, 3))
        await record(connection, item, placed(number), "failure")
        assert {"card": placed(8), "failure": placed(number)} == await message_store.messages_of(connection, item.id)

        await record(connection, item, placed(number, 4))
        assert {"card": placed(8), "answer": placed(number, 4)} == await message_store.messages_of(connection, item.id)


async def test_a_message_that_has_become_a_card_is_nothing_else(database: Database, items: list[Item]) -> None:
    async with database.transaction("one") as connection:
        await record(connection, items[0], placed(1, 2))
        await record(connection, items[0], placed(1), "card")

        assert {"card": placed(1)} == await message_store.messages_of(connection, items[0].id)


async def test_a_message_that_another_item_takes_over_is_its_own_alone(database: Database, items: list[Item]) -> None:
    earlier, later = items
    async with database.transaction("one") as connection:
        await record(connection, earlier, placed(7), "card")
        await record(connection, earlier, placed(1, 2))
        await record(connection, later, placed(1), "failure")

        assert {"card": placed(7)} == await message_store.messages_of(connection, earlier.id)
        assert {"failure": placed(1)} == await message_store.messages_of(connection, later.id)


async def test_a_family_s_answers_become_its_head_s_the_last_one_first(database: Database, items: list[Item]) -> None:
    head, reply = items
    async with database.transaction("one") as connection:
        await record(connection, head, placed(1, 2))
        CLOCK.turn(seconds=60)
        await record(connection, reply, placed(3, 4, 5))

        await message_store.adopt_answer(connection, [head.id, reply.id], by=head.id)

        assert {"answer": placed(3, 4, 5, 1, 2)} == await message_store.messages_of(connection, head.id)
        assert {} == await message_store.messages_of(connection, reply.id)


async def test_what_a_head_said_alone_stays_its_own(database: Database, items: list[Item]) -> None:
    async with database.transaction("one") as connection:
        await record(connection, items[0], placed(1, 2))

        await message_store.adopt_answer(connection, [items[0].id], by=items[0].id)

        assert {"answer": placed(1, 2)} == await message_store.messages_of(connection, items[0].id)
