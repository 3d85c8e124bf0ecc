"""The understander: one structured call to a language model."""

import prompts
from bot.models.llm import material
from bot.models.llm.model import LanguageModel
from bot.models.llm.understanding.form import FilledForm, form_for, may_clarify
from bot.models.llm.understanding.reading import offers, understanding_of
from bot.models.packing import clipped, tokens_of
from graph.context import Case
from graph.state import Understanding
from prompts.fencing import fence

_CONVERSATION = 400
"""Tokens of the conversation so far."""
_LONGEST_MESSAGE = 200
_MOST_FOUND = 8


class ModelUnderstander:
    """A language model that understands a turn."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = prompts.load("understand")

    async def understand(self, case: Case) -> Understanding:
        """Ask the model, and check its answer. Raises `CallError` if the model fails."""
        reading = await self._model.fill(FilledForm, self._prompt, self._material(case), schema=form_for(case))
        return understanding_of(reading, case)

    def _material(self, case: Case) -> dict[str, str]:
        may_ask, asker = may_clarify(case), material.profile(case.get("profile"))
        return {
            "today": material.day(case["today"]),
            "addressed": "addressed to the bot" if case["addressed"] else "not addressed to the bot",
            "asking": "You may ask back." if may_ask else "Do not ask back.",
            "topics": material.topics(case["topics"]),
            "tools": material.tools(case["tools"]),
            "places": material.places(case["kinds"]),
            "languages": material.languages(case["languages"]),
            # Who asks takes the room of the conversation, so that the prompt stays as small.
            "conversation": material.conversation(case["memory"], budget=_CONVERSATION - tokens_of(asker)),
            "facets": material.readings(offers(case) if may_ask else []),
            "passages": material.sketches(case["question"], case["passages"][:_MOST_FOUND]),
            "choice": material.choice(case.get("choice")),
            "verified": material.verified(case["candidates"]),
            "profile": asker,
            "question": fence("message", clipped(case["question"], _LONGEST_MESSAGE)),
        }
