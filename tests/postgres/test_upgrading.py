"""What an installation holds as it is upgraded still works after it: open questions, and answers under review."""

from collections.abc import AsyncGenerator
from datetime import timedelta

import psycopg
import pytest
from alembic import command
from alembic.config import Config

from bot.conversation import store
from bot.conversation.address import PersonId, Ts
from bot.conversation.asks import ask_store
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.inputs import Click, ClickTaken
from bot.conversation.intake import Inbox
from bot.conversation.reviews.review import Decision, Review
from bot.conversation.reviews.review_intake import ReviewDoor
from bot.conversation.turns import entry_store
from bot.postgres.migrations import migrate
from bot.postgres.pool import Database
from docs.generated import ROOT
from graph.turn import Choice
from tests.databases import as_app
from tests.fakes import TurnedClock
from tests.postgres.test_migrations import empty

THREAD = "T0:C0:100.000000"
BEFORE = "0026"
HELD = """
    INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, address, content, status, due_at,
                       reference, received_at)
    SELECT 'slack', 'one', 'T0:C0:100.000000', number, kind, event_key,
           '{"team": "T0", "channel": "C0", "thread_ts": "100.000000", "message_ts": "100.000000", "person": "UADA",
             "person_team": "T0"}',
           content::jsonb, status, now(), event_key, now()
    FROM (VALUES
        (1, 'turn', 'Ev1', '{"question": "Which one?"}', 'finished'),
        (2, 'reply', 'click:1', '{"clarification_id": 1, "choice": {"kind": "just_answer"}}', 'waiting'),
        (3, 'review', 'review:1', '{"review_id": 1, "answer_of": 1}', 'finished'),
        (4, 'ruling', 'ruling:2', '{"review_id": 2, "answer_of": 1}', 'waiting')
    ) AS held (number, kind, event_key, content, status);

    INSERT INTO attempts (workspace, inbox_id, begun, allowed, again, said, error, place, reason, failed_at)
    VALUES ('one', 2, 2, 4, true, '{"text": "It is", "sources": []}', 'ValueError', 'graph/run.py:1', 'no', now());

    INSERT INTO clarifications (workspace, token, inbox_id, thread_id, interrupt_id, asker, about, question, options,
                                status, choice, answered_by, answered_at, asked_at, remind_at, due_at)
    SELECT 'one', token, 1, thread_id, 'i', 'UADA', 'Which one?', 'Desk or Pine?',
           '[{"id": "a", "label": "Desk"}, {"id": "b", "label": "Pine"}]', status, choice::jsonb, answered_by,
           answered_at::timestamptz, now(), now(), now() + interval '1 day'
    FROM (VALUES
        ('answered', 'answered', 'T0:C0:99.000000', '{"kind": "option", "value": "a", "label": "Desk"}', 'UBEN', 'now'),
        ('assumed', 'assumed', 'T0:C0:99.000000', '{"kind": "option", "value": "b", "label": "Pine"}', NULL, 'now'),
        ('open', 'open', 'T0:C0:100.000000', NULL, NULL, NULL)
    ) AS held (token, status, thread_id, choice, answered_by, answered_at);

    INSERT INTO reviews (workspace, token, inbox_id, thread_id, key, interrupt_id, packet, status, requester, reviewer,
                         words, card_channel, card_ts, opened_at, due_at)
    SELECT 'one', token, 1, 'T0:C0:100.000000', key, 'i', jsonb_build_object('key', key, 'draft', 'It is 25.'), status,
           NULL, reviewer, words, 'CDESK', '7.000000', now(), now() + interval '1 day'
    FROM (VALUES
        ('looked at', 'open', '1', NULL, ''),
        ('edited', 'edited', '2', 'UBEN', 'It is 26.')
    ) AS held (token, status, key, reviewer, words)
"""


@pytest.fixture
async def upgraded(server_url: str) -> AsyncGenerator[Database]:
    """A database with questions and reviews of before, as this version has it."""
    with empty(server_url) as url:
        config = Config()
        config.set_main_option("script_location", str(ROOT / "alembic"))
        config.attributes["url"] = url
        command.upgrade(config, BEFORE)
        with psycopg.connect(url) as owner:
            owner.execute(HELD)
        migrate(url)
        async with Database.open(as_app(url), size=4, workspace="one") as database:
            yield database


async def test_a_click_on_a_question_of_before_counts(upgraded: Database) -> None:
    click = Click(
        event_key="k", token="open", choice=Choice(kind="option", value="b"), thread_id=THREAD,
        person=PersonId("UADA"), clicked_at=Ts("200.000000"),
    )  # fmt: skip

    assert ClickTaken() == await Inbox(upgraded, TurnedClock(), workspace="one", surface="slack").choose(click)

    async with upgraded.transaction("one") as connection:
        asked = await ask_store.by_token(connection, Clarification, "open")
    assert asked
    assert ("decided", "Pine", "UADA") == (asked.status, asked.choice and asked.choice.label, asked.decided_by)


async def test_a_review_of_before_can_be_decided(upgraded: Database) -> None:
    door = ReviewDoor(upgraded, TurnedClock(), workspace="one", expire_after=timedelta(hours=1))
    decision = Decision(
        event_key="k", token="looked at", kind="approved", person=PersonId("UBEN"), decided_at=Ts("200.000000")
    )

    assert await door.decide(decision) is None

    async with upgraded.transaction("one") as connection:
        cursor = await connection.execute("SELECT content FROM inbox WHERE kind = 'ruling' ORDER BY id DESC LIMIT 1")
        (row,) = await cursor.fetchall()
        review = await ask_store.by_id(connection, Review, row["content"]["ask_id"])
    assert review
    assert ("looked at", "approved", "7.000000") == (review.token, review.outcome, review.card and review.card.ts)


async def test_what_was_decided_before_stays_so_and_what_waits_to_apply_it_finds_it(upgraded: Database) -> None:
    async with upgraded.transaction("one") as connection:
        cursor = await connection.execute(
            "SELECT kind, content ->> 'ask_id' AS ask_id FROM inbox WHERE status = 'waiting' ORDER BY position"
        )
        reply, ruling = await cursor.fetchall()
        answered = await ask_store.by_id(connection, Clarification, int(reply["ask_id"]))
        edited = await ask_store.by_id(connection, Review, int(ruling["ask_id"]))
        assumed = await ask_store.by_token(connection, Clarification, "assumed")

    assert answered
    assert ("decided", "Desk") == (answered.status, answered.choice and answered.choice.label)
    assert edited
    assert ("edited", "It is 26.", "UBEN") == (edited.outcome, edited.words, edited.decided_by)
    assert assumed
    assert ("offered", "Pine") == (assumed.status, assumed.choice and assumed.choice.label)


async def test_what_was_tried_before_counts_and_what_was_never_tried_is_fresh(upgraded: Database) -> None:
    async with upgraded.transaction("one") as connection:
        tried, fresh = [await store.attempt_of(connection, item_id) for item_id in (2, 4)]
        (entry,) = await entry_store.entries(connection, workspace="one", states=(), limit=1, reference="click:1")
        cursor = await connection.execute("SELECT id FROM inbox WHERE runs_again AND partial ->> 'text' = 'It is'")
        again = [row["id"] for row in await cursor.fetchall()]

    assert ((2, 4), (0, 3)) == ((tried.number, tried.allowed), (fresh.number, fresh.allowed))
    assert ("ValueError", "graph/run.py:1", "no") == (entry.error, entry.place, entry.reason)
    assert entry.failed_at
    assert [2] == again
