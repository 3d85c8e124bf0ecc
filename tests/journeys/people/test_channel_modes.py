"""Channel modes: who is answered without having called the bot, and who never is."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.conversation.schedule import Cadence
from playground.protocol.faults import FOREVER
from playground.state.workspace import Member
from tests.journeys.harness import (
    ADA,
    BEN,
    PATIENCE,
    SUPPORT,
    Harness,
    Message,
    is_answer,
    is_open_card,
    labels_of,
    text_of,
    until,
)
from tests.journeys.people.test_sharing import copied

DIRECT, EVE = "D0ADA", "U0EVE"
QUESTION = "What is the limit for a hotel night?"
LIMIT = "145 EUR"
AMBIGUOUS = "How many vacation days do we get?"
UNKNOWN = "What is the wage of an astronaut on the moon?"
SOON = Cadence(modes_seconds=0.05)
WEEK = "since - interval '8 days'"


@asynccontextmanager
async def serving(harness: Harness, **given: Any) -> AsyncGenerator[None]:
    """Run the bot, which looks at untagged questions soon."""
    async with harness.bot(cadence=SOON, **{"untagged_after_seconds": 0.3, **given}):
        yield


async def card_of(harness: Harness, holding: str, channel: str = SUPPORT) -> Message:
    """Wait for the channel's card with some text."""

    def there() -> list[Message]:
        ours = [one for one in harness.playground.messages(channel) if "Two clicks on" in text_of(one)]
        return [one for one in ours[-1:] if holding in text_of(one) or holding in labels_of(one)]

    return (await harness.playground.until(there, timeout=PATIENCE))[-1]


async def chosen(harness: Harness, label: str, person: str = ADA) -> None:
    """Let a member choose a mode on a new card, and wait until the card shows it."""
    await harness.ask("mode")
    card = await card_of(harness, label)
    await harness.playground.person(person).click(SUPPORT, card["ts"], label=label)
    await card_of(harness, f"*{label}*")


async def turned_on(harness: Harness) -> None:
    """Let a member choose *Questions*, and turn it on after the shadow week."""
    await chosen(harness, "Questions")
    await aged(harness)
    card = await card_of(harness, "Turn on")
    await harness.playground.person(BEN).click(SUPPORT, card["ts"], label="Turn on")
    await until(lambda: holds(harness, "SELECT FROM channel_modes WHERE is_on AND card_due IS NULL"))
    await harness.settled()


async def aged(harness: Harness) -> None:
    """Let the shadow week be over, and the card be shown again."""
    async with harness.owning() as owner:
        await owner.execute(f"UPDATE channel_modes SET since = {WEEK}, card_due = now()".encode())


async def time_is_over(harness: Harness) -> None:
    """Let the time be over in which people may answer what was asked so far."""
    await harness.settled()
    async with harness.owning() as owner:
        await owner.execute("UPDATE untagged_questions SET due_at = now() WHERE state = 'waiting'")


async def holds(harness: Harness, query: str) -> bool:
    """Tell whether a query finds a row."""
    async with harness.owning() as owner:
        cursor = await owner.execute(query.encode())
        return await cursor.fetchone() is not None


async def judged(harness: Harness) -> None:
    """Wait until no untagged question waits, and all else is done."""
    await harness.settled()
    await until(lambda: lacks(harness, "SELECT FROM untagged_questions WHERE state = 'waiting'"))
    await harness.settled()


async def lacks(harness: Harness, query: str) -> bool:
    """Tell whether a query finds no row."""
    return not await holds(harness, query)


async def asked(harness: Harness, text: str = QUESTION, person: str = ADA) -> str:
    """Post a message that mentions nobody."""
    return await harness.playground.person(person).post(SUPPORT, text)


async def rows_with(harness: Harness, words: str) -> list[str]:
    """Return the tables that hold some words."""
    async with harness.owning() as owner:
        tables = await (
            await owner.execute("SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public'")
        ).fetchall()
        return [
            name
            for (name,) in tables
            if name not in ("documents", "passages")
            and await (
                await owner.execute(f"SELECT FROM {name} t WHERE t::text ILIKE %s LIMIT 1".encode(), (f"%{words}%",))
            ).fetchone()
        ]


def calls_about(harness: Harness, since: int) -> list[str]:
    """Return the calls since a number of calls that people can notice."""
    seen = ("chat.", "reactions.", "assistant.", "agents.", "conversations.open", "views.")
    return [one.method for one in harness.playground.calls()[since:] if one.method.startswith(seen)]


