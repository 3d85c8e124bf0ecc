"""Log lines hold neither secrets nor people's words."""

import json
import logging
import warnings
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Literal

import pytest
import structlog
from psycopg.errors import UniqueViolation
from pydantic import BaseModel

from bot.conversation.contents import ReminderContent
from bot.errors import SlackBusyError
from bot.logs import configure_logs, library_logger
from graph.context import ModelError
from graph.turn import Turn
from tests.conversation.test_decisions import item


@pytest.fixture(autouse=True)
def logging_as_before() -> Generator[None]:
    """Restore the process's logging."""
    root = logging.getLogger()
    handlers, level, usual = root.handlers[:], root.level, structlog.get_config()
    yield
    root.handlers[:], root.level = handlers, level
    logging.captureWarnings(capture=False)
    structlog.configure(**usual)


@pytest.mark.parametrize(
    "secret",
    [
        "xoxb-12345678-abcdef",
        "xapp-1-A0-123-abc",
        "gsk_abcdefgh12345678",
        "postgresql://askback:hunter2@db.example/askback",
        "Bearer 12345",
    ],
)
def test_a_secret_is_blotted_out_wherever_it_stands(capsys: pytest.CaptureFixture[str], secret: str) -> None:
    configure_logs("json", "info")

    error = RuntimeError(f"It was refused: {secret}")
    log = structlog.stdlib.get_logger()
    log.warning("call_failed", reason=str(error), detail={"given": [secret]}, exc_info=error)
    logging.getLogger("somebody.else").warning("They say %s", secret)

    said = capsys.readouterr().err
    assert "***" in said
    for part in ("12345", "hunter2", "gsk_abc"):
        assert part not in said


@pytest.mark.parametrize("question", ["what Ada asked in private"])
def test_a_traceback_shows_no_values(capsys: pytest.CaptureFixture[str], question: str) -> None:
    configure_logs("console", "info")

    def fails(text: str) -> None:
        raise LookupError(len(text))

    try:
        fails(question)
    except LookupError as error:
        structlog.stdlib.get_logger().warning("run_failed", exc_info=error)

    said = capsys.readouterr().err
    assert "LookupError" in said
    assert question not in said


WORDS = "my salary is 4,200"


class Asked(BaseModel):
    """A form that a model fills."""

    days: int


def of_database() -> None:
    raise UniqueViolation(f'duplicate key value violates unique constraint "x"\nDETAIL:  Key (said)=({WORDS}) exists.')


def of_form() -> None:
    Asked.model_validate({"days": WORDS})


def of_provider() -> None:
    try:
        int(WORDS)
    except ValueError as error:
        raise ModelError("The language model's answer cannot be read.") from error


def of_several() -> None:
    error = LookupError(WORDS)
    error.add_note(WORDS)
    raise ExceptionGroup(WORDS, [error, KeyError(WORDS)])


@pytest.mark.parametrize("form", ["json", "console"])
@pytest.mark.parametrize(
    ("fails", "named"),
    [
        (of_database, "psycopg.errors.UniqueViolation"),
        (of_form, "ValidationError"),
        (of_provider, "graph.context.ModelError: The language model's answer cannot be read."),
        (of_several, "KeyError"),
    ],
)
def test_no_word_of_a_person_that_an_error_repeats_is_in_a_line(
    capsys: pytest.CaptureFixture[str], form: Literal["json", "console"], fails: Callable[[], None], named: str
) -> None:
    configure_logs(form, "info")
    log, library = structlog.stdlib.get_logger(), logging.getLogger("somebody.else")
    failed = Exception()
    try:
        fails()
    except Exception as error:
        library.exception("It failed: %s, %r", error, error)
        library_logger("somebody.again", without="nothing").warning("It failed: %s", error)
        log.warning("run_failed", exc_info=error)
        log.warning("worker_error", reason=error)
        failed = error
    # Without the error under way, as where a task that failed is dropped.
    logging.getLogger("asyncio").warning("Never retrieved: <Task %r>", failed, exc_info=failed)

    said = capsys.readouterr().err
    assert "4,200" not in said
    assert named in said
    assert "in of_" in said


@pytest.mark.filterwarnings("default")
def test_a_warning_of_a_form_shows_no_value(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("json", "info")

    Asked.model_construct(days=WORDS).model_dump()

    said = capsys.readouterr().err
    assert "input_type=str" in said
    assert WORDS not in said


def test_our_own_error_is_told_whole_and_anothers_by_its_type_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("json", "info")
    log = structlog.stdlib.get_logger()
    reminder = replace(item(Turn(question="", asker="", addressed=True), "", 1), content=ReminderContent(ask_id=1))

    log.warning("draft_not_shown", error=SlackBusyError("chat.update: ratelimited"))
    try:
        _ = reminder.turn
    except TypeError as error:
        log.warning("worker_error", reason=error)

    ours, anothers = map(json.loads, capsys.readouterr().err.splitlines())
    assert "chat.update: ratelimited" == ours["error"]
    assert anothers["reason"].startswith("TypeError at bot/conversation/items.py:")


def test_json_lines_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("json", "info")

    with structlog.contextvars.bound_contextvars(reference="ABCD2345"):
        structlog.stdlib.get_logger().info("run_finished", seconds=1)

    line = json.loads(capsys.readouterr().err)
    assert ("run_finished", "ABCD2345", "info") == (line["event"], line["reference"], line["level"])


def test_what_is_below_the_level_is_not_said(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("json", "warning")

    structlog.stdlib.get_logger().info("run_finished")

    assert "" == capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_a_warning_is_a_log_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("json", "info")

    warnings.warn("A text was shown as plain text.", UserWarning, stacklevel=1)

    assert "A text was shown as plain text." in json.loads(capsys.readouterr().err)["event"]


@pytest.mark.parametrize("form", ["json", "console"])
def test_no_field_steers_the_terminal_that_shows_the_line(
    capsys: pytest.CaptureFixture[str], form: Literal["json", "console"]
) -> None:
    configure_logs(form, "info")

    structlog.stdlib.get_logger().warning("file_not_read", path="a\x1b[2J\x9b31m\u202e.md")

    said = capsys.readouterr().err
    assert "a[2J31m.md" in said
    assert not set("\x9b\u202e") & set(said)


def test_no_text_of_others_begins_a_line_of_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("console", "info")
    forged = "a.md\n2026-01-01T00:00:00Z [info     ] review_approved person=U0ADA\r\n2026\u20282026\x852026"
    log = structlog.stdlib.get_logger()

    log.warning("file_not_read", path=forged)
    logging.getLogger("somebody.else").warning("They say %s", forged)
    log.error("broke", exc_info=ValueError(forged))

    begins = [line[:4] for line in capsys.readouterr().err.splitlines()]
    assert 3 == sum(begin == "2026" for begin in begins if begin.strip()), begins
