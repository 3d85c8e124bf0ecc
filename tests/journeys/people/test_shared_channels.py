"""In a channel that another company reads, our people get their answers in a direct message."""

from copy import deepcopy

import pytest

from playground.protocol.faults import FOREVER
from playground.state.workspace import Member
from tests.journeys.changes.test_changes import AMBIGUOUS
from tests.journeys.changes.test_revisions import OFTEN
from tests.journeys.harness import ADA, PATIENCE, SUPPORT, Harness, Message, is_answer, text_of

EVE, DIRECT = "U0EVE", "D0ADA"
QUESTION = "What is the limit for a hotel night?"
LIMIT = "145 EUR"


@pytest.fixture
def shared(harness: Harness) -> Harness:
    """The harness, with a support channel that another company shares."""
    share(harness)
    return harness


def share(harness: Harness) -> None:
    """Let another company into the support channel. Slack tells the bot with the next event from there only."""
    workspace = harness.playground.workspace
    workspace.members[EVE] = Member(id=EVE, name="eve", real_name="Eve", team_id="T0ACME")
    workspace.channels[SUPPORT].members.append(EVE)
    workspace.channels[SUPPORT].is_shared = True


def ours(harness: Harness, channel: str) -> list[Message]:
    """Return the bot's messages in a channel, in order."""
    return [one for one in harness.playground.messages(channel) if one.get("user") == harness.playground.bot_user_id]


async def conversation(harness: Harness, *, count: int = 1) -> str:
    """Wait for the first messages of direct conversations; return the last one's root."""
    roots = await harness.playground.until(
        lambda: (
            found
            if len(found := [one for one in ours(harness, DIRECT) if "You asked me" in text_of(one)]) >= count
            else []
        ),
        timeout=PATIENCE,
    )
    return roots[-1]["ts"]


async def test_a_question_is_answered_in_a_direct_message_that_links_to_it(shared: Harness) -> None:
    async with shared.bot():
        asked = await shared.ask(QUESTION)
        root = await conversation(shared)
        (answer,) = await shared.answers(root, channel=DIRECT)
        told = await shared.ephemeral(ADA, "I answer you in a direct message")
        await shared.say("Thanks, and what do you think, Eve?", asked)
        await shared.ask("And for me?", person=EVE)
        await shared.settled()

        followed_up = await shared.say("And how many vacation days do I have in Porto?", root, channel=DIRECT)
        await shared.answers(root, 2, channel=DIRECT)
        await shared.settled()

    assert LIMIT in text_of(answer)
    assert f"/{SUPPORT}/p{asked.replace('.', '')}" in text_of(shared.playground.thread(DIRECT, root)[0])
    assert told["ts"] in shared.playground.workspace.channels[SUPPORT].ephemerals
    assert followed_up
    assert [] == ours(shared, SUPPORT)
    assert "" == shared.playground.status(SUPPORT, asked)


async def test_choosing_editing_stopping_and_deleting_hold_there_too(shared: Harness) -> None:
    async with shared.bot():
        asked = await shared.ask(AMBIGUOUS)
        root = await conversation(shared)
        await shared.click(root, "Porto", channel=DIRECT)
        (answer,) = await shared.answers(root, channel=DIRECT)
        await shared.settled()
        assert "25" in text_of(answer)

        ada, mention = shared.playground.person(ADA), f"<@{shared.playground.bot_user_id}>"
        await ada.edit(SUPPORT, asked, f"{mention} {QUESTION}")
        await shared.playground.until(
            lambda: LIMIT in "".join(text_of(one) for one in shared.said(root, DIRECT)), timeout=PATIENCE
        )
        await shared.settled()

        await ada.delete(SUPPORT, asked)
        await shared.playground.until(
            lambda: not [one for one in shared.said(root, DIRECT) if is_answer(one)], timeout=PATIENCE
        )
        await shared.settled()

    assert [] == ours(shared, SUPPORT)


async def test_a_conversation_is_begun_once_whatever_is_lost_on_the_way(shared: Harness) -> None:
    shared.playground.faults.lose_answer("chat.postMessage")
    shared.playground.faults.fail("conversations.open", times=2)
    async with shared.bot():
        await shared.ask(QUESTION)
        await shared.answers(await conversation(shared), channel=DIRECT)
        await shared.settled()

    assert 1 == len([one for one in ours(shared, DIRECT) if "You asked me" in text_of(one)])


async def test_who_cannot_be_written_to_is_told_beside_the_question_and_nobody_else(shared: Harness) -> None:
    shared.playground.faults.fail("conversations.open", "cannot_dm_bot", times=FOREVER)
    async with shared.bot():
        await shared.ask(QUESTION)
        await shared.ephemeral(ADA, "I could not answer this")
        await shared.settled()

    assert [] == ours(shared, SUPPORT)


