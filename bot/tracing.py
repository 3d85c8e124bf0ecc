"""Detects whether LangChain would send questions and documents to the service LangSmith (pure)."""

from collections.abc import Mapping
from typing import Final

from bot.errors import SettingsError

_VARIABLES: Final = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
_OFF: Final = ("", "0", "false", "no", "off")


def require_none(environment: Mapping[str, str]) -> None:
    """Raise `SettingsError` if a variable turns tracing on, because the libraries read it themselves."""
    for name in _VARIABLES:
        if environment.get(name, "").strip().casefold() not in _OFF:
            raise SettingsError(
                f"{name} would send all questions and your documents' text to LangSmith:"
                " unset it, or set ASKBACK_LANGSMITH_TRACING=true if you want that."
            )
