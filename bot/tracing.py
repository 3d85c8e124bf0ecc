"""Whether LangChain would send what people ask, and what documents say, to LangSmith, a service of others (pure)."""

from collections.abc import Mapping
from typing import Final

from bot.errors import SettingsError

_VARIABLES: Final = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
_OFF: Final = ("", "0", "false", "no", "off")


def require_none(environment: Mapping[str, str]) -> None:
    """Raise `SettingsError` where a variable turns tracing on; the libraries look at it whatever we are told."""
    for name in _VARIABLES:
        if environment.get(name, "").strip().casefold() not in _OFF:
            raise SettingsError(
                f"{name} would send all that people ask, and what your documents say, to LangSmith:"
                " unset it, or set ASKBACK_LANGSMITH_TRACING=true if that is meant."
            )