async def kept_from_others(harness: Harness) -> None:
    """Let the newest travel policy be for Ada alone."""
    async with harness.owning() as owner:
        await owner.execute(
            """
            WITH own AS (
                INSERT INTO audiences (workspace, source_id, path, names)
                SELECT workspace, source_id, path, '{person:U0ADA}' FROM documents
                WHERE path LIKE '%travel-policy-2026.md' RETURNING id
            ), moved AS (
                UPDATE documents SET audience_id = own.id FROM own
                WHERE path LIKE '%travel-policy-2026.md' RETURNING documents.id, audience_id
            )
            UPDATE passages SET audience_id = moved.audience_id FROM moved WHERE document_id = moved.id
            """
        )


async def test_nobody_is_answered_without_a_mention_where_nobody_chose_it(harness: Harness) -> None:
    async with serving(harness):
        await asked(harness)
        await judged(harness)

    assert [] == calls_about(harness, 0)
    assert [] == await rows_with(harness, "hotel")


async def test_in_the_shadow_week_nothing_is_posted_and_the_card_shows_what_would_have_been(harness: Harness) -> None:
    async with serving(harness):
        await chosen(harness, "Questions")
        before = len(harness.playground.calls())
        await asked(harness, UNKNOWN, person=BEN)
        await judged(harness)
        question = await asked(harness)
        vague = await asked(harness, AMBIGUOUS, person=BEN)
        card = await card_of(harness, "would have answered 2")
        await judged(harness)
        card = await card_of(harness, "asked back privately")

        assert [] == [one for one in calls_about(harness, before) if one not in ("chat.update", "chat.getPermalink")]
        assert "Travel policy" in text_of(card)
        assert f"/{SUPPORT}/p{question.replace('.', '')}" in text_of(card)
        assert f"/{SUPPORT}/p{vague.replace('.', '')}" in text_of(card)
        assert "Turn on" not in labels_of(card)
        assert [] == [*await rows_with(harness, "hotel"), *await rows_with(harness, "astronaut")]

        await aged(harness)
        assert "Turn on" in labels_of(await card_of(harness, "The shadow week is over"))


async def test_a_question_is_answered_once_in_its_thread_after_a_member_turned_it_on(harness: Harness) -> None:
    async with serving(harness):
        await turned_on(harness)
        before = len(harness.playground.calls())
        question = await asked(harness)
        (answer,) = await harness.answers(question)
        await judged(harness)

        assert LIMIT in text_of(answer)
        assert "Not for you" in labels_of(answer)
        assert not {"assistant.threads.setStatus", "reactions.add", "chat.startStream"} & set(
            calls_about(harness, before)
        )
        assert 1 == len(harness.said(question))

        follow_up = await harness.say("And in Paris?", question)
        assert "190 EUR" in text_of((await harness.answers(question, 2))[-1])
        await harness.say("What is the daily allowance for meals?", question, person=BEN)
        await judged(harness)
        assert follow_up
        assert 2 == len(harness.said(question))


@pytest.mark.parametrize(
    ("text", "word"), [(UNKNOWN, "astronaut"), ("Is there a limit for a hotel night in Paris?", "Paris")]
)
async def test_what_the_documents_do_not_answer_wholly_is_left_to_people_and_leaves_no_words(
    harness: Harness, text: str, word: str
) -> None:
    async with serving(harness):
        await turned_on(harness)
        before = len(harness.playground.calls())
        await asked(harness, text)
        await judged(harness)

    assert [] == calls_about(harness, before)
    assert [] == await rows_with(harness, word)
    assert await lacks(harness, "SELECT FROM untagged_questions")


@pytest.mark.parametrize(
    "text",
    [
        f"<@{BEN}> {QUESTION}",
        f"<!subteam^S0DESK> {QUESTION}",
        f"Ben, can you tell me? {QUESTION}",
        "<https://handbook.lumenpine.example/people/travel-policy-2026>",
        "The limit for a hotel night is 145 EUR.",
        "Can somebody book me a hotel night below the limit?",
        "Should we raise the limit for a hotel night?",
        "thanks!",
    ],
)
async def test_what_is_for_somebody_or_no_question_is_vetoed_before_anything_is_stored(
    harness: Harness, text: str
) -> None:
    async with serving(harness, untagged_after_seconds=600):
        await turned_on(harness)
        before = len(harness.playground.calls())
        await asked(harness, text)
        await harness.settled()

        assert await lacks(harness, "SELECT FROM untagged_questions")
    assert [] == [one.method for one in harness.playground.calls()[before:] if one.method != "auth.test"]


