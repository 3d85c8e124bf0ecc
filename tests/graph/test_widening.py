"""When the question before is searched, too: if a question that finds nothing may continue it."""

from typing import cast

import pytest

from graph.routing import after_use_tools
from graph.state import Exchange, Memory, State

BEFORE = "Wie viele Urlaubstage habe ich in Hamburg?"


def searched(question: str, standalone: str) -> str:
    """Return where a run goes that found nothing for a question, by what the question means alone."""
    exchange = cast("Exchange", {"question": BEFORE, "standalone": BEFORE, "answer": "", "sources": [], "passages": []})
    turn = {
        "question": question,
        "understanding": {"standalone": standalone, "subquestions": []},
        "passages": [],
        "addressed": True,
        "choice": None,
        "mode": "conversational",
        "key": "",
        "asker": "U0ADA",
        "earlier": [],
    }
    memory = Memory(exchanges=[exchange], overheard=[], people=["U0ADA"])
    return after_use_tools(cast("State", {"turn": turn, "memory": memory}))


@pytest.mark.parametrize("question", ["Wer genehmigt das?", "und in Porto?"])
def test_a_question_that_stands_as_it_was_asked_may_continue_the_one_before(question: str) -> None:
    assert "widen" == searched(question, question)


@pytest.mark.parametrize("standalone", ["Wie viele Urlaubstage habe ich in Porto?", BEFORE])
def test_a_follow_up_that_says_already_what_the_one_before_said_does_not(standalone: str) -> None:
    """Joined once more, it would name both offices, and be answered for the wrong one."""
    assert "suggest" == searched("und in Porto?", standalone)
