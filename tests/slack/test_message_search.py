"""The search of Slack's messages, as the database sees it."""

from slack_sdk.web.async_client import AsyncWebClient

from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import Pace
from bot.slack.listeners.events import Identity, Payload
from bot.slack.message_search import MessageSearch
from graph.turn import Remark
from tests.slack.recording import Acquainted

ASKED = Address(
    team=TeamId("T1"), channel=ChannelId("C1"), thread_ts=Ts("500.0"), message_ts=Ts("500.0"), person=PersonId("U1"),
    person_team=TeamId("T1"),
)  # fmt: skip


class Found(Messenger):
    """A messenger whose search finds six messages of two channels."""

    async def search(self, query: str, *, token: str, until: float, limit: int) -> list[Payload]:
        return [
            {
                "channel_id": f"C{1 + number % 2}", "message_ts": f"{number}.5", "author_user_id": f"U{number}",
                "content": f"Message {number}.", "permalink": f"https://slack.example/{number}",
            }
            for number in range(1, 7)
        ]  # fmt: skip


async def test_a_search_asks_once_for_each_channel_what_was_forgotten(me: Identity) -> None:
    asked: list[tuple[str, int]] = []

    async def unforgotten(place: Address, said: tuple[Remark, ...]) -> tuple[Remark, ...]:
        asked.append((place.channel, len(said)))
        return tuple(remark for remark in said if remark.person != "U3")

    messenger = Found(AsyncWebClient("xoxb-none"), pace=Pace())
    search = MessageSearch(messenger, Acquainted(messenger, me), unforgotten, ASKED, "token")

    found = await search.find("anything")

    assert [("C1", 3), ("C2", 3)] == sorted(asked)
    assert [f"https://slack.example/{number}" for number in (1, 2, 4, 5, 6)] == [result.get("url") for result in found]
