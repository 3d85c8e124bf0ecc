"""Which untagged messages are left to people: a list in the words of a team, and the rules behind it."""

from dataclasses import replace

import pytest

from bot.slack.channel_modes.modes import UntaggedVerdict
from bot.slack.channel_modes.vetoes import is_covered, is_promising, verdict, veto, veto_of_replies
from bot.slack.payloads.messages import read_event
from bot.slack.payloads.shapes import event_in
from graph.events import AnswerCompleted
from graph.passages import Source
from tests.slack.payloads import US, event

QUESTION = "What is the limit for a hotel night?"


def why(text: str, **fields: object) -> str | None:
    """Return why a message is left to people."""
    message = read_event(event_in(event(text, **fields)), US)
    assert message is not None
    return veto(message)


@pytest.mark.parametrize(
    "text",
    [
        QUESTION,
        "how long is parental leave",
        "How many vacation days do we get?",
        "Does anyone know how many vacation days we have in Porto?",
        "hi all, do you know where the printer paper is kept?",
        "<!here> quick question: which plan has single sign-on?",
        "Wie viele Urlaubstage gibt es in Hamburg?",
        "Alguém sabe qual é o horário da cantina?",
        "Where can I park in Hamburg? <https://maps.example/x>",
        "What if I lose both security keys?",
        "Was ist das Limit für eine Hotelnacht?",
        "What do we call a lamp that is paired?",
        "up to how much can we spend on a present for a client",
        "warranty on the Pine Router, how many years is it",
        "What is the hotel limit if I'm going to Madrid?",
        "Who has to be told when I'm ill?",
        "What may I spend on a room during the trade fair?",
        "By what day do I hand in last month's expenses?",
    ],
)
def test_a_question_to_nobody_in_particular_is_looked_at(text: str) -> None:
    assert why(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"<@UBOT> {QUESTION}", "called"),
        (f"<@UBEN> {QUESTION}", "names_somebody"),
        ("What is the limit for a hotel night (<@UBEN>)?", "names_somebody"),
        (f"<!subteam^S1> {QUESTION}", "names_somebody"),
        (f"@ben {QUESTION}", "names_somebody"),
        ("Ben, can you tell me what the hotel limit is?", "names_somebody"),
        ("<https://handbook.example/travel?page=2>", "link_only"),
        ("look <https://handbook.example/travel?page=2>", "link_only"),
        ("The hotel limit is 145 EUR a night.", "no_question"),
        ("Why?", "no_question"),
        (QUESTION + " We talked about it." * 40, "no_question"),
        ("Can somebody approve my hotel for Lisbon?", "for_people"),
        ("Should we raise the hotel limit?", "for_people"),
        ("Did you book the hotel in Lisbon?", "for_people"),
        ("Who left the travel policy in the printer?", "for_people"),
        ("Is my PR for the hotel search merged?", "for_people"),
        ("What is the whole travel desk doing in Lisbon?", "for_people"),
        ("What time is it at the hotel in Lisbon?", "for_people"),
        ("What do we tell the customer?", "for_people"),
        ("Remember when the hotel limit was 120?", "for_people"),
        ("Was the fire alarm a drill?", "for_people"),
        ("When do I get my next day off?", "for_people"),
        ("What if we raised the hotel limit in summer?", "for_people"),
        ("What if the customer has no receipt?", "for_people"),
        ("What is the best hotel in Lisbon?", "for_people"),
        ("Are they going to raise the hotel limit?", "for_people"),
        ("What was the hotel limit last month?", "for_people"),
        ("Who has the key to the hotel safe?", "for_people"),
        ("Which hotel limit is fair?", "for_people"),
        ("How on earth can a hotel cost 145?", "for_people"),
    ],
)
def test_other_messages_are_left_to_people(text: str, expected: str) -> None:
    assert expected == why(text)


def test_where_and_how_it_was_said_counts() -> None:
    body = event(QUESTION)
    shared = read_event(event_in({**body, "is_ext_shared_channel": True}), US)

    assert shared is not None
    assert "outsiders" == veto(shared)
    assert "in_a_thread" == why(QUESTION, thread_ts="1699999999.000100")
    assert "called" == why(QUESTION, channel="D1", channel_type="im")
    assert "file" == why(QUESTION, subtype="file_share", files=[{"name": "plan.pdf"}])
    assert read_event(event_in(event(QUESTION, bot_id="B1")), US) is None


@pytest.mark.parametrize(
    ("later", "root", "expected"),
    [
        ([], {}, None),
        ([], {"reply_count": 1}, "answered_by_people"),
        ([], {"reactions": [{"name": "eyes"}]}, "answered_by_people"),
        ([{"user": "UBEN", "text": "145"}], {}, "answered_by_people"),
        ([{"user": "UBEN", "text": "And who has the key?"}], {}, None),
        ([{"user": "UADA", "text": "Or is it in the handbook?"}], {}, "answered_by_people"),
        ([{"user": "UBEN", "text": "Build done", "bot_id": "B1"}], {}, None),
        ([{"user": "UBEN", "text": "<@UBEN> has joined the channel", "subtype": "channel_join"}], {}, None),
        ([{"user": "UBEN", "text": "See the plan", "subtype": "file_share"}], {}, "answered_by_people"),
    ],
)
def test_what_people_have_taken_up_is_theirs(
    later: list[dict[str, object]], root: dict[str, object], expected: str
) -> None:
    asked = {"user": "UADA", "ts": "1.0", "text": QUESTION, **root}

    assert expected == veto_of_replies([{"ts": "2.0", **one} for one in later] + [asked], asked)


def test_only_an_answer_that_is_whole_is_worth_a_word_that_nobody_asked_for() -> None:
    source = Source(number=1, title="Travel", heading="", url=None, dated=None, passage_id=1)
    whole = AnswerCompleted(outcome="answered", text="145 EUR [1].", sources=(source,), is_whole=True)

    assert UntaggedVerdict(kind="answer", document="Travel") == verdict(whole)
    assert verdict(replace(whole, is_whole=False)) is None


@pytest.mark.parametrize(
    ("question", "quoted", "expected"),
    [
        ("How much may I spend on a meal with a client?", "Client meal: 70 EUR a person.", True),
        ("How quickly do we pay a contractor's invoice?", "Invoices of contractors: paid within 21 days.", True),
        ("A partir de que horas não se usam berbequins?", "Depois das 20h00 não se usam berbequins.", True),
        ("How is the weather in Hamburg?", "The office in Hamburg is open from 7:00.", False),
        ("What may I?", "You may.", False),
        ("notice period in Porto, anyone know?", "Notice period in Porto: 30 days.", True),
        ("Is the guest Wi-Fi in Porto down?", "The guest Wi-Fi in Porto is down on Mondays.", False),
    ],
)
def test_a_quotation_bears_on_a_question_if_it_holds_most_words_but_those_that_ask(
    question: str, quoted: str, expected: bool
) -> None:
    assert expected == is_covered(question, AnswerCompleted(outcome="answered", text=quoted))


def test_passages_that_only_come_near_are_worth_a_models_reading() -> None:
    source = Source(number=1, title="Travel", heading="", url=None, dated=None, passage_id=1)

    assert is_promising(AnswerCompleted(outcome="admitted", text="I am not sure.", sources=(source,)))
    assert not is_promising(AnswerCompleted(outcome="admitted", text="I found nothing."))
    assert not is_promising(AnswerCompleted(outcome="conversed", text="You are welcome."))
