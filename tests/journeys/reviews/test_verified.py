"""An answer that a person kept is told to others who ask the same, where it may be read, as long as it holds."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.conversation.schedule import Cadence
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from playground.wire import Json
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, Message, labels_of, text_of
from tests.journeys.reviewing import (
    CHIARA,
    DEV,
    HOTEL,
    PEOPLE,
    PORTO,
    card_saying,
    cards,
    form,
    open_card,
    press,
    reviewed,
    unsure,
)
from tests.journeys.reviews.test_flags import flag
from tests.journeys.reviews.test_flags import told_once as flagged_once
from tests.models.groq_server import GroqServer, Reply
from tests.models.obliging import reading

EDITED = "It is 145 EUR [1], and 180 EUR in Lisbon. <!channel> Ask <@U0DEV>."
GENERAL = "C0GENERAL"


@pytest.fixture
async def groq() -> AsyncGenerator[GroqServer]:
    """A model whose drafts about hotels fall short."""
    async with GroqServer.serve(unsure) as server:
        yield server


async def edited(harness: Harness, *, channel: str = SUPPORT) -> str:
    """Ask, and let a reviewer write the answer; return the question's ts."""
    root = await harness.ask(HOTEL, channel=channel)
    view = await form(harness, "Edit…")
    await harness.playground.person(CHIARA).submit(view, {"review_edited:0": EDITED})
    await card_saying(harness, "Edited by")
    await harness.settled()
    return root


async def keepable_card(harness: Harness) -> Message:
    """Wait for a card with the button that keeps its answer."""

    def there() -> list[Message]:
        return [one for one in cards(harness) if "Keep this answer" in labels_of(one)]

    return (await harness.playground.until(there, timeout=PATIENCE))[-1]


async def keep(harness: Harness, *, person: str = CHIARA) -> Message:
    """Keep the answer of the last card, and return the card as it is then."""
    card = await keepable_card(harness)
    await harness.playground.person(person).click(PEOPLE, card["ts"], label="Keep this answer")
    return await card_saying(harness, "as a verified answer")


async def told(harness: Harness, question: str = HOTEL, *, person: str = BEN, channel: str = SUPPORT) -> str:
    """Ask and return the answer."""
    root = await harness.ask(question, person=person, channel=channel)
    (answer,) = await harness.answers(root, channel=channel)
    await harness.settled()
    return text_of(answer)


def sent(harness: Harness, *channels: str) -> str:
    """Return all that was ever sent to some channels."""
    return str([call.arguments for call in harness.playground.calls() if call.arguments.get("channel") in channels])


async def test_an_answer_that_a_reviewer_wrote_and_kept_is_told_to_somebody_else_in_another_thread(
    harness: Harness, groq: GroqServer
) -> None:
    async with reviewed(harness, groq):
        await edited(harness)
        card = await keep(harness)
        asked = len(groq.requests)
        answer = await told(harness, "what's the hotel night limit?")
        calls = len(groq.requests) - asked

    assert "It is 145 EUR [1], and 180 EUR in Lisbon." in answer
    assert "Verified by @chiara" in answer
    assert "Travel" in answer
    assert ["Edit…", "Retire"] == labels_of(card)
    assert 1 == calls, "It is understood, and nothing is written."
    assert not [bad for bad in ("<!channel>", "<@U0DEV>", f"<@{CHIARA}>, ") if bad in answer]


async def test_an_approved_answer_of_the_bots_own_is_kept_by_any_reviewer_once(harness: Harness) -> None:
    async with reviewed(harness):
        root = await harness.ask(PORTO)
        (first,) = await harness.answers(root)
        await harness.playground.person(ADA).click(SUPPORT, first["ts"], label="Ask a human")
        await press(harness, "Approve")
        card = await keepable_card(harness)
        await harness.playground.person(DEV).click(PEOPLE, card["ts"], label="Keep this answer")
        await card_saying(harness, f"Kept by <@{DEV}>")
        await harness.settled()
        answer = await told(harness, PORTO)

    assert "Verified by @dev" in answer


async def test_words_are_kept_by_the_person_who_wrote_them_alone(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq):
        await edited(harness)
        card = await keepable_card(harness)
        await harness.playground.person(DEV).click(PEOPLE, card["ts"], label="Keep this answer")
        assert await harness.ephemeral(DEV, f"Only <@{CHIARA}>, who wrote this")
        await harness.settled()

    assert "Verified by" not in sent(harness, SUPPORT)
    assert "verified answer" not in sent(harness, PEOPLE)


