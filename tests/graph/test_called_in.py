"""What is meant by who calls the bot into a conversation of people."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.asking.called_in import calls_the_bot_in, last_question
from graph.builder import compiled_graph
from graph.run import Run
from graph.state import Exchange, Memory, RemarkState
from graph.turn import Remark, Turn
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Understood, context, passage


def heard(*said: str, answered: str = "") -> Memory:
    """Return the memory of what people said, one after another; `answered` is the key of an answered question."""
    overheard = [RemarkState(person=f"U{number}", text=text, key=str(number)) for number, text in enumerate(said, 1)]
    exchange = Exchange(asker="U1", question="q", standalone="q", answer="a", sources=[], passages=[], key=answered)
    return Memory(exchanges=[exchange] if answered else [], overheard=overheard, people=["U1", "U2"])


@pytest.mark.parametrize(
    "said",
    ["can you help?", "Can you help us here please?", "help", "who is right?", "Who's right here?",
     "so who is right now?", "which of us is right?", "any idea?", "Any thoughts on this?", "do you know?",
     "what do you think?", "hey, could you weigh in?", "<@U9> any idea?", "thoughts?", "", "?", "Wer hat recht?",
     "Wer von uns hat denn nun recht?", "kannst du helfen?", "Kannst du uns da bitte weiterhelfen?", "eine Idee?",
     "weißt du das?", "was meinst du?", "quem tem razão?", "Quem é que tem razão?", "podes ajudar-nos?",
     "alguma ideia?", "sabes?"],
)  # fmt: skip
def test_a_call_asks_nothing_by_itself(said: str) -> None:
    assert calls_the_bot_in(said)


@pytest.mark.parametrize(
    "said",
    ["who is right of way officer?", "Who is right-handed?", "can you help me find a parking space?",
     "any idea what it costs?", "do you know the Wi-Fi password?", "Who is correct the minutes?",
     "What is the right answer to question 4?", "What do you think about hybrid work?", "Help desk?",
     "Wer hat recht auf Elternzeit?", "Weißt du, wo ich parken kann?", "Kannst du beim Umzug helfen?",
     "quem tem razão social?", "Podes ajudar com o visto?", "answer", "Is he the right person?",
     ":wave:", "👍", "…and?"],
)  # fmt: skip
def test_a_question_is_no_call(said: str) -> None:
    assert not calls_the_bot_in(said)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (["How much is parking in Porto?", "5 EUR", "No, 3."], "How much is parking in Porto?"),
        (["How much is parking in Porto?", "5 EUR, no, Ben?"], "How much is parking in Porto?"),
        (["I lost my badge. Who replaces it? Thanks!"], "I lost my badge. Who replaces it?"),
        (["Where is the VPN?", "In IT.", "And what does lunch cost?"], "And what does lunch cost?"),
        (["<@U2> wie viel kostet Parken?", "Keine Ahnung"], "wie viel kostet Parken?"),
        (["Quanto custa o almoço?", "quatro euros"], "Quanto custa o almoço?"),
        (["how much is parking in porto", "no idea"], "how much is parking in porto"),
        (["Parking in Porto, 3 EUR?"], "Parking in Porto, 3 EUR?"),
        (["What is lunch?", "anyone?", "any idea?"], "What is lunch?"),
    ],
)
def test_the_peoples_last_question_is_meant(said: list[str], question: str) -> None:
    asked = last_question(heard(*said))

    assert asked is not None
    assert question == asked.question


@pytest.mark.parametrize("said", [[], ["I am off to lunch"], ["ok?", "When I was there it was full."], ["really?!"]])
def test_where_people_asked_nothing_there_is_no_question(said: list[str]) -> None:
    assert last_question(heard(*said)) is None


def test_what_came_before_an_answer_was_answered() -> None:
    asked = ("How much is parking?", "What does lunch cost?")

    assert last_question(heard(*asked, answered="2")) is None
    after = last_question(heard(*asked, answered="1"))
    assert after is not None
    assert ("What does lunch cost?", 1) == (after.question, len(after.before))


@pytest.mark.parametrize(
    ("said", "addressed", "searched"),
    [
        ("who is right?", True, "How much is parking?"),
        ("", True, "How much is parking?"),
        ("who is right of way officer?", True, "How much is parking? who is right of way officer?"),
        ("who is right?", False, "How much is parking? who is right?"),
    ],
)
async def test_the_first_search_is_for_what_people_asked(said: str, addressed: bool, searched: str) -> None:
    found, understood = FoundPassages([passage(1, "Parking is 3 EUR.")]), Understood()
    run = Run(
        compiled_graph(),
        InMemorySaver(),
        thread_id="T0:C0:1",
        context=context(retriever=found, understander=understood),
    )
    earlier = (
        Remark(person="U1", text="How much is parking?", key="1"),
        Remark(person="U2", text="5 EUR", key="2"),
    )

    await events(run.start(Turn(question=said, asker="U1", addressed=addressed, earlier=earlier, key="3")))

    assert searched == found.queries[0]
    # What the person said stays theirs: a model may answer that Ada is right.
    assert (said or "How much is parking?") == understood.cases[0]["question"]
