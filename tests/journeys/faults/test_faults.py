"""Despite doubled, lost and refused calls, every question gets exactly one visible, current answer, in order."""

import asyncio
import contextlib
import tempfile
from pathlib import Path

from slack_sdk.web.async_client import AsyncWebClient

from benchmarks.databases import as_app, let_serve
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres import embedded
from bot.postgres.migrations import migrate
from bot.postgres.pool import Database
from playground import Playground
from playground.protocol.faults import FOREVER
from tests.journeys.harness import ADA, BEN, PATIENCE, Harness, Message, is_answer, labels_of, text_of
from tests.models.groq_server import Fails, GroqServer
from tests.support.databases import keep_port

AMBIGUOUS = "How many vacation days do I have?"
PLAIN = "What is the limit for a hotel night?"


async def test_an_event_that_comes_several_times_is_answered_once(harness: Harness) -> None:
    harness.playground.faults.duplicate(2)
    async with harness.bot():
        root = await harness.ask(PLAIN)
        await harness.answers(root)
        await harness.settled()

    assert 4 <= sum(len(one.attempts) for one in harness.playground.deliveries())
    assert 1 == len(harness.said(root))


async def test_events_whose_acknowledgement_is_lost_come_again_and_are_answered_once(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(PLAIN)
        harness.playground.cut_sockets()
        await harness.answers(root)
        await harness.settled()

    assert 1 == len(harness.said(root))


async def test_two_messages_within_50_ms_are_answered_in_their_order(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(PLAIN)
        await harness.ask("How many vacation days do people in Porto get?", root=root, person=BEN)
        first, second = await harness.answers(root, 2)

    assert "145" in text_of(first)
    assert "25" in text_of(second)


async def test_of_two_people_and_twenty_clicks_one_counts(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        card = await harness.card(root)
        people = [harness.playground.person(ADA), harness.playground.person(BEN)]
        labels = ["Porto", "Hamburg"]
        for number in range(20):
            await people[number % 2].click("C0SUPPORT", card["ts"], label=labels[number // 2 % 2])
        await harness.answers(root)
        await harness.settled()

        assert 1 == len([one for one in harness.said(root) if is_answer(one)])
        explained = await harness.playground.until(lambda: [one for person in people for one in person.ephemerals()])
        assert all("already" in text_of(one) for one in explained)


async def test_a_click_that_is_delivered_and_pressed_twice_is_not_reproached(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        card = await harness.card(root)
        ada = harness.playground.person(ADA)
        harness.playground.faults.duplicate()
        for _ in range(3):
            await ada.click("C0SUPPORT", card["ts"], label="Porto")
        await harness.answers(root)
        await harness.settled()

    assert [] == ada.ephemerals()
    assert 1 == len([one for one in harness.said(root) if is_answer(one)])


async def test_a_forged_click_is_explained_and_consumes_nothing(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        card = await harness.card(root)
        button = next(one for block in card["blocks"] for one in block.get("elements", []) if "value" in one)
        kept, button["value"] = button["value"], "guessed|0"
        await harness.playground.person(BEN).click("C0SUPPORT", card["ts"], value="guessed|0")
        await harness.playground.until(lambda: harness.playground.person(BEN).ephemerals())
        button["value"] = kept

        await harness.click(root, "Porto")
        assert "25" in text_of((await harness.answers(root))[0])


async def test_cut_connections_in_the_middle_lose_nothing(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(PLAIN)
        async with harness.owning() as owner:
            await owner.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
        other = await harness.ask("How many vacation days do people in Porto get?")
        await harness.answers(root)
        await harness.answers(other)
        await harness.settled()

    assert (1, 1) == (len(harness.said(root)), len(harness.said(other)))


async def test_a_database_restart_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "travel.md").write_text("# Travel\n\n## Hotels\n\nThe limit for a hotel night is 145 EUR.\n", "utf-8")
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        keep_port(Path(folder))
        url = stack.enter_context(embedded.running(Path(folder), {"fsync": "off"}))
        let_serve(url)
        await asyncio.to_thread(migrate, url)
        async with Database.open(as_app(url), size=2, workspace="default") as database:
            await ingest(database, load_embedding("english"), "default", [tmp_path])
        # Slack's last attempt comes long after the restart, however busy the machine is.
        async with Playground.open(ack_seconds=1.0, retry_pauses=(0.5, 2.0, 4.0, 10.0, 30.0, 60.0)) as playground:
            harness = Harness(playground, url)
            async with harness.bot():
                before = await harness.ask(PLAIN)
                await asyncio.to_thread(embedded.stop, Path(folder))
                meanwhile = await harness.ask(PLAIN)
                await asyncio.to_thread(embedded.start, Path(folder), {"fsync": "off"})
                for root in (before, meanwhile):
                    (answer,) = await harness.answers(root)
                    assert "145 EUR" in text_of(answer)
                await harness.settled()

            assert (1, 1) == (len(harness.said(before)), len(harness.said(meanwhile)))


async def test_where_streams_are_refused_the_same_answer_appears_by_updates(harness: Harness) -> None:
    harness.playground.faults.refuse_streaming()
    async with harness.bot():
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)

    assert "145 EUR" in text_of(answer)
    assert 1 == len(harness.said(root))


async def test_what_slack_refuses_for_good_is_not_called_with_every_question(harness: Harness) -> None:
    harness.playground.faults.fail("assistant.threads.setStatus", "missing_scope", times=FOREVER)
    async with harness.bot():
        for _ in range(3):
            (answer,) = await harness.answers(await harness.ask(PLAIN))
            assert "145 EUR" in text_of(answer)

    assert 1 == len(harness.playground.calls("assistant.threads.setStatus"))


async def test_slacks_refusals_for_haste_are_waited_out(harness: Harness) -> None:
    for method in ("chat.startStream", "chat.stopStream", "chat.postMessage", "chat.update"):
        harness.playground.faults.fail(method, "ratelimited", status=429)
    async with harness.bot():
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)
        ambiguous = await harness.ask(AMBIGUOUS)
        await harness.card(ambiguous)

    assert "145 EUR" in text_of(answer)


async def test_where_slack_refuses_the_post_the_asker_gets_a_direct_message(harness: Harness) -> None:
    for method in ("chat.startStream", "chat.postMessage"):
        harness.playground.faults.fail(method, "not_in_channel", times=1)
    async with harness.bot():
        await harness.ask(PLAIN)
        direct = await harness.playground.until(
            lambda: [one for one in harness.playground.messages("D0ADA") if "145 EUR" in text_of(one)]
        )

    assert 1 == len(direct)


async def test_a_run_that_keeps_failing_ends_in_a_plain_message_and_retry_answers(harness: Harness) -> None:
    async with harness.bot():
        async with harness.owning() as owner:
            await owner.execute("ALTER TABLE passages RENAME TO lost_passages")
            root = await harness.ask(PLAIN)
            failure = await failure_in(harness, root)
            assert "something went wrong" in text_of(failure)
            await owner.execute("ALTER TABLE lost_passages RENAME TO passages")
        await retry(harness, failure)
        (answer,) = await harness.answers(root)

    assert "145 EUR" in text_of(answer)
    assert 1 == len(harness.said(root))


async def test_a_card_that_a_question_had_closed_is_open_again_where_that_keeps_failing(harness: Harness) -> None:
    async with harness.bot():
        async with harness.owning() as owner:
            root = await harness.ask(AMBIGUOUS)
            card = await harness.card(root)
            await harness.settled()
            await owner.execute("ALTER TABLE passages RENAME TO lost_passages")
            await harness.ask(PLAIN, root=root)
            await failure_in(harness, root)
            await harness.settled()
            await owner.execute("ALTER TABLE lost_passages RENAME TO passages")
        assert card["ts"] == (await harness.card(root))["ts"]
        await harness.click(root, "Porto")
        (answer,) = await harness.answers(root)

    assert "25" in text_of(answer)


async def test_a_card_that_could_not_be_posted_is_posted_when_a_person_retries(harness: Harness) -> None:
    harness.playground.faults.fail("chat.postMessage", "invalid_blocks", times=3)
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        failure = await failure_in(harness, root)
        await retry(harness, failure)
        await harness.click(root, "Porto")
        (answer,) = await harness.answers(root)

    assert "25" in text_of(answer)


async def test_an_answer_reached_by_retry_can_be_rated(harness: Harness) -> None:
    async with harness.bot(), harness.owning() as owner:
        await owner.execute("ALTER TABLE passages RENAME TO lost_passages")
        root = await harness.ask(PLAIN)
        failure = await failure_in(harness, root)
        await owner.execute("ALTER TABLE lost_passages RENAME TO passages")
        await retry(harness, failure)
        (answer,) = await harness.answers(root)
        await harness.settled()
        await harness.playground.person(BEN).click("C0SUPPORT", answer["ts"], value="good")
        await harness.settled()

        assert [(BEN, "good")] == await (await owner.execute("SELECT person, verdict FROM feedback")).fetchall()


async def test_what_failed_and_was_answered_then_is_known_as_an_answer_and_goes_with_its_question(
    harness: Harness,
) -> None:
    async with harness.bot(), harness.owning() as owner:
        await owner.execute("ALTER TABLE passages RENAME TO lost_passages")
        root = await harness.ask(PLAIN)
        failure = await failure_in(harness, root)
        await owner.execute("ALTER TABLE lost_passages RENAME TO passages")
        await retry(harness, failure)
        (answer,) = await harness.answers(root)
        await harness.settled()
        known = await (await owner.execute("SELECT kind, ts FROM messages")).fetchall()

        await harness.playground.person(ADA).delete("C0SUPPORT", root)
        await harness.playground.until(lambda: not harness.said(root))
        await harness.settled()

        assert [("answer", answer["ts"])] == known
        assert [] == await (await owner.execute("SELECT FROM messages")).fetchall()
    assert 1 == len(harness.playground.calls("chat.delete"))


async def test_where_an_answer_was_taken_away_and_its_redo_failed_the_next_one_takes_the_place_of_the_failure(
    harness: Harness,
) -> None:
    async with harness.bot(), harness.owning() as owner:
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)
        await harness.settled()
        await AsyncWebClient(harness.playground.bot_token, base_url=harness.playground.api_url).chat_delete(
            channel="C0SUPPORT", ts=answer["ts"]
        )
        await owner.execute("ALTER TABLE passages RENAME TO lost_passages")
        bot = harness.playground.bot_user_id
        await harness.playground.person(ADA).edit("C0SUPPORT", root, f"<@{bot}> What may a hotel night cost at most?")
        failure = await failure_in(harness, root)
        await harness.settled()
        await owner.execute("ALTER TABLE lost_passages RENAME TO passages")
        await retry(harness, failure)
        (after,) = await harness.answers(root)
        await harness.settled()

    assert [failure["ts"]] == [after["ts"]] == [one["ts"] for one in harness.said(root)]


async def test_when_groq_is_down_the_documents_are_quoted_and_it_says_so(harness: Harness) -> None:
    async with (
        GroqServer.serve(lambda _request: Fails(503)) as groq,
        harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url),
    ):
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)

    assert "145 EUR" in text_of(answer)
    assert "could not be reached" in text_of(answer)


async def failure_in(harness: Harness, root: str) -> Message:
    """Wait for the message that there will be no answer."""
    shown = await harness.playground.until(
        lambda: [one for one in harness.said(root) if "Retry" in str(labels_of(one))], timeout=PATIENCE
    )
    return shown[0]


async def retry(harness: Harness, failure: Message) -> None:
    """Press the message's Retry button after its run has ended. Other tests cover a press before that."""
    await harness.settled()
    label = next(label for label in labels_of(failure) if "Retry" in label)
    await harness.playground.person(ADA).click("C0SUPPORT", failure["ts"], label=label)
