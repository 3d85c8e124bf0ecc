"""A harness's review channel, and a model whose drafts are unsure until a reviewer decides."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import psycopg

from bot.bot import Bot
from playground.wire import Json
from tests.journeys.harness import PATIENCE, Harness, Message, labels_of, text_of
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import judged, oblige

PEOPLE = "C0PEOPLE"
CHIARA, DEV = "U0CHIARA", "U0DEV"
HOTEL = "What is the limit for a hotel night?"
PORTO = "How many vacation days do people in Porto get?"
DRAFT = "The limit for a hotel night is 999 EUR [1]."
ISSUE = "The limit is another one"


def unsure(request: dict[str, Any]) -> Reply:
    """Write an unsupported answer about hotels, and find fault with it; answer everything else well."""
    form = request.get("response_format", {}).get("json_schema", {}).get("name", "")
    about_hotels = "hotel" in str(request["messages"][-1]["content"]).rsplit("</passage", 1)[-1]
    if form == "validate":
        is_draft = "999 EUR" in str(request["messages"])
        return judged("unsupported", reason=ISSUE) if is_draft else judged()
    if form or not about_hotels:
        return oblige(request)
    return Says(DRAFT)


def reviewed(harness: Harness, groq: GroqServer | None = None, **given: Any) -> AbstractAsyncContextManager[Bot]:
    """Run the bot with reviewers, and with the server as its model, if there is one."""
    model = {"groq_api_key": "gsk_local", "groq_base_url": groq.url} if groq else {}
    return harness.bot(**{"review_channel": PEOPLE, **model, **given})


def environment(groq: GroqServer) -> dict[str, str]:
    """Return the settings of a bot's process for reviewers and models."""
    return {"ASKBACK_REVIEW_CHANNEL": PEOPLE, "GROQ_API_KEY": "gsk_local", "GROQ_BASE_URL": groq.url}


def cards(harness: Harness) -> list[Message]:
    """Return all cards in the review channel, in order."""
    bot = harness.playground.bot_user_id
    return [one for one in harness.playground.messages(PEOPLE) if one.get("user") == bot and "thread_ts" not in one]


async def open_card(harness: Harness) -> Message:
    """Wait for a card that waits for a decision."""

    def there() -> list[Message]:
        return [one for one in cards(harness) if "Approve" in labels_of(one)]

    return (await harness.playground.until(there, timeout=PATIENCE))[-1]


async def card_saying(harness: Harness, text: str) -> Message:
    """Wait for a card with this text."""
    return (await harness.playground.until(lambda: [one for one in cards(harness) if text in text_of(one)], PATIENCE))[
        -1
    ]


async def said(harness: Harness, root: str, text: str) -> Message:
    """Wait for a message of the bot in a thread with this text."""

    def there() -> list[Message]:
        return [one for one in harness.said(root) if text in text_of(one)]

    return (await harness.playground.until(there, timeout=PATIENCE))[-1]


async def press(harness: Harness, label: str, *, person: str = CHIARA) -> Message:
    """Press a button of the open card, and return the card."""
    card = await open_card(harness)
    await harness.playground.person(person).click(PEOPLE, card["ts"], label=label)
    return card


async def form(harness: Harness, label: str, *, person: str = CHIARA) -> Json:
    """Press a button of the open card, and return the modal that opens."""
    await press(harness, label, person=person)
    return await harness.playground.until(lambda: harness.playground.person(person).open_view, timeout=PATIENCE)


@asynccontextmanager
async def unrecordable(harness: Harness) -> AsyncGenerator[None]:
    """Let Slack accept review cards whose place cannot be recorded while the context is open."""
    async with await psycopg.AsyncConnection.connect(harness.database_url, autocommit=True) as owner:
        await owner.execute(
            "CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END'"
        )
        await owner.execute("CREATE TRIGGER stall BEFORE UPDATE OF card ON asks FOR EACH ROW EXECUTE FUNCTION stall()")
        yield
        await owner.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        await owner.execute("DROP TRIGGER stall ON asks")
