"""What can go wrong with Groq, in words a person can read and without a word of what was said.

ModelError
├── CallError
│   ├── LateError
│   ├── RateLimitedError
│   ├── RequestTooLargeError
│   └── UnreadableError
└── DraftCutError
"""

from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus

import groq
import httpx

from graph.context import ModelError

# A malformed answer is parsed unchecked by the libraries; the last four are what they trip over.
FAILURES = (groq.GroqError, httpx.HTTPError, ValueError, LookupError, TypeError, AttributeError)

_WROTE_NONSENSE = ("json_validate_failed", "tool_use_failed")
"""What a refusal is called that is about what the model wrote, and not about the request."""
_NO_CAPACITY = 498


class CallError(ModelError):
    """A call that failed, and whether and when it may succeed."""

    def __init__(
        self, reason: str, *, transient: bool = False, retry_after_seconds: float = 0.0, status: int = 0
    ) -> None:
        super().__init__(reason)
        self.transient = transient
        self.retry_after_seconds = retry_after_seconds
        self.status = status
        """Of HTTP, if the request was refused; else 0."""


class RateLimitedError(CallError):
    """The model takes no more requests for now; another one may."""


class RequestTooLargeError(CallError):
    """The prompt and the room for its answer are more tokens than the plan allows a minute."""


class LateError(CallError):
    """The language model took too long."""

    def __init__(self) -> None:
        # Whoever waited once in vain does not wait again.
        super().__init__("The language model took too long.")


class UnreadableError(CallError):
    """The language model's answer cannot be read."""

    def __init__(self) -> None:
        super().__init__("The language model's answer cannot be read.")


@contextmanager
def in_our_words() -> Generator[None]:
    """Raise `CallError` for whatever the libraries raise."""
    try:
        yield
    except FAILURES as error:
        raise explain(error) from error


def explain(error: Exception) -> CallError:
    """Return our error for one of `FAILURES`."""
    match error:
        case groq.RateLimitError():
            wait = _retry_after(error)
            return RateLimitedError(
                "The language model is at its rate limit.", transient=True, retry_after_seconds=wait
            )
        case groq.APIStatusError(status_code=HTTPStatus.REQUEST_ENTITY_TOO_LARGE):
            return RequestTooLargeError(_refusal(error))
        case groq.BadRequestError() if _code(error) in _WROTE_NONSENSE:
            return UnreadableError()
        case groq.APIStatusError():
            transient = isinstance(error, groq.InternalServerError) or error.status_code == _NO_CAPACITY
            wait, status = _retry_after(error), error.status_code
            return CallError(_refusal(error), transient=transient, retry_after_seconds=wait, status=status)
        case groq.APIConnectionError() | httpx.TransportError():
            unreachable = CallError("The language model could not be reached.", transient=True)
            return LateError() if _is_late(error) else unreachable
        case _:
            return UnreadableError()


def _code(error: groq.APIStatusError) -> str:
    match error.body:
        case {"error": {"code": str(code)}}:
            return code
        case _:
            return ""


def _is_late(error: Exception) -> bool:
    # Where no connection comes about, refused or not, it is one that took too long to be made.
    cause = error.__cause__ if isinstance(error, groq.GroqError) else error
    return isinstance(cause, httpx.TimeoutException) and not isinstance(cause, httpx.ConnectTimeout)


def _refusal(error: groq.APIStatusError) -> str:
    refused_key = isinstance(error, groq.AuthenticationError | groq.PermissionDeniedError)
    return f"The language model refused the {'key' if refused_key else 'request'} (HTTP {error.status_code})."


def _retry_after(error: groq.APIStatusError) -> float:
    """Return the seconds that `Retry-After` asks for; 0 where it does not, or gives a date."""
    try:
        return max(float(error.response.headers.get("retry-after", 0)), 0.0)
    except ValueError:
        return 0.0
