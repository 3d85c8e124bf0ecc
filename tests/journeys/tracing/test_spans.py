"""Each run is told to OpenTelemetry, if that is set: from a Slack payload to what a collector gets."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bot.settings import Settings
from bot.telemetry.spans import RunSpans, opened_spans
from graph.trace import Call, TracedStep
from tests.journeys.conversations.test_groq import LIMIT, PLAIN, writing
from tests.journeys.harness import Harness, text_of
from tests.models.groq_server import GroqServer, Says
from tests.support.serving import served


def told(*, has_words: bool) -> dict[str, ReadableSpan]:
    """Return the spans of a run with two steps and a call, by name."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    run = RunSpans(
        tracer=provider.get_tracer("test"), has_words=has_words, thread_id="T0:C0:1", reference="A1", workspace="one"
    )
    words = {"searched": ["How many days?"], "found": ["Leave › Days"]}
    run.note_step(TracedStep(node="search", ms=5, facts={"found": 1, "grades": [0.5]}, words=words, calls=[]))
    run.note_call(Call(model="large", tokens_in=100, tokens_out=20, ms=7, cost=0.5))
    run.note_step(TracedStep(node="write", ms=9, facts={"draft": 1}, words={"draft": ["It is 25 days [1]."]}, calls=[]))
    run.note_step(TracedStep(node="finish", ms=1, facts={"outcome": "answered"}, words={}, calls=[]))
    run.end("answered")
    return {span.name: span for span in exporter.get_finished_spans()}


def test_a_run_holds_its_nodes_and_a_node_its_calls() -> None:
    spans = told(has_words=False)

    assert {"answer", "search", "write", "large", "finish"} == spans.keys()
    parents = {name: span.parent.span_id if span.parent else None for name, span in spans.items()}
    ids = {name: span.context.span_id for name, span in spans.items() if span.context}
    assert {
        "answer": None,
        "search": ids["answer"],
        "write": ids["answer"],
        "finish": ids["answer"],
        "large": ids["write"],
    } == parents


def test_spans_have_the_names_and_the_times_of_what_they_tell_of() -> None:
    spans = told(has_words=False)

    kinds = {name: (span.attributes or {}).get("openinference.span.kind") for name, span in spans.items()}
    assert {"answer": "AGENT", "search": "RETRIEVER", "write": "CHAIN", "finish": "CHAIN", "large": "LLM"} == kinds
    assert {
        "openinference.span.kind": "LLM",
        "llm.model_name": "large",
        "llm.token_count.prompt": 100,
        "llm.token_count.completion": 20,
        "llm.token_count.total": 120,
        "llm.cost.total": 0.5,
    } == dict(spans["large"].attributes or {})
    assert 7_000_000 == (spans["large"].end_time or 0) - (spans["large"].start_time or 0)
    assert 5_000_000 == (spans["search"].end_time or 0) - (spans["search"].start_time or 0)


def test_people_s_words_are_told_only_if_that_is_set() -> None:
    silent, open_ = (
        json.dumps([dict(span.attributes or {}) for span in told(has_words=has_words).values()], default=list)
        for has_words in (False, True)
    )

    assert all(word in open_ for word in ("How many days?", "Leave", "25 days"))
    assert not any(word in silent for word in ("How many", "Leave", "25 days"))


@dataclass
class Collector:
    """A collector of OTLP over HTTP."""

    url: str = ""
    status: int = 200
    received: list[ExportTraceServiceRequest] = field(default_factory=list[ExportTraceServiceRequest])

    async def take(self, request: web.Request) -> web.Response:
        self.received.append(ExportTraceServiceRequest.FromString(await request.read()))
        return web.Response(status=self.status)

    @property
    def names(self) -> list[str]:
        return [
            span.name
            for request in self.received
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


@asynccontextmanager
async def collecting(status: int = 200) -> AsyncGenerator[Collector]:
    collector = Collector(status=status)
    app = web.Application()
    app.router.add_post("/v1/traces", collector.take)
    async with served(app) as address:
        collector.url = f"{address}/v1/traces"
        yield collector


async def test_a_collector_gets_a_question_s_run_with_its_calls_and_no_words(harness: Harness) -> None:
    async with (
        collecting() as collector,
        GroqServer.serve(writing(Says(LIMIT))) as groq,
        harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url, otlp_url=collector.url),
    ):
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)
        await harness.settled()

    assert "145 EUR" in text_of(answer)
    names = collector.names
    assert {"answer", "search", "understand", "write", "validate", "finish"} <= set(names)
    assert 3 == sum("gpt-oss" in name for name in names)
    sent = b"".join(request.SerializeToString() for request in collector.received)
    assert b"hotel" not in sent
    assert b"145 EUR" not in sent


async def test_a_collector_that_refuses_costs_no_answer(harness: Harness) -> None:
    async with collecting(status=400) as collector, harness.bot(otlp_url=collector.url):
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)

    assert "145 EUR" in text_of(answer)


async def test_it_is_off_by_default() -> None:
    async with opened_spans(Settings()) as spans:
        assert spans is None


@pytest.mark.parametrize("given", [{"otlp_url": "collector"}, {"otlp_url": "http://a.example", "otlp_words": True}])
def test_words_go_nowhere_in_the_open(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="ASKBACK_OTLP"):
        Settings.model_validate(given)
