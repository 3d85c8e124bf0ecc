"""The errors of a language model. Their texts are for people and repeat nothing of the conversation (pure).

ModelError
├── CallError
│   ├── LateError
│   ├── RateLimitedError
│   ├── RequestTooLargeError
│   └── UnreadableError
└── DraftCutError
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from graph.context import ModelError

_WROTE_NONSENSE: Final = ("json_validate_failed", "tool_use_failed")
"""Groq's codes for an error in the model's output, and not in the request."""
_NO_CAPACITY: Final = 498
_OVERLOADED: Final = "overloaded_error"
"""Anthropic's type of this error in the middle of a stream that began with status 200."""
_ABOUT_FORMS: Final = ("response_format", "json_schema")
"""Words of a server that does not know schemas, such as llama-cpp-python's, which refuses them with status 500."""
_TIMEOUTS: Final = {"TimeoutException", "APITimeoutError", "TimeoutError"}
_UNREACHABLE: Final = {"TransportError", "APIConnectionError", "ConnectionError"}


class CallError(ModelError):
    """A call failed. `transient` and `retry_after_seconds` say whether and when to retry it."""

    def __init__(
        self, reason: str, *, transient: bool = False, retry_after_seconds: float = 0.0, status: int = 0
    ) -> None:
        super().__init__(reason)
        self.transient = transient
        self.retry_after_seconds = retry_after_seconds
        self.status = status
        """The HTTP status if the provider refused the request, else 0."""


class RateLimitedError(CallError):
    """The model accepts no more requests for now; another model may."""


class RequestTooLargeError(CallError):
    """The prompt and the reserved answer need more tokens than the plan allows in a minute."""


class LateError(CallError):
    """The language model took too long."""

    def __init__(self) -> None:
        # Not transient: the person has waited long enough.
        super().__init__("The language model took too long.")


class UnreadableError(CallError):
    """The language model's answer cannot be read."""

    def __init__(self, text: str = "", *, is_cut: bool = False) -> None:
        super().__init__("The language model's answer cannot be read.")
        self.text = text
        """The model's text."""
        self.is_cut = is_cut
        """Whether the answer ended because it reached its token limit."""


def explain(error: BaseException) -> CallError:
    """Return our error for an error of a provider's library.

    It compares class names, so that no library is imported only for its errors. The libraries of Groq, OpenAI and
    Anthropic come from one generator, on httpx or on its successor, and share these names.
    """
    names = {kind.__name__ for one in _chain(error) for kind in type(one).__mro__}
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        response = getattr(error, "response", None)
        # Ollama gives status -1 to an error in the middle of a stream.
        return _refused(max(status, 0) or 500, getattr(response, "headers", {}), getattr(error, "body", None))
    if _TIMEOUTS & names and "ConnectTimeout" not in names:
        return LateError()
    if _UNREACHABLE & names:
        # A connection that timed out was never made.
        return CallError("The language model could not be reached.", transient=True)
    return _unreadable(getattr(error, "completion", None))


def _unreadable(cut: Any) -> UnreadableError:
    """Return the error. OpenAI's library raises an error for a cut form, with the text so far."""
    text = cut.choices[0].message.content if cut is not None and cut.choices else ""
    return UnreadableError(text or "", is_cut=cut is not None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _refused(status: int, headers: Mapping[str, str], body: object) -> CallError:
    wait, code = _retry_after(headers), _code(body)
    match status:
        case HTTPStatus.TOO_MANY_REQUESTS:
            reason = "The language model is at its rate limit."
            return RateLimitedError(reason, transient=True, retry_after_seconds=wait)
        case HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return RequestTooLargeError(_refusal(status))
        case HTTPStatus.BAD_REQUEST if code in _WROTE_NONSENSE:
            return UnreadableError()
        case HTTPStatus.INTERNAL_SERVER_ERROR if any(word in str(body) for word in _ABOUT_FORMS):
            return CallError(_refusal(status), status=HTTPStatus.BAD_REQUEST)
        case _:
            transient = status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == _NO_CAPACITY or code == _OVERLOADED
            return CallError(_refusal(status), transient=transient, retry_after_seconds=wait, status=status)


def _code(body: object) -> str:
    match body:
        case {"error": {"code": str(code)}} | {"code": str(code)} | {"error": {"type": str(code)}}:
            return code
        case _:
            return ""


def _refusal(status: int) -> str:
    refused_key = status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
    return f"The language model refused the {'key' if refused_key else 'request'} (HTTP {status})."


def _retry_after(headers: Mapping[str, Any]) -> float:
    """Return the seconds in `Retry-After`; 0 if it is missing or holds a date."""
    try:
        return max(float(headers.get("retry-after", 0)), 0.0)
    except ValueError:
        return 0.0