async def test_what_was_retired_is_told_no_more(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq):
        await edited(harness)
        card = await keep(harness)
        await harness.playground.person(DEV).click(PEOPLE, card["ts"], label="Retire")
        retired = await card_saying(harness, f"Retired by <@{DEV}>")
        root = await harness.ask(HOTEL, person=BEN)
        await open_card(harness)
        await harness.settled()

    assert [] == labels_of(retired)
    assert "Verified by" not in str(harness.said(root))


async def revise(harness: Harness, card: Message, text: str, *, person: str = CHIARA, channel: str = PEOPLE) -> Json:
    """Press "Edit…" below a verified answer, and keep another text; return the bot's response."""
    who = harness.playground.person(person)
    await who.click(channel, card["ts"], label="Edit…")
    view = await harness.playground.until(lambda: who.open_view, timeout=PATIENCE)
    return await who.submit(view, {"kept_revised:0": text})


async def test_a_reviewer_tells_a_kept_answer_in_other_words(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq):
        await edited(harness)
        card = await keep(harness)
        empty = await revise(harness, card, " ", person=DEV)
        assert "Please write the answer." in str(empty)
        view = harness.playground.person(DEV).open_view
        assert view
        await harness.playground.person(DEV).submit(view, {"kept_revised:0": "It is 150 EUR [1] [7]. <!channel>"})
        await harness.ephemeral(DEV, "in your words")
        answer = await told(harness)

    assert "It is 150 EUR" in answer
    assert "Verified by @dev" in answer
    assert not [bad for bad in ("[7]", "<!channel>", "180 EUR") if bad in answer]


async def test_a_colleagues_words_are_edited_by_them_alone(harness: Harness) -> None:
    async with reviewed(harness):
        root = await asked_a_human(harness)
        offer = await offered(harness, root)
        await harness.playground.person(CHIARA).click(SUPPORT, offer["ts"], label="Keep this answer")
        done = await harness.ephemeral(CHIARA, "I keep this as a verified answer")
        # Only the colleague sees the button, so somebody else has to forge the click.
        done["visible_to"] = BEN
        await harness.playground.person(BEN).click(SUPPORT, done["ts"], label="Edit…")
        await harness.ephemeral(BEN, f"Only <@{CHIARA}>, who wrote this")
        done["visible_to"] = CHIARA
        await revise(harness, done, "They are watered by Milan, every Monday.", channel=SUPPORT)
        await harness.ephemeral(CHIARA, "in your words")
        answer = await told(harness, ODD)

    assert "watered by Milan, every Monday" in answer
    assert "Verified by @chiara" in answer


async def test_what_has_expired_is_told_no_more(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq):
        await edited(harness)
        await keep(harness)
        async with harness.owning() as owner:
            await owner.execute("UPDATE verified_answers SET valid_until = now()")
        root = await harness.ask(HOTEL, person=BEN)
        await open_card(harness)
        await harness.settled()

    assert "Verified by" not in str(harness.said(root))


async def test_what_was_asked_in_a_private_channel_is_told_there_alone(harness: Harness, groq: GroqServer) -> None:
    harness.playground.workspace.channels[SUPPORT].kind = "private"
    async with reviewed(harness, groq):
        await edited(harness)
        await keep(harness)
        assert "Verified by @chiara" in await told(harness)
        root = await harness.ask(HOTEL, person=BEN, channel=GENERAL)
        await open_card(harness)
        await harness.settled()

    assert "Lisbon" not in sent(harness, GENERAL)
    assert "Verified" not in str(harness.said(root, GENERAL))


async def test_what_was_asked_in_a_direct_message_cannot_be_kept(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq):
        await edited(harness, channel="D0ADA")

    assert [[]] == [labels_of(card) for card in cards(harness)]


