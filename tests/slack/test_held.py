"""Where nobody called the bot, people see a whole answer or nothing."""

from dataclasses import replace

import pytest

from bot.slack.presenter.presenter import AnswerPresenter, HeldPresenter
from graph.events import TextWritten
from tests.slack.asking import ANSWER, FOUND, READING, Asked, shown_text


def held(asked: Asked) -> AnswerPresenter:
    """Return a presenter that holds back what is not whole."""
    usual = asked.presenter()
    return HeldPresenter(usual._destination, usual._session._sessions, is_discreet=True)


@pytest.mark.parametrize("ending", ["part", "failure", "dismissal"])
async def test_drafts_parts_and_failures_are_never_shown(asked: Asked, ending: str) -> None:
    presenter = held(asked)
    before = len(asked.playground.calls())
    await presenter.begin()
    for event in (READING, FOUND, TextWritten(text="Twelve weeks [1].")):
        await presenter.show(event)
    if ending == "part":
        await presenter.show(ANSWER)
    else:
        await (presenter.fail("It broke.") if ending == "failure" else presenter.dismiss("It was dropped."))
    await presenter.close()

    assert [] == [one.method for one in asked.playground.calls()[before:]]


async def test_a_whole_answer_is_shown_at_once(asked: Asked) -> None:
    presenter = held(asked)
    await presenter.begin()
    await presenter.show(TextWritten(text="Draft"))
    await presenter.show(replace(ANSWER, is_whole=True))
    await presenter.close()

    assert [ANSWER.text] == [shown_text(reply) for reply in asked.replies]
