"""However a service that searches the web fails, a turn ends in an answer or an honest message, after few calls."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from bot.tools.web import WebSearch, searxng
from graph.context import Brief
from graph.events import AnswerCompleted
from graph.routing import PRESETS
from graph.run import run_alone
from graph.state import PresetName
from graph.text.wording import FROM_WEB
from graph.turn import Turn
from tests.graph.test_presets import Usual
from tests.support.fakes import Graded, Quoted, Written, context
from tests.support.waiting import let_pass
from tests.tools.web_services import Behaviour, WebService, page, serving

QUESTION = Turn(question="How long does a passport take?", asker="U0ADA", addressed=True)
FAILURES: dict[str, tuple[Behaviour, list[dict[str, Any]]]] = {
    "hang": ("hangs", []),
    "drip": ("drips", []),
    "429": ("is busy", []),
    "500": ("breaks", []),
    "403": ("refuses", []),
    "redirect": ("redirects", []),
    "no JSON": ("mumbles", []),
    "wrong schema": ("babbles", []),
    "10 MB": ("floods", []),
    "compressed": ("compresses", []),
    "cut": ("breaks off", []),
    "empty": ("answers", []),
    "no text": ("answers", [page("https://gov.example", "", "")]),
}
LIMIT, DEADLINE = 30.0, 100.0
"""Seconds of a search, and of a turn: far more than they take on a busy machine."""


@dataclass
class Empty(Written):
    """A model that finds nothing in documents."""

    judges: bool = True
    drafts: Any = ((),)

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        self.briefs.append(brief)
        is_of_web = any(one.get("web") for one in brief["passages"])
        yield "EVIDENCE: full\nIt takes three weeks [1]." if is_of_web else "EVIDENCE: none"


async def time_passes(service: WebService) -> None:
    """Let the time of a search be over as soon as the service was asked."""
    await service.is_asked.wait()
    let_pass(LIMIT)


async def asked(service: WebService, preset: PresetName, *, with_model: bool) -> tuple[AnswerCompleted, int]:
    """Ask, and return the answer and the number of the writer's calls."""
    writer = Empty()
    given = {"writers": (writer,)} if with_model else {"grader": Graded(0.01), "quoter": Quoted()}
    async with httpx.AsyncClient() as http:
        web = WebSearch(searxng(service.url, http), lambda _: None, seconds=LIMIT)
        run = run_alone(context(web=web, presets=Usual(preset), **given))
        async with asyncio.timeout(DEADLINE), asyncio.TaskGroup() as tasks:
            if service.hangs:
                tasks.create_task(time_passes(service))
            *_, last = [event async for event in run.start(QUESTION)]
    assert isinstance(last, AnswerCompleted)
    return last, len(writer.briefs)


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("with_model", [True, False], ids=["model", "rules"])
async def test_however_the_web_fails_a_turn_ends_soon_and_honestly(name: str, with_model: bool) -> None:
    behaviour, pages = FAILURES[name]
    for preset, limits in PRESETS.items():
        async with serving(*pages, behaviour=behaviour) as service:
            answer, drafts = await asked(service, preset, with_model=with_model)

        assert ("admitted", 1) == (answer.outcome, len(service.asked))
        assert answer.text.startswith("I found nothing")
        assert FROM_WEB not in answer.notes
        assert drafts <= limits.calls


async def test_a_service_that_works_is_the_answer() -> None:
    async with serving(page("https://gov.example/p", "Passports", "A passport takes three weeks.")) as service:
        answer, _ = await asked(service, "balanced", with_model=True)

    assert "It takes three weeks [1]." == answer.text
    assert FROM_WEB in answer.notes
