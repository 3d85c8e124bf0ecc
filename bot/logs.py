"""Configures logs: events in the past tense with fields, and masked secrets."""

import logging
import sys
from typing import Any, Literal

import structlog
from structlog.typing import EventDict, WrappedLogger

from graph import patterns
from graph.text.credentials import redacted
from graph.text.invisible import visible

TOKEN = patterns.compile(
    r"xox[abeprs]-[\w-]+|xapp-[\w-]+|gsk_\w+|(?P<before>://)[^/@\s:]+:[^/@\s]+(?P<after>@)|(?P<bearer>Bearer )\S+"
)
BLOTTED = "***"


def configure_logs(form: Literal["console", "json"], level: str) -> None:
    """Configure structlog and the libraries' logging, to standard error."""
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.processors.format_exc_info,
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
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processor=renderer))
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
    # Turn other values into text, so that no secret hides in a list or an object.
    text = value if isinstance(value, str) else repr(value)
    text = TOKEN.sub(lambda found: f"{found['before']}{found['bearer']}{BLOTTED}{found['after']}", text)
    return redacted(visible(text))
