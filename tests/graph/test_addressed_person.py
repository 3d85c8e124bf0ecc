"""Whether a message addresses a person by name."""

import pytest

from graph.text.names import calls_a_person


@pytest.mark.parametrize(
    "said",
    [
        "Ben can you tell?",
        "Ben, could you look at this?",
        "hey Priya what do you think",
        "What do you think, Ben?",
        "Jonas kannst du das sagen?",
        "Marta, sabes isto?",
    ],
)
def test_a_name_and_a_word_for_its_bearer_call_a_person(said: str) -> None:
    assert calls_a_person(said)


@pytest.mark.parametrize(
    "said",
    [
        "Can you tell?",
        "Please can you tell me the hotel limit?",
        "What can you tell me about parking?",
        "Askback, can you tell?",
        "Porto",
        "Hamburg, I mean",
        "How do you get there, please?",
        "Kannst du das sagen?",
    ],
)
def test_what_has_no_name_calls_nobody(said: str) -> None:
    assert not calls_a_person(said)
