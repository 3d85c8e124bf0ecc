"""The writer: a language model that streams an answer."""

from collections.abc import AsyncIterator

import prompts
from bot.models.llm import material
from bot.models.llm.model import LanguageModel
from bot.models.packing import clipped, pack
from graph.context import Brief
from prompts.fencing import fence

_CONVERSATION = 400
"""Tokens of the conversation so far."""
PASSAGES = 2600
"""Tokens of all passages."""
_LONGEST_QUESTION = 500


class ModelWriter:
    """A language model that writes from passages."""

    note = ""
    judges = True

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = prompts.load("write")

    def write(self, brief: Brief) -> AsyncIterator[str]:
        """Yield Markdown. Raises `CallError` before the first piece, `DraftCutError` after it."""
        return self._model.write(
            self._prompt,
            self._material(brief),
            first_word_seconds=brief.get("seconds"),
            temperature=brief.get("temperature", 0.0),
        )

    def _material(self, brief: Brief) -> dict[str, str]:
        return {
            "today": material.day(brief["today"]),
            "passages": material.passages(pack(brief["question"], brief["passages"], budget=PASSAGES)),
            "conversation": material.conversation(brief["memory"], budget=_CONVERSATION),
            "issues": material.faults(brief.get("draft", ""), brief["issues"]),
            "question": fence("question", clipped(brief["question"], _LONGEST_QUESTION)),
        }
