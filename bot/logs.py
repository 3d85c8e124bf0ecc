"""How log lines are made: an event in the past tense and its fields, with secrets blotted out."""

import logging
import sys
from typing import Any, Literal

import structlog
from structlog.typing import EventDict, WrappedLogger

from graph import patterns
from graph.text.credentials import redacted
from graph.unseen import seen

TOKEN = patterns.compile(
    r"xox[abeprs]-[\w-]+|xapp-[\w-]+|gsk_\w+|(?P<before>://)[^/@\s:]+:[^/@\s]+(?P<after>@)|(?P<bearer>Bearer )\S+"
)
BLOTTED = "***"


def configure_logs(form: Literal["console", "json"], level: str) -> None:
    """Set up structlog and the libraries' own logging for the process, to standard error."""
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
    # What libraries say at info is about requests, and may hold addresses.
    for library in (
        "httpx",
        "httpcore",
        "slack_sdk",
        "slack_bolt",
        "aiohttp",
        "groq",
        "alembic",
        "psycopg.pool",
        "procrastinate",
    ):
        logging.getLogger(library).setLevel(max(threshold, logging.WARNING))


def library_logger(name: str, *, without: str) -> logging.Logger:
    """Return a logger for a library: one line an event, and none that holds the text `without`."""
    logger = logging.getLogger(name)
    # Its own level: Slack's library takes a logger without one for a logger that is to say everything.
    logger.setLevel(logging.WARNING)
    logger.filters[:] = [_OneLine(without)]
    return logger


class _OneLine(logging.Filter):
    """Leaves tracebacks out: the library's message names the error, and where in the library it was helps nobody."""

    def __init__(self, without: str) -> None:
        super().__init__()
        self._without = without

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = None
        return self._without not in record.getMessage()


def blot_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Blot out tokens and passwords in every field, the traceback too."""
    return {key: _blotted(value) for key, value in event.items()}


def _blotted(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    # Anything else becomes text, so that no secret hides in a list or an object.
    text = value if isinstance(value, str) else repr(value)
    text = TOKEN.sub(lambda found: f"{found['before']}{found['bearer']}{BLOTTED}{found['after']}", text)
    return redacted(seen(text))
