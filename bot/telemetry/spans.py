"""Tells OpenTelemetry of each run: a span for the run, each node, and each model call, by OpenInference's names.

Only `opened_spans` imports the SDK, if an address is set. What people wrote is told only if a setting says so.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

from opentelemetry.trace import Span, Status, StatusCode, Tracer, set_span_in_context

from bot.errors import SettingsError
from bot.settings import Settings
from graph.trace import Call, RunOutcome, TracedStep

EXPORT_SECONDS: Final = 5.0
"""How long a collector may take; meanwhile answers go on."""
_KINDS: Final = {
    "search": "RETRIEVER", "retrieve": "RETRIEVER", "widen": "RETRIEVER", "improve": "RETRIEVER",
    "look_up_place": "RETRIEVER", "search_web": "TOOL", "use_tools": "TOOL", "approve": "TOOL", "grade": "RERANKER",
    "audit": "GUARDRAIL", "validate": "EVALUATOR",
}  # fmt: skip
"""OpenInference's kinds of spans by node; the others are links of the chain."""
_NANOSECONDS: Final = 1_000_000
"""In a millisecond."""


@dataclass
class RunSpans:
    """The spans of one run. They are made after what they tell of, with its times."""

    tracer: Tracer
    has_words: bool
    thread_id: str
    reference: str
    """What a person quotes to an administrator."""
    workspace: str
    _run: Span | None = None
    _calls: list[tuple[Call, int]] = field(default_factory=list[tuple[Call, int]])
    """Calls of the current node, with their ends."""
    _said: str = ""
    """The last text that was written or shown."""

    def note_call(self, call: Call) -> None:
        """Note a call that ended now."""
        self._calls.append((call, time.time_ns()))

    def note_step(self, step: TracedStep) -> None:
        """Tell of a node that ended now, and of its calls."""
        ended = time.time_ns()
        began = ended - step["ms"] * _NANOSECONDS
        if self._run is None:
            self._run = self.tracer.start_span("answer", start_time=began, attributes=self._of_run(step))
        node = self._child(self._run, step["node"], began, _of_step(step, has_words=self.has_words))
        for call, end in self._calls:
            self._child(node, call["model"], end - call["ms"] * _NANOSECONDS, _of_call(call)).end(end)
        node.end(ended)
        self._calls = []
        self._said = "\n".join(step["words"].get("said") or step["words"].get("draft") or [self._said])

    def end(self, outcome: RunOutcome) -> None:
        """End the run's span, if there is one."""
        if self._run is None:
            return
        self._run.set_attribute("askback.outcome", outcome)
        if self.has_words:
            self._run.set_attribute("output.value", self._said)
        self._run.set_status(Status(StatusCode.ERROR if outcome == "failed" else StatusCode.OK))
        self._run.end()

    def _child(self, parent: Span, name: str, began: int, attributes: dict[str, Any]) -> Span:
        context = set_span_in_context(parent)
        return self.tracer.start_span(name, context=context, start_time=began, attributes=attributes)

    def _of_run(self, first: TracedStep) -> dict[str, Any]:
        known = {
            "openinference.span.kind": "AGENT",
            "session.id": self.thread_id,
            "askback.reference": self.reference,
            "askback.workspace": self.workspace,
        }
        return {**known, "input.value": "\n".join(first["words"].get("searched", []))} if self.has_words else known


class SpansOf(Protocol):
    """What begins the spans of runs."""

    def __call__(self, *, thread_id: str, reference: str, workspace: str) -> RunSpans:
        """Return the spans of a run."""
        ...


@asynccontextmanager
async def opened_spans(settings: Settings) -> AsyncGenerator[SpansOf | None]:
    """Send spans to the address that is set, in a thread of the SDK's. Raises `SettingsError` if there is no SDK."""
    if settings.otlp_url is None:
        yield None
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - An extra.
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - An extra.
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - An extra.
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - An extra.
    except ImportError as error:
        raise SettingsError("ASKBACK_OTLP_URL needs a library: pip install 'askback[opentelemetry]'.") from error
    provider = TracerProvider(resource=Resource.create({"service.name": "askback"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(settings.otlp_url, timeout=EXPORT_SECONDS)))
    try:
        yield partial(RunSpans, provider.get_tracer("askback"), settings.otlp_words)
    finally:
        await asyncio.to_thread(provider.shutdown)


def _of_step(step: TracedStep, *, has_words: bool) -> dict[str, Any]:
    facts = {f"askback.{name.replace(' ', '_')}": value for name, value in step["facts"].items()}
    kind = {"openinference.span.kind": _KINDS.get(step["node"], "CHAIN")}
    if not has_words:
        return {**kind, **facts}
    found = {
        f"retrieval.documents.{place}.document.metadata": json.dumps({"title": title}, ensure_ascii=False)
        for place, title in enumerate(step["words"].get("found", []))
    }
    return {**kind, **facts, **found, "output.value": json.dumps(step["words"], ensure_ascii=False)}


def _of_call(call: Call) -> dict[str, Any]:
    cost = {"llm.cost.total": call["cost"]} if "cost" in call else {}
    return {
        **cost,
        "openinference.span.kind": "LLM",
        "llm.model_name": call["model"],
        "llm.token_count.prompt": call["tokens_in"],
        "llm.token_count.completion": call["tokens_out"],
        "llm.token_count.total": call["tokens_in"] + call["tokens_out"],
    }
