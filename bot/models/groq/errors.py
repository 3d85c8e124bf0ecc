"""What can go wrong with Groq, in words a person can read and without a word of what was said.

ModelError
├── RateLimitedError
└── DraftCutError
"""

import groq
import httpx

from graph.context import ModelError

# A malformed answer is parsed unchecked by the libraries; the last four are what they trip over.
FAILURES = (groq.GroqError, httpx.HTTPError, ValueError, LookupError, TypeError, AttributeError)


class RateLimitedError(ModelError):
    """The model takes no more requests for now; another one may."""


class DraftCutError(ModelError):
    """The stream ended after text had been yielded, which therefore does not count."""


def explain(error: Exception) -> ModelError:
    """Return our error for one of `FAILURES`."""
    if isinstance(error, groq.RateLimitError):
        return RateLimitedError("The language model is at its rate limit.")
    return ModelError(f"The language model {_what_happened(error)}.")


def _what_happened(error: Exception) -> str:
    match error:
        case groq.APITimeoutError() | httpx.TimeoutException():
            return "took too long"
        case groq.APIConnectionError() | httpx.HTTPError():
            return "could not be reached"
        case groq.AuthenticationError() | groq.PermissionDeniedError():
            return f"refused the key (HTTP {error.status_code})"
        case groq.APIStatusError():
            return f"refused the request (HTTP {error.status_code})"
        case _:
            return "gave an answer that cannot be read"