async def test_a_document_that_has_changed_is_shown_beside_the_answer_until_its_writer_settles_it(
    harness: Harness, groq: GroqServer, tmp_path: Path
) -> None:
    file = tmp_path / "hotels.md"
    text = "---\ndate: {}\n---\n# Hotels\n\nThe limit for a hotel night is {} EUR.\n"

    async def write(dated: str, limit: int) -> None:
        file.write_text(text.format(dated, limit))
        async with Database.open(harness.app_url, size=2, workspace="default") as database:
            await ingest(database, load_embedding("english"), "default", [tmp_path])

    await write("2026-01-01", 145)
    async with reviewed(harness, groq, cadence=Cadence(verified_news_seconds=0.1, flag_news_seconds=0.1)):
        await harness.ask(HOTEL)
        view = await form(harness, "Edit…")
        cited = next(number for number in range(1, 9) if f"[{number}] Hotels" in str(view["blocks"]))
        await harness.playground.person(CHIARA).submit(view, {"review_edited:0": f"At most 145 EUR [{cited}]."})
        await keep(harness)
        await write("2026-10-01", 160)
        answer = await told(harness)

        def asked() -> list[Message]:
            return [one for one in harness.playground.messages("D0CHIARA") if "which it cites" in text_of(one)]

        (card,) = await harness.playground.until(asked, timeout=PATIENCE)
        await harness.playground.person(CHIARA).click(
            "D0CHIARA", card["ts"], label="The document is right: retire my answer"
        )
        await harness.playground.until(lambda: not asked(), timeout=PATIENCE)
        root = await harness.ask(HOTEL, person=BEN)
        await open_card(harness)
        await harness.settled()

    assert ["The document is right: retire my answer", "Edit…"] == labels_of(card)
    assert "*Hotels* of 1 October 2026, which it cites, has changed and says:" in text_of(card)
    assert "Verified by" not in str(harness.said(root))
    assert "At most 145 EUR [1]." in answer
    assert "“Hotels” has changed since." in answer
    assert "Newer than this answer (Hotels, 2026-10-01)" in answer
    assert "160 EUR" in answer
    assert "Verified by @chiara" in answer


ODD = "Who waters the plants on the third floor?"
WORDS = "The plants on the third floor are watered by Olga from facilities, every Friday. <@U0DEV> https://evil.example"


async def asked_a_human(harness: Harness, question: str = ODD) -> str:
    """Ask what no document answers, and bring it to a colleague; return the question's ts."""
    root = await harness.ask(question)
    (answer,) = await harness.answers(root)
    await harness.playground.person(ADA).click(SUPPORT, answer["ts"], label="Ask a human")
    await open_card(harness)
    await harness.settled()
    return root


async def offered(harness: Harness, root: str, words: str = WORDS, *, person: str = CHIARA) -> Message:
    """Answer in the thread as a colleague, and wait until the bot asks whether to keep it."""
    await harness.say(words, root, person=person)
    return await harness.ephemeral(person, "Is this the answer to")


async def test_a_colleagues_answer_in_the_thread_is_kept_by_them_and_told_to_others(harness: Harness) -> None:
    async with reviewed(harness):
        root = await asked_a_human(harness)
        offer = await offered(harness, root)
        await harness.playground.person(CHIARA).click(SUPPORT, offer["ts"], label="Keep this answer")
        await harness.ephemeral(CHIARA, "I keep this as a verified answer")
        answer = await told(harness, "who waters the plants of the third floor")

    assert "watered by Olga from facilities, every Friday." in answer
    assert "Verified by @chiara" in answer
    assert not [bad for bad in ("<@U0DEV>", "evil.example") if bad in answer]


async def test_nobody_is_asked_to_keep_what_is_no_answer(harness: Harness) -> None:
    async with reviewed(harness):
        other = await harness.ask(ODD)
        await harness.answers(other)
        await harness.say(WORDS, other, person=CHIARA)
        root = await asked_a_human(harness)
        await harness.say("Does Olga from facilities water all plants on the third floor?", root, person=CHIARA)
        await harness.say("I do not know.", root, person=CHIARA)
        await harness.say(WORDS, root, person=ADA)
        await harness.settled()

    assert [] == [
        harness.playground.person(one).ephemerals()
        for one in (CHIARA, ADA)
        if harness.playground.person(one).ephemerals()
    ]


