"""What others read of this process: traces, numbers, logs."""

from collections.abc import Mapping
from typing import Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from bot.errors import SettingsError
from bot.settings.addresses import fault_of
from bot.settings.variables import Variables

_TRACING: Final = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
_OFF: Final = ("", "0", "false", "no", "off")


class TelemetryVariables(Variables):
    """The variables of traces, numbers and logs."""

    may_be_traced: bool = Field(
        default=False,
        validation_alias="ASKBACK_LANGSMITH_TRACING",
        description="Whether `LANGSMITH_TRACING` may send every run, with people's words, to the service LangSmith.",
    )
    otlp_url: str | None = Field(
        default=None,
        description="Where OpenTelemetry spans of each run go, over HTTP (`http://localhost:4318/v1/traces`). Needs"
        " `pip install 'askback[opentelemetry]'`.",
    )
    otlp_words: bool = Field(
        default=False,
        description="Whether the spans hold what people asked and read. Askback cannot delete it there.",
    )
    metrics_address: str | None = Field(
        default=None,
        description="Where this process serves its numbers to Prometheus, at `/metrics` (`127.0.0.1:9464`). They hold"
        " no words, but anybody who reaches the address can read them.",
    )
    log_format: Literal["console", "json"] = Field(default="console", description="The format of log lines.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The lowest level that is logged."
    )

    @field_validator("metrics_address", mode="after")
    @classmethod
    def _is_host_and_port(cls, given: str | None) -> str | None:
        host, _, port = (given or "").rpartition(":")
        if given and (not host or set("/@ ") & set(host) or not port.isdecimal() or int(port) >= 2**16):
            raise ValueError("give a host and a port, as in 127.0.0.1:9464.")
        return given

    @model_validator(mode="after")
    def _tells_words_in_private(self) -> Self:
        fault = fault_of(self.otlp_url) if self.otlp_url else None
        if fault == "no_address":
            raise ValueError("ASKBACK_OTLP_URL is no address: give one such as http://localhost:4318/v1/traces.")
        if fault == "open" and self.otlp_words:
            raise ValueError("ASKBACK_OTLP_WORDS: ASKBACK_OTLP_URL is http:// outside your own network: use https://.")
        return self


def require_no_tracing(environment: Mapping[str, str]) -> None:
    """Raise `SettingsError` if a variable makes LangChain send questions and documents to the service LangSmith.

    The libraries read these variables themselves.
    """
    for name in _TRACING:
        if environment.get(name, "").strip().casefold() not in _OFF:
            raise SettingsError(
                f"{name} would send all questions and your documents' text to LangSmith:"
                " unset it, or set ASKBACK_LANGSMITH_TRACING=true if you want that."
            )