async def test_a_reply_in_a_thread_of_people_is_vetoed(harness: Harness) -> None:
    async with serving(harness, untagged_after_seconds=600):
        await turned_on(harness)
        root = await asked(harness, "I am off to Lisbon.", person=BEN)
        await harness.say(QUESTION, root)
        await harness.settled()

        assert await lacks(harness, "SELECT FROM untagged_questions")


async def test_bots_are_vetoed(harness: Harness) -> None:
    harness.playground.workspace.members[EVE] = Member(id=EVE, name="eve", real_name="Eve", is_bot=True)
    harness.playground.workspace.channels[SUPPORT].members.append(EVE)
    async with serving(harness):
        await turned_on(harness)
        before = len(harness.playground.calls())
        await asked(harness, person=EVE)
        await judged(harness)

    assert [] == calls_about(harness, before)


@pytest.mark.parametrize("way", ["in the thread", "below it", "by a reaction"])
async def test_a_question_that_people_have_taken_up_is_left_to_them(harness: Harness, way: str) -> None:
    async with serving(harness, untagged_after_seconds=600):
        await turned_on(harness)
        before = len(harness.playground.calls())
        question = await asked(harness)
        ben = harness.playground.person(BEN)
        if way == "in the thread":
            await ben.post(SUPPORT, "I think 120.", thread_ts=question)
        elif way == "below it":
            await ben.post(SUPPORT, "I think 120.")
        else:
            await ben.react(SUPPORT, question, "eyes")
        await time_is_over(harness)
        await judged(harness)

    assert [] == calls_about(harness, before)
    assert [] == await rows_with(harness, "hotel")


@pytest.mark.parametrize("when", ["before it was asked", "while it waited"])
async def test_outsiders_in_the_channel_are_a_veto(harness: Harness, when: str) -> None:
    async with serving(harness, untagged_after_seconds=600):
        await turned_on(harness)
        channel = harness.playground.workspace.channels[SUPPORT]
        channel.is_shared = when == "before it was asked"
        before = len(harness.playground.calls())
        await asked(harness)
        await harness.settled()
        channel.is_shared = True
        await time_is_over(harness)
        await judged(harness)

    assert [] == calls_about(harness, before)
    assert await lacks(harness, "SELECT FROM untagged_questions")


async def test_a_sixth_question_of_a_day_is_left_to_people(harness: Harness) -> None:
    async with serving(harness):
        await turned_on(harness)
        async with harness.owning() as owner:
            await owner.execute(
                """
                INSERT INTO untagged_questions (workspace, message_key, channel, ts, person, state, due_at, decided_at)
                SELECT 'default', 'C0SUPPORT:' || n, 'C0SUPPORT', n, 'U', 'handed', now(), now() - n * interval '4.9 h'
                FROM generate_series(0, 4) AS n
                """
            )
        question = await asked(harness)
        await judged(harness)
        assert [] == harness.said(question)

        async with harness.owning() as owner:
            await owner.execute("UPDATE untagged_questions SET decided_at = decided_at - interval '5 h'")
        question = await asked(harness)
        await harness.answers(question)


async def test_two_clicks_on_not_for_you_take_the_answers_away_and_lead_back_to_mentions(harness: Harness) -> None:
    async with serving(harness):
        await turned_on(harness)
        for number in (1, 2):
            question = await asked(harness)
            (answer,) = await harness.answers(question)
            await judged(harness)
            for _ in range(2):  # Clicking twice counts once.
                await harness.playground.person(BEN).click(SUPPORT, answer["ts"], label="Not for you")
            await harness.playground.until(lambda root=question: not harness.said(root), timeout=PATIENCE)
            await harness.settled()
            await harness.playground.person(ADA).edit(SUPPORT, question, "What is the limit for a meal?")
            await judged(harness)
            assert [] == harness.said(question)
            assert (number == 1) == await holds(harness, "SELECT FROM channel_modes WHERE mode = 'questions'")

        card = await card_of(harness, "*Mentions only*")
        assert "were not wanted" in text_of(card)
        before = len(harness.playground.calls())
        await asked(harness)
        await judged(harness)
        assert [] == calls_about(harness, before)