@pytest.mark.parametrize("how", ["edited", "deleted", "retired"])
async def test_what_a_colleague_takes_back_is_told_no_more(harness: Harness, how: str) -> None:
    chiara = harness.playground.person(CHIARA)
    async with reviewed(harness):
        root = await asked_a_human(harness)
        offer = await offered(harness, root)
        await chiara.click(SUPPORT, offer["ts"], label="Keep this answer")
        done = await harness.ephemeral(CHIARA, "I keep this as a verified answer")
        assert "Verified by @chiara" in await told(harness, ODD)
        (words,) = [one for one in harness.playground.thread(SUPPORT, root) if one.get("user") == CHIARA]
        match how:
            case "edited":
                await chiara.edit(SUPPORT, words["ts"], "I was wrong about these plants.")
            case "deleted":
                await chiara.delete(SUPPORT, words["ts"])
            case _:
                await chiara.click(SUPPORT, done["ts"], label="Retire")
                await harness.ephemeral(CHIARA, "I no longer use this answer")
        await harness.settled()

        assert "Verified by" not in await told(harness, ODD)


async def test_a_question_that_its_asker_deletes_takes_its_verified_answer_along(harness: Harness) -> None:
    async with reviewed(harness):
        root = await asked_a_human(harness)
        offer = await offered(harness, root)
        await harness.playground.person(CHIARA).click(SUPPORT, offer["ts"], label="Keep this answer")
        await harness.ephemeral(CHIARA, "I keep this as a verified answer")
        await harness.playground.person(ADA).delete(SUPPORT, root)
        await harness.settled()

        assert "Verified by" not in await told(harness, ODD)


FOURTH = "Who waters the plants on the fourth floor?"


async def near_miss_card(harness: Harness) -> str:
    """Keep an answer about one floor, ask about another as Ben, and wait for the question back; return its root."""
    root = await asked_a_human(harness)
    offer = await offered(harness, root)
    await harness.playground.person(CHIARA).click(SUPPORT, offer["ts"], label="Keep this answer")
    await harness.ephemeral(CHIARA, "I keep this as a verified answer")
    asked = await harness.ask(FOURTH, person=BEN)
    card = await harness.card(asked)
    assert f"Somebody has answered this for third: “{ODD}” Is it the same for fourth?" in text_of(card)
    return asked


async def test_a_reviewer_lets_a_kept_answer_hold_for_one_more_thing(harness: Harness) -> None:
    async with reviewed(harness):
        asked = await near_miss_card(harness)
        await harness.click(asked, "Yes", person=CHIARA)
        (answer,) = await harness.answers(asked)
        await harness.settled()
        again = await told(harness, FOURTH)

    assert "watered by Olga" in text_of(answer)
    assert "Verified by @chiara" in text_of(answer)
    assert "Verified by @chiara" in again


async def test_what_is_asked_in_private_becomes_no_part_of_what_everybody_may_read(harness: Harness) -> None:
    async with reviewed(harness):
        await near_miss_card(harness)
        harness.playground.workspace.channels[GENERAL].kind = "private"
        asked = await harness.ask("Who waters the plants on the fifth floor?", person=BEN, channel=GENERAL)
        await harness.click(asked, "Yes", person=CHIARA, channel=GENERAL)
        (answer,) = await harness.answers(asked, channel=GENERAL)
        await harness.ephemeral(CHIARA, "Only a reviewer can confirm this, and only if")
        await harness.settled()

    assert "Olga" not in text_of(answer)
    with psycopg.connect(harness.database_url) as owner:
        assert (0,) == owner.execute("SELECT count(*) FROM phrasings WHERE text LIKE '%fifth%'").fetchone()


@pytest.mark.parametrize("label", ["Yes", "No"])
async def test_what_somebody_else_says_of_a_near_miss_leads_to_the_documents(harness: Harness, label: str) -> None:
    harness.playground.workspace.channels[PEOPLE].members.remove(BEN)
    async with reviewed(harness):
        asked = await near_miss_card(harness)
        await harness.click(asked, label, person=BEN)
        (answer,) = await harness.answers(asked)
        if label == "Yes":
            await harness.ephemeral(BEN, "Only a reviewer can confirm")
        await harness.settled()

    assert "Verified by" not in text_of(answer)
    assert "Olga" not in text_of(answer)


