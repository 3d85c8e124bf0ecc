"""What Slack says is stored, or told in the log without its words."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient
from structlog.testing import capture_logs

from bot.clock import SystemClock
from bot.conversation.intake import Inbox
from bot.postgres.pool import Database
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import Pace
from bot.slack.background_tasks import BackgroundTasks
from bot.slack.listeners.handlers import Listeners
from tests.slack.payloads import US, action, event
from tests.slack.recording import RecordingIntake


@pytest.mark.parametrize("text", ["<@UBOT> What is the \0 limit", "<@UBOT> thanks \ud83d"])
async def test_what_the_database_would_refuse_does_not_keep_a_message_out(database: Database, text: str) -> None:
    async with BackgroundTasks() as errands:
        inbox = Inbox(database, SystemClock(), workspace="one", surface="slack")
        listeners = Listeners(inbox, Messenger(AsyncWebClient(), pace=Pace()), errands, US)
        await listeners.hear(event(text, files=[{"name": "a\0.pdf"}]))

    async with database.transaction("one") as connection:
        rows = await (await connection.execute("SELECT count(*) AS stored FROM inbox")).fetchall()
    assert [{"stored": 1}] == rows


async def test_a_message_of_another_company_leaves_a_line_without_its_words() -> None:
    intake = RecordingIntake()
    async with BackgroundTasks() as errands:
        listeners = Listeners(intake, Messenger(AsyncWebClient(), pace=Pace()), errands, US)
        with capture_logs() as lines:
            await listeners.hear(event(user_team="T9"))

    assert [] == intake.messages
    assert [{"event": "foreign_message_ignored", "event_key": "Ev1", "log_level": "info"}] == lines


@pytest.mark.parametrize("action_id", ["option:0", "something_else", "just_answer", "change", "ask_again", "feedback"])
async def test_a_click_of_another_company_counts_nothing(action_id: str) -> None:
    intake, acked = RecordingIntake(), list[bool]()

    async def ack() -> None:
        acked.append(True)

    async with BackgroundTasks() as errands:
        listeners = Listeners(
            intake, Messenger(AsyncWebClient(base_url="http://127.0.0.1:9/"), pace=Pace()), errands, US
        )
        await listeners.act(action(action_id, "good", user={"id": "UEVE", "team_id": "T9"}), ack)  # pyright: ignore[reportArgumentType]

    assert [True] == acked
    assert RecordingIntake() == intake
