"""Log lines hold neither secrets nor people's words."""

import json
import logging
import warnings
from collections.abc import Generator
from typing import Literal

import pytest
import structlog

from bot.logs import configure_logs


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