async def test_a_model_finds_the_kept_answer_to_other_words(harness: Harness, groq: GroqServer) -> None:
    def sees_it(request: dict[str, Any]) -> Reply:
        asked = str(request["messages"][-1]["content"])
        if "How much may a room cost" in asked and "Colleagues have answered" in asked:
            return reading(same_as=1)
        return unsure(request)

    groq.script = sees_it
    async with reviewed(harness, groq):
        await edited(harness)
        await keep(harness)
        answer = await told(harness, "How much may a room cost?")

    assert "180 EUR in Lisbon" in answer
    assert "Verified by @chiara" in answer


async def test_what_was_kept_in_a_private_channel_is_told_to_its_members_in_direct_messages(harness: Harness) -> None:
    support = harness.playground.workspace.channels[SUPPORT]
    support.kind = "private"
    support.members.remove(BEN)
    async with reviewed(harness):
        root = await asked_a_human(harness)
        offer = await offered(harness, root)
        await harness.playground.person(CHIARA).click(SUPPORT, offer["ts"], label="Keep this answer")
        await harness.ephemeral(CHIARA, "I keep this as a verified answer")
        told_to = {person: await told(harness, ODD, person=person, channel=f"D0{person[2:]}") for person in (DEV, BEN)}

    assert {DEV: True, BEN: False} == {person: "Olga" in said for person, said in told_to.items()}


async def test_its_writer_settles_with_one_click_what_a_newer_document_says_otherwise(
    harness: Harness, groq: GroqServer, tmp_path: Path
) -> None:
    async with reviewed(harness, groq, cadence=Cadence(verified_news_seconds=0.1, flag_news_seconds=0.1)):
        await edited(harness)
        await keep(harness)
        async with harness.owning() as owner:
            await owner.execute("UPDATE verified_answers SET kept_at = '2026-06-01'")
            await owner.execute("UPDATE sources SET owner = 'U0DEV'")
        (tmp_path / "hotels.md").write_text(
            "---\ndate: 2026-10-01\n---\n# Hotels\n\nThe limit for a hotel night is 160 EUR.\n"
        )
        async with Database.open(harness.app_url, size=2, workspace="default") as database:
            await ingest(database, load_embedding("english"), "default", [tmp_path])
        before = await told(harness)

        def asked() -> list[Message]:
            return [one for one in harness.playground.messages("D0CHIARA") if "*Hotels*" in text_of(one)]

        (card,) = await harness.playground.until(asked, timeout=PATIENCE)
        between = await told(harness, person=DEV)
        of_owner = await flagged_once(harness, "D0DEV")
        await harness.playground.person(CHIARA).click("D0CHIARA", card["ts"], label="My answer is right")
        await harness.playground.until(lambda: not asked(), timeout=PATIENCE)
        after = await told(harness)

    assert "Newer than this answer (Hotels, 2026-10-01)" in before
    assert ["My answer is right", "The document is right: retire my answer", "Edit…"] == labels_of(card)
    assert "of 1 October 2026 says:" in text_of(card)
    assert "Verified by @chiara" in after
    assert "160 EUR" not in after
    assert "• *Hotels* of 1 October 2026 says otherwise." in text_of(of_owner)
    assert "another document says otherwise" not in before
    assert "another document says otherwise" in between
    assert "another document says otherwise" not in after


async def test_its_writer_is_told_once_that_somebody_objects_and_settles_it(harness: Harness, groq: GroqServer) -> None:
    async with reviewed(harness, groq, cadence=Cadence(verified_news_seconds=0.1)):
        await edited(harness)
        await keep(harness)
        root = await harness.ask(HOTEL, person=BEN)
        (answer,) = await harness.answers(root)
        await harness.settled()

        def objections() -> list[Message]:
            return [one for one in harness.playground.messages("D0CHIARA") if "is out of date or wrong" in text_of(one)]

        await flag(harness, answer, reason="off_topic")
        await flag(harness, answer, reason="wrong")
        (card,) = await harness.playground.until(objections, timeout=PATIENCE)
        await flag(harness, answer, person=DEV)
        await harness.playground.person(CHIARA).click("D0CHIARA", card["ts"], label="My answer is right")
        await harness.playground.until(lambda: not objections(), timeout=PATIENCE)

    assert HOTEL in text_of(card)
    assert BEN not in text_of(card)
    with psycopg.connect(harness.database_url) as owner:
        assert [(True,)] == owner.execute("SELECT kept_at > objection_told_at FROM verified_answers").fetchall()
