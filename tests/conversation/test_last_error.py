"""The record of an error holds its type and place. Its message is stored apart, and cut."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from psycopg.errors import UndefinedTable

from bot.conversation.contents import ReminderContent
from bot.conversation.transitions import LONGEST_REASON, broken_off
from graph.turn import Turn
from tests.conversation.test_decisions import item

NOW = datetime(2030, 1, 1, tzinfo=UTC)
QUESTION = item(Turn(question="", asker="", addressed=True), "", 1)


def kept_of(error: BaseException) -> dict[str, Any]:
    """Return what an item keeps of an error."""
    broken = broken_off(QUESTION, error=error, now=NOW)
    return dict(broken.last_error or {}) if broken else {}


def test_the_place_is_the_innermost_line_of_ours() -> None:
    with pytest.raises(TypeError) as raised:
        _ = replace(QUESTION, content=ReminderContent(ask_id=1)).turn

    assert kept_of(raised.value)["place"].startswith("bot/conversation/items.py:")


def test_an_error_of_a_library_has_its_whole_name_and_one_of_python_its_short_one() -> None:
    assert "psycopg.errors.UndefinedTable" == kept_of(UndefinedTable())["error"]
    assert "KeyError" == kept_of(KeyError("x"))["error"]


def test_an_error_that_was_never_raised_rose_nowhere() -> None:
    known = {"error": "ValueError", "place": "", "reason": "Why?", "at": NOW.isoformat()}

    assert known == kept_of(ValueError("Why?"))


def test_a_long_reason_is_cut_and_can_be_stored() -> None:
    assert "a" * LONGEST_REASON == kept_of(ValueError("\0" + "a" * 1000))["reason"]
