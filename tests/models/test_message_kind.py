"""Message kinds by examples: small talk and tasks are recognised, and questions are not mistaken for them."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.offline import kinds
from tests.support.fakes import passage

UTTERANCES = Path(os.environ.get("ASKBACK_EVALS", "nowhere")) / "routing" / "clinc_val.jsonl"
SMALL = frozenset(
    """
    greeting goodbye thank_you what_is_your_name how_old_are_you who_made_you who_do_you_work_for are_you_a_bot
    where_are_you_from do_you_have_pets what_are_your_hobbies what_can_i_ask_you meaning_of_life fun_fact tell_joke
    weather flip_coin roll_dice calculator translate spelling timer alarm play_music next_song what_song
    """.split()
)
OF_WORK = frozenset(
    """
    pto_request pto_balance pto_used payday w2 insurance taxes direct_deposit rollover_401k income next_holiday
    insurance_change damaged_card report_lost_card
    """.split()
)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("gm all", "greeting"),
        ("Good morning, everyone", "greeting"),
        ("Thanks, boss", "thanks"),
        ("thanks, and the router?", "question"),
        ("ta, that did it", "thanks"),
        ("Bonjour", "greeting"),
        ("Buongiorno, come stai?", "greeting"),
        ("Gracias", "thanks"),
        ("Merci beaucoup", "thanks"),
        ("Combien de jours de congé y a-t-il ?", "question"),
        ("¿Cuántos días de vacaciones tengo?", "question"),
        ("Quanti giorni di ferie ho?", "question"),
        ("stop it please", "closing"),
        ("is this a bot", "itself"),
        ("asdfghjk", "itself"),
        ("in German, please", "outside"),
        ("wer hat dich programmiert", "itself"),
        ("what's the weather like in Lisbon", "outside"),
        ("sing something for us", "outside"),
        ("Remind me tomorrow to book a hotel", "outside"),
        ("remind us on Friday that the report is due", "outside"),
        ("erinnere mich morgen an die Reise", "outside"),
        ("Put a meeting with Ben in my calendar", "outside"),
        ("Who reminds customers of late invoices?", "question"),
        ("How many reminders are sent before a fee?", "question"),
        ("Where is the calendar of the meeting rooms?", "question"),
        ("When do we meet the auditors?", "question"),
        ("How far is it going?", "question"),
        ("hey there! sick leave?", "question"),
        ("Obrigado! E no Porto?", "question"),
        ("Hello! How are you?", "greeting"),
        ("Who made the rota for the ferries?", "question"),
        ("Is there a weather limit for the ferry?", "question"),
    ],
)
def test_a_message_is_of_the_kind_that_it_comes_nearest_to(message: str, kind: str) -> None:
    assert kind == kinds().of(message, [])


def test_what_a_passage_comes_nearer_to_is_a_question() -> None:
    said = "play some music"
    jukebox = passage(1, "To play some music, press J.", title="Play music")

    assert ("outside", "question") == (kinds().of(said, []), kinds().of(said, [jukebox]))


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("great, thank you. and who pays for a hotel night?", "and who pays for a hotel night?"),
        ("Hi there! Hope you are well. Where can I park?", "Where can I park?"),
        ("thanks! and in Hamburg?", "and in Hamburg?"),
        ("Danke dir! Und in Hamburg?", "Und in Hamburg?"),
        ("Olá, bom dia. Quantos dias de férias há?", "Quantos dias de férias há?"),
        ("How much is parking in Porto? Thanks!", "How much is parking in Porto?"),
        ("If I lose my badge, who do I tell?", "If I lose my badge, who do I tell?"),
        ("Morning shift, when does it begin?", "Morning shift, when does it begin?"),
        ("hello", "hello"),
    ],
)
def test_courtesies_are_no_part_of_what_is_asked(message: str, asked: str) -> None:
    assert asked == kinds().without_courtesies(message, [])


def test_what_the_documents_speak_of_is_no_courtesy() -> None:
    said = "Thank you notes, who writes them?"
    notes = passage(1, "Thank you notes go to every supplier.", title="Thank you notes")

    assert said == kinds().without_courtesies(said, [notes])


def utterances(intents: frozenset[str]) -> Iterator[str]:
    for line in UTTERANCES.read_text(encoding="utf-8").splitlines():
        utterance = json.loads(line)
        if utterance["intent"] in intents:
            yield utterance["text"]


@pytest.mark.skipif(not UTTERANCES.is_file(), reason="ASKBACK_EVALS names no public evaluation data")
@pytest.mark.parametrize(("intents", "least", "most"), [(SMALL, 0.83, 1.0), (OF_WORK, 0.0, 0.1)])
def test_strangers_small_talk_is_caught_and_their_questions_are_kept(
    intents: frozenset[str], least: float, most: float
) -> None:
    taken = [kinds().of(text, []) != "question" for text in utterances(intents)]

    assert least <= sum(taken) / len(taken) <= most
