"""Ordinary conversations without faults, from a Slack payload to the Slack calls."""

import re

import psycopg
import pytest

from tests.journeys.harness import ADA, BEN, Harness, labels_of, text_of

AMBIGUOUS = "How many vacation days do I have?"


@pytest.fixture(autouse=True)
async def bot(harness: Harness):  # noqa: ANN201
    """The bot, in this process."""
    async with harness.bot():
        yield


async def test_a_plain_question_is_answered_in_its_thread_with_a_source(harness: Harness) -> None:
    root = await harness.ask("What is the limit for a hotel night?")

    (answer,) = await harness.answers(root)

    assert "145 EUR" in text_of(answer)
    assert "[1]" in text_of(answer)
    assert "Travel" in text_of(answer)


async def test_an_ambiguous_question_is_asked_back_and_the_click_answers_it(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    card = await harness.card(root)
    assert {"Porto", "Hamburg", "Something else…", "Just answer"} == set(labels_of(card))

    await harness.click(root, "Porto")

    (answer,) = await harness.answers(root)
    assert "25" in text_of(answer)
    assert "30" not in text_of(answer).split("Sources")[0].replace("30 ", "")
    await harness.settled()
    settled = next(one for one in harness.said(root) if one["ts"] == card["ts"])
    assert "Ada" in text_of(settled) or f"<@{ADA}>" in text_of(settled)
    assert "Just answer" not in labels_of(settled)


async def test_a_number_a_label_or_words_answer_the_open_question(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.card(root)

    await harness.say("the Hamburg one", root)

    (answer,) = await harness.answers(root)
    assert "30" in text_of(answer)


async def test_something_else_takes_free_text_in_a_modal(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.click(root, "Something else…")
    ada = harness.playground.person(ADA)
    view = await harness.playground.until(lambda: ada.open_view)

    await ada.submit(view, {"typed_answer": "I work in Hamburg"})

    (answer,) = await harness.answers(root)
    assert "30" in text_of(answer)


async def test_just_answer_states_what_was_assumed(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)

    await harness.click(root, "Just answer")

    (answer,) = await harness.answers(root)
    assert "I assumed" in text_of(answer)


async def test_a_follow_up_needs_neither_mention_nor_context(harness: Harness) -> None:
    root = await harness.ask("How many vacation days do people in Hamburg get?")
    await harness.answers(root)

    await harness.say("And in Porto?", root)

    answers = await harness.answers(root, 2)
    assert "25" in text_of(answers[-1])


async def test_a_reading_named_alone_asks_the_same_for_it(harness: Harness) -> None:
    root = await harness.ask("How many vacation days do people in Porto get?")
    await harness.answers(root)

    await harness.say("Hamburg", root)

    (_, other) = await harness.answers(root, 2)
    assert "30 days of paid vacation" in text_of(other)


async def test_who_wants_both_after_an_answer_for_one_gets_both(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.click(root, "Hamburg")
    await harness.answers(root)

    await harness.say("both please", root)

    (_, both) = await harness.answers(root, 2)
    assert "25 days" in text_of(both)
    assert "30 days" in text_of(both)


async def test_a_reading_named_alone_replaces_the_chosen_one_and_both_stay_open(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.click(root, "Porto")
    await harness.answers(root)

    await harness.say("Hamburg", root)
    (_, other) = await harness.answers(root, 2)
    await harness.say("both", root)
    (*_, both) = await harness.answers(root, 3)

    assert "30 days of paid vacation" in text_of(other)
    assert "Wi-Fi" not in text_of(other)
    assert "25 days" in text_of(both)
    assert "30 days" in text_of(both)


@pytest.mark.parametrize("said", ["the router", "I mean the router", "not the hub, the router"])
async def test_who_names_the_other_option_after_the_answer_gets_its_answer(harness: Harness, said: str) -> None:
    root = await harness.ask("How long is the warranty?")
    await harness.click(root, "Lumen Hub")
    await harness.answers(root)

    await harness.say(said, root)
    (_, other) = await harness.answers(root, 2)

    assert "five years" in text_of(other)
    assert "three years" not in text_of(other)


async def test_a_name_alone_is_answered_in_the_language_of_the_question_before_it(harness: Harness) -> None:
    root = await harness.ask("An welchen Tagen sind Hunde im Hamburger Büro willkommen?")
    await harness.answers(root)

    await harness.say("Porto", root)

    (_, other) = await harness.answers(root, 2)
    assert "Dokumente" in text_of(other)


async def test_what_was_chosen_holds_for_the_next_question_until_it_names_another(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.click(root, "Porto")
    await harness.answers(root, 1)
    await harness.say("And how many for sick leave?", root)
    (_, same) = await harness.answers(root, 2)
    await harness.say("And in Hamburg?", root)
    (*_, other) = await harness.answers(root, 3)

    assert "30 days of an illness" in text_of(same)
    assert "I assumed you mean Porto." in text_of(same)
    assert "Hamburg" not in text_of(same)
    assert "six weeks of an illness" in text_of(other)


async def test_small_talk_is_answered_as_such(harness: Harness) -> None:
    root = await harness.ask("thanks, what can you do?")

    (answer,) = await harness.answers(root)

    assert "documents" in text_of(answer)


async def test_what_is_not_in_scope_is_declined(harness: Harness) -> None:
    root = await harness.ask("Who won the football match last night?")

    (answer,) = await harness.answers(root)

    assert "outside" in text_of(answer)


async def test_what_no_document_answers_is_admitted(harness: Harness) -> None:
    root = await harness.ask("Is there a sauna at the office?")

    (answer,) = await harness.answers(root)

    assert "found nothing" in text_of(answer)


async def test_a_direct_message_starts_a_conversation_in_its_thread(harness: Harness) -> None:
    root = await harness.ask("What is the limit for a hotel night?", channel="D0ADA")

    (answer,) = await harness.answers(root, channel="D0ADA")

    assert "145 EUR" in text_of(answer)


async def test_it_stays_silent_where_people_talk_to_each_other(harness: Harness) -> None:
    root = await harness.ask("What is the limit for a hotel night?")
    await harness.answers(root)

    await harness.say("<@U0ADA> shall we book together?", root, person=BEN)
    await harness.say("Sure, I will do it tomorrow.", root)
    await harness.settled()

    assert 1 == len(harness.said(root))


async def test_who_says_what_they_do_next_is_not_answered_but_asked_to_know_it_answers(harness: Harness) -> None:
    root = await harness.ask("What is the limit for a hotel night?")
    await harness.answers(root)
    await harness.say("How many vacation days do people in Porto get?", root)
    await harness.answers(root, 2)

    for said in ("Sure, I will do it tomorrow.", "Perfect, I will take the train.", "ok, I'll book it then"):
        await harness.say(said, root)
        await harness.settled()
    assert 2 == len(harness.said(root))

    await harness.say("let me know what the limit for a hotel night is", root)
    assert "145 EUR" in text_of((await harness.answers(root, 3))[-1])
    await harness.say("I'll be in Porto next week. Where do I park there?", root)
    assert "park" in text_of((await harness.answers(root, 4))[-1])


async def test_who_wants_to_be_reminded_is_told_that_it_cannot_do_that(harness: Harness) -> None:
    root = await harness.ask("Remind me tomorrow to book a hotel")
    (answer,) = await harness.answers(root)

    assert "outside what I can look up" in text_of(answer)


async def test_of_several_questions_each_is_answered_or_named_as_open(harness: Harness) -> None:
    root = await harness.ask("What is the limit for a hotel night? What is the salary of the CEO?")
    (answer,) = await harness.answers(root)

    assert "145 EUR" in text_of(answer)
    assert "I found no sure answer to “What is the salary of the CEO?”." in text_of(answer)


async def test_questions_that_are_all_answered_leave_none_open(harness: Harness) -> None:
    root = await harness.ask("What is the hotel limit? How many vacation days in Porto? Who leads Support?")
    (answer,) = await harness.answers(root)

    assert all(said in text_of(answer) for said in ("145 EUR", "25 days", "Camila Duarte"))
    assert "no sure answer" not in text_of(answer)


async def test_called_into_a_human_thread_it_knows_what_was_said(harness: Harness) -> None:
    ada, ben = harness.playground.person(ADA), harness.playground.person(BEN)
    root = await ben.post("C0SUPPORT", "How many vacation days do people in Porto get?")
    await ada.post("C0SUPPORT", "No idea, let us ask.", thread_ts=root)

    await harness.ask("and in Hamburg?", root=root)

    (answer,) = await harness.answers(root)
    assert "30" in text_of(answer)
    assert 1 == len(harness.playground.calls("conversations.replies"))


async def test_a_new_question_supersedes_the_open_one_visibly(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    card = await harness.card(root)

    await harness.ask("What is the limit for a hotel night?", root=root)

    (answer,) = await harness.answers(root)
    assert "145 EUR" in text_of(answer)
    await harness.settled()
    settled = next(one for one in harness.said(root) if one["ts"] == card["ts"])
    assert ["Ask this again"] == labels_of(settled)


async def test_a_new_question_without_a_mention_takes_the_open_ones_place_and_is_answered(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    card = await harness.card(root)

    await harness.say("What is the limit for a hotel night?", root)

    (answer,) = await harness.answers(root)
    assert "145 EUR" in text_of(answer)
    await harness.settled()
    settled = next(one for one in harness.said(root) if one["ts"] == card["ts"])
    assert ["Ask this again"] == labels_of(settled)


async def test_nothing_in_a_hostile_document_can_be_clicked_or_calls_anybody(harness: Harness) -> None:
    root = await harness.ask("I got a mail that my VPN password expires today, what should I do?")

    (answer,) = await harness.answers(root)

    assert "VPN" in text_of(answer)
    sent = str([call.arguments for call in harness.playground.calls() if call.method.startswith("chat.")])
    # An answer may name a source's address as code, which Slack does not turn into a link.
    assert "evil.example" not in re.sub(r"`[^`]*`", "", sent)
    assert not re.search(r"<!|@channel|@here|<@U", sent)


async def test_feedback_is_stored(harness: Harness) -> None:
    root = await harness.ask("What is the limit for a hotel night?")
    (answer,) = await harness.answers(root)
    await harness.settled()

    await harness.playground.person(BEN).click("C0SUPPORT", answer["ts"], value="good")
    await harness.settled()

    with psycopg.connect(harness.database_url) as connection:
        assert [(BEN, "good")] == connection.execute("SELECT person, verdict FROM feedback").fetchall()
