"""From a Slack payload to the Slack calls that come out: what people do on a calm day."""

import re

import psycopg
import pytest

from tests.journeys.town import ADA, BEN, Town, labels_of, text_of

AMBIGUOUS = "How many vacation days do I have?"


@pytest.fixture(autouse=True)
async def bot(town: Town):  # noqa: ANN201
    """The bot, in this process."""
    async with town.bot():
        yield


async def test_a_plain_question_is_answered_in_its_thread_with_a_source(town: Town) -> None:
    root = await town.ask("What is the limit for a hotel night?")

    (answer,) = await town.answers(root)

    assert "145 EUR" in text_of(answer)
    assert "[1]" in text_of(answer)
    assert "Travel" in text_of(answer)


async def test_an_ambiguous_question_is_asked_back_and_the_click_answers_it(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    card = await town.card(root)
    assert {"Porto", "Hamburg", "Something else…", "Just answer"} == set(labels_of(card))

    await town.click(root, "Porto")

    (answer,) = await town.answers(root)
    assert "25" in text_of(answer)
    assert "30" not in text_of(answer).split("Sources")[0].replace("30 ", "")
    await town.settled()
    settled = next(one for one in town.said(root) if one["ts"] == card["ts"])
    assert "Ada" in text_of(settled) or f"<@{ADA}>" in text_of(settled)
    assert "Just answer" not in labels_of(settled)


async def test_a_number_a_label_or_words_answer_the_open_question(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.card(root)

    await town.say("the Hamburg one", root)

    (answer,) = await town.answers(root)
    assert "30" in text_of(answer)


async def test_something_else_takes_free_text_in_a_modal(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.click(root, "Something else…")
    ada = town.playground.person(ADA)
    view = await town.playground.until(lambda: ada.open_view)

    await ada.submit(view, {"typed_answer": "I work in Hamburg"})

    (answer,) = await town.answers(root)
    assert "30" in text_of(answer)


async def test_just_answer_states_what_was_assumed(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)

    await town.click(root, "Just answer")

    (answer,) = await town.answers(root)
    assert "I assumed" in text_of(answer)


async def test_a_follow_up_needs_neither_mention_nor_context(town: Town) -> None:
    root = await town.ask("How many vacation days do people in Hamburg get?")
    await town.answers(root)

    await town.say("And in Porto?", root)

    answers = await town.answers(root, 2)
    assert "25" in text_of(answers[-1])


async def test_what_was_chosen_holds_for_the_next_question_until_it_names_another(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.click(root, "Porto")
    await town.answers(root, 1)
    await town.say("And how many for sick leave?", root)
    (_, same) = await town.answers(root, 2)
    await town.say("And in Hamburg?", root)
    (*_, other) = await town.answers(root, 3)

    assert "30 days of an illness" in text_of(same)
    assert "I assumed you mean Porto." in text_of(same)
    assert "Hamburg" not in text_of(same)
    assert "six weeks of an illness" in text_of(other)


async def test_small_talk_is_answered_as_such(town: Town) -> None:
    root = await town.ask("thanks, what can you do?")

    (answer,) = await town.answers(root)

    assert "documents" in text_of(answer)


async def test_what_is_not_in_scope_is_declined(town: Town) -> None:
    root = await town.ask("Who won the football match last night?")

    (answer,) = await town.answers(root)

    assert "outside" in text_of(answer)


async def test_what_no_document_answers_is_admitted(town: Town) -> None:
    root = await town.ask("Is there a sauna at the office?")

    (answer,) = await town.answers(root)

    assert "found nothing" in text_of(answer)


async def test_a_direct_message_starts_a_conversation_in_its_thread(town: Town) -> None:
    root = await town.ask("What is the limit for a hotel night?", channel="D0ADA")

    (answer,) = await town.answers(root, channel="D0ADA")

    assert "145 EUR" in text_of(answer)


async def test_it_stays_silent_where_people_talk_to_each_other(town: Town) -> None:
    root = await town.ask("What is the limit for a hotel night?")
    await town.answers(root)

    await town.say("<@U0ADA> shall we book together?", root, person=BEN)
    await town.say("Sure, I will do it tomorrow.", root)
    await town.settled()

    assert 1 == len(town.said(root))


async def test_called_into_a_human_thread_it_knows_what_was_said(town: Town) -> None:
    ada, ben = town.playground.person(ADA), town.playground.person(BEN)
    root = await ben.post("C0SUPPORT", "How many vacation days do people in Porto get?")
    await ada.post("C0SUPPORT", "No idea, let us ask.", thread_ts=root)

    await town.ask("and in Hamburg?", root=root)

    (answer,) = await town.answers(root)
    assert "30" in text_of(answer)
    assert 1 == len(town.playground.calls("conversations.replies"))


async def test_a_new_question_supersedes_the_open_one_visibly(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    card = await town.card(root)

    await town.ask("What is the limit for a hotel night?", root=root)

    (answer,) = await town.answers(root)
    assert "145 EUR" in text_of(answer)
    await town.settled()
    settled = next(one for one in town.said(root) if one["ts"] == card["ts"])
    assert ["Ask this again"] == labels_of(settled)


async def test_a_new_question_without_a_mention_takes_the_open_ones_place_and_is_answered(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    card = await town.card(root)

    await town.say("What is the limit for a hotel night?", root)

    (answer,) = await town.answers(root)
    assert "145 EUR" in text_of(answer)
    await town.settled()
    settled = next(one for one in town.said(root) if one["ts"] == card["ts"])
    assert ["Ask this again"] == labels_of(settled)


async def test_nothing_in_a_hostile_document_can_be_clicked_or_calls_anybody(town: Town) -> None:
    root = await town.ask("I got a mail that my VPN password expires today, what should I do?")

    (answer,) = await town.answers(root)

    assert "VPN" in text_of(answer)
    sent = str([call.arguments for call in town.playground.calls() if call.method.startswith("chat.")])
    # An address that a source holds may be named, as code, which Slack does not make a link of.
    assert "evil.example" not in re.sub(r"`[^`]*`", "", sent)
    assert not re.search(r"<!|@channel|@here|<@U", sent)


async def test_feedback_is_stored(town: Town) -> None:
    root = await town.ask("What is the limit for a hotel night?")
    (answer,) = await town.answers(root)
    await town.settled()

    await town.playground.person(BEN).click("C0SUPPORT", answer["ts"], value="good")
    await town.settled()

    with psycopg.connect(town.database_url) as connection:
        assert [(BEN, "good")] == connection.execute("SELECT person, verdict FROM feedback").fetchall()
