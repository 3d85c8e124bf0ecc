"""The form of answer that a question asks for."""

import pytest

from bot.models.offline.writing.wishes import compared, parts, summarised
from graph.text.words import content_words


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is the limit and who approves it?", ["What is the limit", "who approves it"]),
        ("When is it due? What does it cost?", ["When is it due", "What does it cost"]),
        ("Was kostet das und wer zahlt?", ["Was kostet das", "wer zahlt"]),
        ("Quanto custa e quem paga?", ["Quanto custa", "quem paga"]),
        ("Do we have salt and pepper?", []),
        ("Who is it?", []),
    ],
)
def test_a_question_may_have_parts(question: str, found: list[str]) -> None:
    assert found == parts(question)


@pytest.mark.parametrize(
    ("question", "sides", "attribute"),
    [
        ("Compare the big oven and the small oven", ("big", "small"), ""),
        ("What is the difference between the big and the small oven?", ("big", "small oven"), ""),
        ("Which heats up quicker, the big oven or the small one?", ("big oven", "small one"), "heats quicker"),
        ("Explain the difference in leave between drivers and bakers", ("drivers", "bakers"), "leave explain"),
        ("Compare the parental leave in Porto and Hamburg", ("Porto", "Hamburg"), "parental leave"),
        ("Compare parking in Porto with parking in Hamburg", ("Porto", "Hamburg"), ""),
        ("Difference between the price of the Team plan and the Solo plan?", ("Team", "Solo"), "price"),
        ("Vergleiche den Urlaub in Porto und Hamburg", ("Porto", "Hamburg"), "Urlaub"),
        ("tea vs coffee", ("tea", "coffee"), ""),
        ("Vergleiche Tee mit Kaffee", ("Tee", "Kaffee"), ""),
        ("Was ist der Unterschied zwischen Tee und Kaffee?", ("Tee", "Kaffee"), ""),
        ("Qual é a diferença entre chá e café?", ("chá", "café"), ""),
        ("What do tea and coffee have in common?", ("tea", "coffee"), ""),
    ],
)
def test_a_question_may_compare(question: str, sides: tuple[str, str], attribute: str) -> None:
    wish = compared(question)

    assert wish is not None
    assert tuple(frozenset(content_words(side)) for side in sides) == wish.sides
    assert set(content_words(attribute)) == wish.attribute


def test_what_compares_a_thing_with_itself_compares_nothing() -> None:
    assert compared("Compare the oven and the oven") is None
    assert compared("Which oven is it?") is None


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Summarize the travel policy, please", "travel"),
        ("Give me an overview of leave", "leave"),
        ("tl;dr expenses", "expenses"),
        ("Fasse die Seite zu Spesen zusammen", "Spesen"),
        ("Resumo das férias", "férias"),
        ("How do I resume an upload?", ""),
        ("What is the sum?", ""),
    ],
)
def test_a_question_may_want_a_summary(question: str, topic: str) -> None:
    assert set(content_words(topic)) == summarised(question)
