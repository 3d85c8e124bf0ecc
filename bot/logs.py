"""Configures logs: events in the past tense with fields, masked secrets, and errors without people's words."""

import logging
import sys
import traceback
from collections.abc import Iterator
from typing import Any, Literal

import structlog
from structlog.typing import EventDict, ExcInfo, WrappedLogger

from bot.errors import is_ours, name_of, place_of
from graph import patterns
from graph.text.credentials import redacted
from graph.text.invisible import visible

TOKEN = patterns.compile(
    r"xox[abeprs]-[\w-]+|xapp-[\w-]+|gsk_\w+|(?P<before>://)[^/@\s:]+:[^/@\s]+(?P<after>@)|(?P<bearer>Bearer )\S+"
)
INPUT = patterns.compile(r"\binput_value=.*, input_type=")
"""What pydantic's errors and warnings show of a value."""
BLOTTED = "***"


def configure_logs(form: Literal["console", "json"], level: str) -> None:
    """Configure structlog and the libraries' logging, to standard error."""
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.processors.ExceptionRenderer(_traceback),
        blot_secrets,
    ]
    renderer = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(foreign_pre_chain=[_drop_words, *shared], processor=renderer)
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(threshold)
    logging.captureWarnings(capture=True)
    # Libraries log requests at info level, with addresses.
    for library in (
        "httpx",
        "httpcore",
        "slack_sdk",
        "slack_bolt",
        "aiohttp",
        "groq",
        "alembic",
        "psycopg.pool",
    ):
        logging.getLogger(library).setLevel(max(threshold, logging.WARNING))


def library_logger(name: str, *, without: str) -> logging.Logger:
    """Return a logger for a library: one line for each event, without lines that hold the text `without`."""
    logger = logging.getLogger(name)
    # Set a level, because Slack's library makes a logger without level log everything.
    logger.setLevel(logging.WARNING)
    logger.filters[:] = [_OneLine(without)]
    return logger


class _OneLine(logging.Filter):
    """Drops tracebacks: the library's message names the error, and a traceback inside the library does not help."""

    def __init__(self, without: str) -> None:
        super().__init__()
        self._without = without

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = None
        return self._without not in record.getMessage()


def _told(error: BaseException) -> str:
    """Return what a log line may say of an error: our own sentence, or the place where a library's error arose.

    A library's error may repeat people's words: PostgreSQL's details show the row, pydantic's show the input, and a
    provider's show what a model wrote.
    """
    if is_ours(error):
        return str(error)
    place = place_of(error)
    return f"{name_of(error)} at {place}" if place else name_of(error)


def _drop_words(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace the error's texts in a library's line: the line is about the error, or written during it."""
    info: ExcInfo | None = event.get("exc_info")
    said = str(event.get("event"))
    for one in _chain(info[1] if info else sys.exc_info()[1]):
        for text in (repr(one), str(one)):
            # A cause may be part of the text of its effect, so the effect comes first.
            said = said.replace(text, _told(one)) if text and text != _told(one) else said
    return {**event, "event": said}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what it was raised from or beside, and what it groups, each once."""
    found: list[BaseException] = []
    ahead = [error]
    while ahead:
        one = ahead.pop(0)
        if one is not None and not any(one is known for known in found):
            found.append(one)
            yield one
            ahead += [_cause(one), *(one.exceptions if isinstance(one, BaseExceptionGroup) else ())]


def _cause(error: BaseException) -> BaseException | None:
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _traceback(exc_info: ExcInfo) -> str:
    """Return the tracebacks of an error and of what led to it, the first cause first. They show code and no values."""
    return "\n\n".join(reversed([_frames(one) for one in _chain(exc_info[1])]))


def _frames(error: BaseException) -> str:
    lines = traceback.format_tb(error.__traceback__)
    said = f"{name_of(error)}: {error}" if is_ours(error) else name_of(error)
    return "".join(["Traceback (most recent call last):\n", *lines, said])


def blot_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Mask tokens and passwords in every field and in the traceback, and let neither begin a line."""
    return {key: _set_in(key, _blotted(value)) for key, value in event.items()}


def _set_in(key: str, value: Any) -> Any:
    """Return a value whose line breaks make no line that looks like an event of ours."""
    if not isinstance(value, str):
        return value
    if key == "event":
        return "\\n".join(value.splitlines())
    return "\n    ".join(value.splitlines()) if key == "exception" else value


def _blotted(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, BaseException):
        return _told(value)
    # Turn other values into text, so that no secret hides in a list or an object.
    text = value if isinstance(value, str) else repr(value)
    text = TOKEN.sub(lambda found: f"{found['before']}{found['bearer']}{BLOTTED}{found['after']}", text)
    return redacted(visible(INPUT.sub(f"input_value={BLOTTED}, input_type=", text)))
