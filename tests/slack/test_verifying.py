"""A click keeps a person's own words alone, as their message says them then."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.clock import SystemClock
from bot.contributions.verify import AnswerToVerify, VerifiedUntil, VerifyRefused
from bot.conversation.address import ChannelId, PersonId
from bot.conversation.asks.review import Review
from bot.conversation.inputs import Rating
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import Messenger
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.verify_listeners import VerifyListeners
from bot.slack.payloads import buttons
from bot.slack.payloads.identity import Identity
from bot.slack.people.reviewers import Reviewers
from playground import Playground
from tests.slack.recording import Acquainted
from tests.slack.test_review_cards import PACKET

SUPPORT = "C0SUPPORT"


@dataclass
class RecordingVerifyIntake:
    """The intake of what people keep, which keeps what it is told."""

    thread_ts: str = ""
    kept: list[AnswerToVerify] = field(default_factory=list)

    async def answering(self, thread_id: str, person: PersonId) -> Review | None:
        return None

    async def look(self, token: str, person: PersonId, *, own_words: bool = False) -> Review | VerifyRefused:
        return Review(
            id=1,
            token=token,
            inbox_id=1,
            thread_id=f"T0:{SUPPORT}:{self.thread_ts}",
            channel=ChannelId(SUPPORT),
            interrupt_id="",
            person=PersonId("U0ADA"),
            payload=PACKET,
            status="open",
            due_at=datetime(2026, 11, 22, tzinfo=UTC),
        )

    async def verify(self, answer: AnswerToVerify) -> VerifiedUntil | VerifyRefused:
        self.kept.append(answer)
        return VerifiedUntil(until=datetime(2027, 2, 20, tzinfo=UTC), origin="message:1")

    async def widen(self, token: str, option: str, person: PersonId, *, place: str) -> bool:
        return False


@pytest.mark.parametrize(("clicker", "counts"), [("U0CHIARA", 1), ("U0DEV", 0)])
async def test_words_are_kept_by_who_wrote_them_whoever_forges_a_click(
    playground: Playground, messenger: Messenger, me: Identity, clicker: str, counts: int
) -> None:
    root = await playground.person("U0ADA").post(SUPPORT, "Who waters the plants?")
    ts = await playground.person("U0CHIARA").post(SUPPORT, "Olga does, on Fridays.", thread_ts=root)
    intake = RecordingVerifyIntake(root)

    async def nothing_liked(_rating: Rating, _place: object) -> bool:
        return False

    body: dict[str, Any] = {
        "type": "block_actions",
        "trigger_id": "trigger",
        "user": {"id": clicker, "team_id": me.team},
        "channel": {"id": SUPPORT},
        "container": {"message_ts": "9.9", "thread_ts": root, "is_ephemeral": True},
        "actions": [
            {"action_id": buttons.KEEP_WORDS, "value": buttons.with_token("token", ts), "action_ts": "10.000000"}
        ],
    }
    async with BackgroundTasks() as tasks:
        access_check = AccessCheck(Acquainted(messenger, me), messenger, tasks, SystemClock())
        listeners = VerifyListeners(
            intake, access_check, Reviewers("", messenger, channel="C0PEOPLE"), liked=nothing_liked
        )
        await listeners.act(body)

    assert ["Olga does, on Fridays."] * counts == [answer.words.text for answer in intake.kept if answer.words]
