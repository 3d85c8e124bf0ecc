"""The record of an error holds its type and place. Its message is stored apart, and cut."""

from dataclasses import replace

import pytest
from psycopg.errors import UndefinedTable

from bot.conversation.payloads import ReminderPayload
from bot.conversation.workers.retry import LONGEST_REASON, LastError, last_error_of
from graph.turn import Turn
from tests.conversation.test_decisions import item


def test_the_place_is_the_innermost_line_of_ours() -> None:
    reminder = replace(item(Turn(question="", asker="", addressed=True), "", 1), payload=ReminderPayload(ask_id=1))
    with pytest.raises(TypeError) as raised:
        _ = reminder.turn

    assert last_error_of(raised.value).place.startswith("bot/conversation/items.py:")


def test_an_error_of_a_library_has_its_whole_name_and_one_of_python_its_short_one() -> None:
    assert "psycopg.errors.UndefinedTable" == last_error_of(UndefinedTable()).error
    assert "KeyError" == last_error_of(KeyError("x")).error


def test_an_error_that_was_never_raised_rose_nowhere() -> None:
    assert LastError(error="ValueError", place="", reason="Why?") == last_error_of(ValueError("Why?"))


def test_a_long_reason_is_cut_and_can_be_stored() -> None:
    assert "a" * LONGEST_REASON == last_error_of(ValueError("\0" + "a" * 1000)).reason
