"""Probes two models: the server's list of names, one form, and the first word of one answer."""

from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import httpx

from bot.certificates import authorities
from bot.models.llm.errors import CallError, explain
from bot.models.llm.language_models import LanguageModels
from bot.models.llm.servers import Server
from bot.models.llm.understanding.understander import ModelUnderstander
from bot.models.llm.writer import ModelWriter
from graph.context import Brief, Case
from graph.passages import Passage, Topics
from graph.state import Memory

_TODAY: Final = "2026-11-23"
_SECONDS: Final = 10.0
"""Timeout for the list of names."""
_QUESTION: Final = "How many days of vacation are there?"
_NOBODY_SPOKE: Final = Memory(exchanges=[], overheard=[], people=[])


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The result of probing two models."""

    form_seconds: float
    knows_schema: bool
    """Whether the server binds forms to a strict schema. If not, JSON is checked, and asked for once more."""
    first_word_seconds: float
    says_how_far: bool
    """Whether the answer began with the line about how far the passages answer the question."""


async def names_at(server: Server) -> set[str]:
    """Return the names of a server's models. Raises `CallError` if the server does not list them."""
    path, headers = _listing(server)
    try:
        async with httpx.AsyncClient(timeout=_SECONDS, verify=authorities()) as http:
            answer = await http.get(f"{server.url}{path}", headers=headers)
            return _names(answer.raise_for_status().json())
    except httpx.HTTPStatusError as error:
        raise CallError(f"It answers with HTTP {error.response.status_code}.") from error
    except (httpx.HTTPError, ValueError, LookupError, TypeError) as error:
        raise explain(error) from error


async def probe(models: LanguageModels) -> Findings:
    """Request a form and the beginning of an answer. Raises `CallError` if one of them fails."""
    started = monotonic()
    await ModelUnderstander(models.small).understand(_case())
    understood = monotonic()
    said = ""
    begun = 0.0
    async for piece in ModelWriter(models.large).write(_brief()):
        begun = begun or monotonic()
        said += piece
    return Findings(
        form_seconds=understood - started,
        knows_schema=models.small.forms.knows_schema,
        first_word_seconds=begun - understood,
        says_how_far=said.lstrip().startswith("EVIDENCE"),
    )


def _listing(server: Server) -> tuple[str, dict[str, str]]:
    """Return the path of the list below a server's address, and the headers for it."""
    if server.provider == "anthropic":
        headers = {"x-api-key": server.key.get_secret_value(), "anthropic-version": "2023-06-01"}
        return "/v1/models?limit=1000", headers
    return "/api/tags" if server.provider == "ollama" else "/models", server.bearer


def _names(listed: Any) -> set[str]:
    if "models" in listed:  # This is Ollama, where `qwen3` means `qwen3:latest`.
        names = {str(model["name"]) for model in listed["models"]}
        return names | {name.removesuffix(":latest") for name in names}
    return {str(model["id"]) for model in listed["data"]}


def _passage() -> Passage:
    return {
        "id": 1,
        "document_id": 1,
        "title": "Vacation",
        "path": "vacation.md",
        "heading_path": [],
        "text": "Everybody has 25 days of vacation a year.",
        "language": "en",
        "dated": _TODAY,
        "attributes": {},
        "score": 1.0,
    }


def _case() -> Case:
    return {
        "question": _QUESTION,
        "memory": _NOBODY_SPOKE,
        "passages": [_passage()],
        "facets": [],
        "topics": Topics(["Vacation"]),
        "languages": [],
        "addressed": True,
        "may_ask": False,
        "candidates": [],
        "today": _TODAY,
        "kinds": [],
        "tools": [],
    }


def _brief() -> Brief:
    return {
        "question": _QUESTION,
        "passages": [_passage()],
        "memory": _NOBODY_SPOKE,
        "issues": [],
        "today": _TODAY,
    }