async def test_an_unsure_question_is_asked_back_in_a_direct_message_and_never_in_the_channel(harness: Harness) -> None:
    async with serving(harness):
        await turned_on(harness)
        question = await asked(harness, AMBIGUOUS)
        root = await conversation(harness)
        await harness.click(root, "Porto", channel=DIRECT)
        (answer,) = await harness.answers(root, channel=DIRECT)
        await judged(harness)

        assert "25" in text_of(answer)
        assert [] == harness.said(question)
        assert f"/{SUPPORT}/p{question.replace('.', '')}" in text_of(harness.playground.thread(DIRECT, root)[0])
        assert [] == harness.playground.person(ADA).ephemerals()


async def test_privately_is_a_direct_message_that_its_asker_may_share_once(harness: Harness) -> None:
    async with serving(harness):
        await chosen(harness, "Privately")
        question = await asked(harness)
        root = await conversation(harness)
        (answer,) = await harness.answers(root, channel=DIRECT)
        await judged(harness)
        assert [] == harness.said(question)

        ada = harness.playground.person(ADA)
        harness.playground.faults.lose_answer("chat.postMessage")
        await ada.click(DIRECT, answer["ts"], label="Share in the channel")
        await ada.click(DIRECT, answer["ts"], label="Share in the channel")
        await harness.settled()
        await copied(harness)
        (copy,) = harness.said(question)
        assert LIMIT in text_of(copy)
        assert f"Shared by <@{ADA}>" in text_of(copy)
        assert [] == labels_of(copy)

        await ada.edit(SUPPORT, question, "What is the limit for a hotel night in Paris?")
        await harness.playground.until(
            lambda: any("190 EUR" in text_of(one) for one in harness.said(root, DIRECT)), timeout=PATIENCE
        )
        await judged(harness)
        await copied(harness)
        assert [] == harness.said(question)

        await ada.delete(SUPPORT, question)
        await harness.playground.until(
            lambda: not [one for one in harness.said(root, DIRECT) if is_answer(one)], timeout=PATIENCE
        )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("document", "is not for that channel any more"),
        ("company", "People of another company can read that channel"),
        ("membership", "you are in that channel"),
    ],
)
async def test_what_the_channel_may_not_read_any_more_is_not_shared_and_its_asker_is_told(
    harness: Harness, change: str, why: str
) -> None:
    async with serving(harness):
        await chosen(harness, "Privately")
        question = await asked(harness)
        (answer,) = await harness.answers(await conversation(harness), channel=DIRECT)
        await judged(harness)
        if change == "document":
            await kept_from_others(harness)
        elif change == "membership":
            await harness.playground.person(ADA).leave(SUPPORT)
        else:
            harness.playground.workspace.channels[SUPPORT].is_shared = True
            # As an event in that channel would.
            await harness.playground.person(BEN).post(SUPPORT, "Welcome!")
            await harness.settled()
        await harness.playground.person(ADA).click(DIRECT, answer["ts"], label="Share in the channel")
        assert await harness.ephemeral(ADA, why)
        await harness.settled()

    assert [] == harness.said(question)


async def test_a_channel_with_outsiders_gets_no_card_and_who_asks_for_it_is_told(harness: Harness) -> None:
    harness.playground.workspace.channels[SUPPORT].is_shared = True
    async with serving(harness):
        await harness.ask("mode")
        assert await harness.ephemeral(ADA, "People of another company can read this channel")
        await harness.settled()

    assert 1 == len(harness.playground.person(ADA).ephemerals())
    assert await lacks(harness, "SELECT FROM channel_modes")


async def test_a_private_answer_holds_only_what_the_channel_may_read(harness: Harness) -> None:
    await kept_from_others(harness)
    async with serving(harness):
        await chosen(harness, "Privately")
        await asked(harness)
        (answer,) = await harness.answers(await conversation(harness), channel=DIRECT)
        await judged(harness)

    # The policy of 2024 is for everybody; that of 2026 is Ada's own.
    assert "120 EUR" in text_of(answer)
    assert LIMIT not in text_of(answer)