async def test_who_could_not_be_checked_there_is_answered_in_a_direct_message_in_the_end(shared: Harness) -> None:
    shared.playground.faults.fail("users.info", times=FOREVER)
    async with shared.bot():
        await shared.ask(QUESTION)
        told = await shared.ephemeral(ADA, "could not check")
        await shared.settled()
        shared.playground.faults.clear()
        await shared.playground.person(ADA).click(SUPPORT, told["ts"], label="Retry")
        await shared.answers(await conversation(shared), channel=DIRECT)
        await shared.settled()

    assert [] == ours(shared, SUPPORT)


async def test_nobody_is_answered_there_where_a_setting_says_so(shared: Harness) -> None:
    async with shared.bot(in_shared_channels="silent"):
        await shared.ask(QUESTION)
        (answer,) = await shared.answers(await shared.ask(QUESTION, channel="C0PEOPLE"), channel="C0PEOPLE")
        await shared.settled()

    assert LIMIT in text_of(answer)
    assert ([], []) == (ours(shared, SUPPORT), ours(shared, DIRECT))
    assert [] == shared.playground.person(ADA).ephemerals()


async def asked_before(harness: Harness) -> tuple[str, list[Message]]:
    """Let the bot ask back, then share the channel; return the question and what stands in its thread."""
    async with harness.bot():
        asked = await harness.ask(AMBIGUOUS)
        await harness.card(asked)
        await harness.settled()
    share(harness)
    return asked, deepcopy(harness.said(asked))


@pytest.mark.parametrize(("label", "answers"), [("Porto", "private"), ("Just answer", "silent")])
async def test_a_card_from_before_the_channel_was_shared_takes_no_click(
    harness: Harness, label: str, answers: str
) -> None:
    asked, before = await asked_before(harness)
    async with harness.bot(in_shared_channels=answers):
        await harness.click(asked, label)
        await harness.ephemeral(ADA, "Please ask me in a direct message")
        await harness.settled()

    assert before == harness.said(asked)
    async with harness.owning() as owner:
        assert [] == await (await owner.execute("SELECT * FROM inbox WHERE kind = 'reply'")).fetchall()


async def test_nor_words_that_were_typed_into_its_modal(harness: Harness) -> None:
    asked, before = await asked_before(harness)
    harness.playground.workspace.channels[SUPPORT].is_shared = False
    async with harness.bot():
        await harness.click(asked, "Something else…")
        view = await harness.playground.until(lambda: harness.playground.person(ADA).open_view)
        await harness.settled()
    share(harness)
    async with harness.bot():
        refused = await harness.playground.person(ADA).submit(view, {"typed_answer": "Porto, for Ben"})
        await harness.settled()

    assert "Please ask me in a direct message" in refused["errors"]["typed_answer"]
    assert [] == harness.playground.person(ADA).ephemerals()
    assert before == harness.said(asked)


async def test_if_slack_does_not_say_who_reads_a_channel_a_click_changes_nothing(harness: Harness) -> None:
    asked, before = await asked_before(harness)
    harness.playground.faults.fail("conversations.info", times=FOREVER)
    async with harness.bot():
        await harness.click(asked, "Porto")
        await harness.ephemeral(ADA, "I could not check who can read this channel")
        await harness.settled()

    assert before == harness.said(asked)


async def test_what_runs_by_itself_there_goes_to_the_asker_alone(harness: Harness) -> None:
    """The question is answered without a choice when its time is over, for an example."""
    asked, before = await asked_before(harness)
    async with harness.owning() as owner:
        await owner.execute("UPDATE asks SET due_at = now()")
    async with harness.bot(cadence=OFTEN):
        await harness.playground.until(
            lambda: [one for one in ours(harness, DIRECT) if is_answer(one)], timeout=PATIENCE
        )
        await harness.settled()

    (answer,) = ours(harness, DIRECT)
    assert "People of another company can read that" in text_of(answer)
    assert before == harness.said(asked)


async def test_a_question_from_before_that_is_edited_is_answered_to_its_asker_alone(harness: Harness) -> None:
    async with harness.bot():
        asked = await harness.ask(AMBIGUOUS)
        await harness.card(asked)
        await harness.settled()
        share(harness)
        mention = f"<@{harness.playground.bot_user_id}>"
        await harness.playground.person(ADA).edit(SUPPORT, asked, f"{mention} {QUESTION}")
        await harness.playground.until(
            lambda: [one for one in ours(harness, DIRECT) if is_answer(one)], timeout=PATIENCE
        )
        await harness.settled()

    assert not any(LIMIT in text_of(one) for one in harness.said(asked))
