"""What Prometheus reads of a process: from a Slack payload to the numbers."""

import socket
from contextlib import ExitStack

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.errors import SettingsError
from bot.postgres.pool import Database
from bot.settings import Settings
from bot.telemetry.endpoint import monitored
from tests.journeys.conversations.test_groq import LIMIT, PLAIN, writing
from tests.journeys.harness import Harness
from tests.models.groq_server import GroqServer, Says

AMBIGUOUS = "How many vacation days do I have?"


@pytest.fixture
def address() -> str:
    """An address at which nothing listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{one.getsockname()[1]}"


async def page(address: str) -> str:
    async with aiohttp.ClientSession() as session, session.get(f"http://{address}/metrics") as response:
        assert 200 == response.status
        return await response.text()


async def numbers(address: str) -> dict[str, float]:
    """Return all samples; a sample with labels has their values in its name."""
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(await page(address))
        for sample in family.samples
    }


async def test_a_question_counts_its_run_its_calls_and_its_messages_without_words(
    harness: Harness, address: str
) -> None:
    settings = Settings(metrics_address=address)
    async with (
        GroqServer.serve(writing(Says(LIMIT))) as groq,
        harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url) as bot,
        monitored(settings, bot.database),
    ):
        before = await numbers(address)
        await harness.answers(await harness.ask(PLAIN))
        await harness.settled()
        after = await numbers(address)
        said = await page(address)

    def more(*names: str) -> float:
        return sum(after[name] - before.get(name, 0) for name in after if name.startswith(names))

    assert 1 == more("askback_runs_total answered")
    assert 1 == more("askback_run_seconds_count")
    assert 3 == more("askback_model_calls_total")
    assert more("askback_model_tokens_total") > 0
    assert more("askback_slack_calls_total chat.") >= 1
    assert 1 == after["askback_database_up"]
    assert "hotel" not in said
    assert "U0ADA" not in said


async def test_what_waits_for_a_worker_or_a_person_is_read_from_the_database(harness: Harness, address: str) -> None:
    settings = Settings(metrics_address=address)
    async with harness.bot() as bot, monitored(settings, bot.database):
        await harness.card(await harness.ask(AMBIGUOUS))
        await harness.settled()
        asking = await numbers(address)
    async with harness.bot_process("receive", ASKBACK_METRICS_ADDRESS=address):
        await harness.ask(PLAIN)
        await harness.playground.until(lambda: all(one.settled for one in harness.playground.deliveries()))
        stored = await numbers(address)

    assert (0, 0) == (asking["askback_questions_waiting"], asking["askback_oldest_question_seconds"])
    assert 1 == asking["askback_asks_open clarification"]
    assert 1 == asking["askback_sources read"]
    assert 1 == stored["askback_questions_waiting"]
    assert stored["askback_oldest_question_seconds"] > 0


async def test_another_workspace_is_not_counted(harness: Harness, address: str) -> None:
    settings = Settings(metrics_address=address, workspace="another")
    async with harness.bot() as bot, monitored(settings, bot.database):
        await harness.card(await harness.ask(AMBIGUOUS))
        await harness.settled()
        found = await numbers(address)

    assert not [name for name in found if name.startswith(("askback_asks_open", "askback_sources"))]


async def test_without_its_database_a_process_says_so(harness: Harness, address: str) -> None:
    settings = Settings(metrics_address=address)
    async with Database.open(harness.app_url, size=1, workspace="default") as closed:
        pass
    async with monitored(settings, closed):
        found = await numbers(address)

    assert 0 == found["askback_database_up"]
    assert "askback_questions_waiting" not in found
    assert "process_cpu_seconds_total" in found


async def test_an_address_that_is_taken_is_one_sentence(harness: Harness) -> None:
    with ExitStack() as stack:
        taken = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        async with Database.open(harness.app_url, size=1, workspace="default") as database:
            with pytest.raises(SettingsError, match=f"ASKBACK_METRICS_ADDRESS: {address} cannot be opened"):
                async with monitored(Settings(metrics_address=address), database):
                    pass


async def test_it_is_off_by_default(harness: Harness) -> None:
    assert Settings().metrics_address is None
    async with (
        Database.open(harness.app_url, size=1, workspace="default") as database,
        monitored(Settings(), database),
    ):
        pass


@pytest.mark.parametrize("address", ["9464", "http://localhost:9464", "localhost:", "a b:1"])
def test_an_address_is_a_host_and_a_port(address: str) -> None:
    with pytest.raises(ValueError, match="give a host and a port"):
        Settings.model_validate({"metrics_address": address})