async def test_edits_and_deletions_before_the_decision_count(harness: Harness) -> None:
    async with serving(harness, untagged_after_seconds=600):
        await turned_on(harness)
        ada = harness.playground.person(ADA)
        deleted = await asked(harness)
        await until(lambda: holds(harness, "SELECT FROM untagged_questions"))
        await ada.delete(SUPPORT, deleted)
        await until(lambda: lacks(harness, "SELECT FROM untagged_questions"))
        edited = await asked(harness, UNKNOWN, person=ADA)
        await until(lambda: holds(harness, "SELECT FROM untagged_questions"))
        await ada.edit(SUPPORT, edited, QUESTION)
        await time_is_over(harness)
        (answer,) = await harness.answers(edited)
        await judged(harness)

        assert LIMIT in text_of(answer)
        assert not [one for one in harness.playground.messages(SUPPORT) if one.get("thread_ts") == deleted]


async def test_edits_and_deletions_of_an_answered_question_count(harness: Harness) -> None:
    async with serving(harness):
        await turned_on(harness)
        question = await asked(harness)
        await harness.answers(question)
        await judged(harness)
        ada = harness.playground.person(ADA)
        await ada.edit(SUPPORT, question, "What is the limit for a hotel night in Paris?")
        await harness.playground.until(lambda: "190 EUR" in text_of(harness.said(question)[0]), timeout=PATIENCE)
        await harness.settled()

        await ada.edit(SUPPORT, question, AMBIGUOUS)
        await harness.playground.until(lambda: not harness.said(question), timeout=PATIENCE)
        await harness.settled()
        assert not any(is_open_card(one) for one in harness.playground.messages(SUPPORT))

        await ada.edit(SUPPORT, question, QUESTION)
        await harness.answers(question)
        await ada.delete(SUPPORT, question)
        await harness.playground.until(lambda: not harness.said(question), timeout=PATIENCE)
        await harness.settled()


async def test_a_failure_is_never_shown_where_nobody_called_the_bot(harness: Harness) -> None:
    async with serving(harness):
        await turned_on(harness)
        before = len(harness.playground.calls())
        harness.playground.faults.fail("chat.postMessage", "internal_error", times=FOREVER)
        question = await asked(harness)
        await judged(harness)
        harness.playground.faults.clear()

        assert [] == harness.said(question)
        assert {"chat.postMessage", "chat.getPermalink"} >= set(calls_about(harness, before))


async def test_a_question_outlives_restarts_and_redelivered_events_and_is_answered_once(harness: Harness) -> None:
    async with serving(harness):
        await turned_on(harness)
    async with harness.bot_process(ASKBACK_UNTAGGED_AFTER_SECONDS="600"):
        harness.playground.faults.duplicate(2)
        question = await asked(harness)
        await until(lambda: holds(harness, "SELECT FROM untagged_questions WHERE state = 'waiting'"))
        assert [] == await rows_with(harness, "hotel")
    async with serving(harness):
        await time_is_over(harness)
        await harness.answers(question)
        await judged(harness)
    async with serving(harness):
        await judged(harness)

    assert 1 == len(harness.said(question))


async def test_who_judged_and_died_is_followed_by_another(harness: Harness) -> None:
    async with serving(harness, untagged_after_seconds=600):
        await turned_on(harness)
        question = await asked(harness)
        await harness.settled()
        async with harness.owning() as owner:
            # As a process leaves it that took the question and died: its lease is over now.
            await owner.execute("UPDATE untagged_questions SET due_at = now() + interval '1 second'")
        await harness.answers(question)
        await judged(harness)
        assert 1 == len(harness.said(question))


async def test_guests_cannot_change_the_mode(harness: Harness) -> None:
    harness.playground.workspace.members["U0GUS"] = Member(id="U0GUS", name="gus", real_name="Gus", is_guest=True)
    harness.playground.workspace.channels[SUPPORT].members.append("U0GUS")
    async with serving(harness, answer_guests=True):
        await harness.ask("mode")
        card = await card_of(harness, "Questions")
        await harness.playground.person("U0GUS").click(SUPPORT, card["ts"], label="Privately")
        await harness.ephemeral("U0GUS", "Only full members")
        assert await holds(harness, "SELECT FROM channel_modes WHERE mode = 'mentions'")


async def conversation(harness: Harness) -> str:
    """Wait for the first message of the direct conversation; return its ts."""
    roots = await harness.playground.until(
        lambda: [one for one in harness.playground.messages(DIRECT) if "our documents may answer" in text_of(one)],
        timeout=PATIENCE,
    )
    return roots[-1]["ts"]
