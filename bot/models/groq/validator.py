"""Judging a draft against its passages by one structured call."""

from typing import Any

from pydantic import BaseModel, ConfigDict

import prompts
from bot.models.groq import material
from bot.models.groq.model import GroqModel
from bot.models.packing import pack
from graph.context import Hints, Verdict
from graph.passages import Passage
from prompts.fencing import fence


class Judgement(BaseModel):
    """The filled-in form."""

    model_config = ConfigDict(extra="forbid")

    faithful: float
    responsive: float
    issues: list[str]


class GroqValidator:
    """A Groq model that compares drafts with their passages."""

    def __init__(self, model: GroqModel, *, budget: int = 3500) -> None:
        self._model = model
        self._prompt = prompts.load("validate")
        self._form: dict[str, Any] = Judgement.model_json_schema()
        self._budget = budget
        """Tokens of passages in the prompt: those that the writer saw."""

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        """Ask the model; raise `CallError` where it fails."""
        del hints
        seen = {
            "passages": material.passages(pack(question, passages, budget=self._budget)),
            "question": fence("question", question),
            "answer": fence("draft", answer),
        }
        judgement = await self._model.fill(Judgement, self._prompt, seen, schema=self._form)
        return {
            "faithful": _share(judgement.faithful),
            "responsive": _share(judgement.responsive),
            "issues": [issue for issue in judgement.issues if issue.strip()],
        }


def _share(value: float) -> float:
    # A strict schema knows no bounds.
    return min(max(value, 0.0), 1.0)
