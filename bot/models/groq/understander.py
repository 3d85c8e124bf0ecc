"""Understanding by one structured call."""

import prompts
from bot.models.groq import material
from bot.models.groq.model import GroqModel
from bot.models.groq.reading import Reading, form_for, may_clarify, understanding_of
from bot.models.packing import pack
from graph.context import Case
from graph.state import Understanding
from prompts.fencing import fence


class GroqUnderstander:
    """A Groq model that says what a turn is."""

    def __init__(self, model: GroqModel, *, budget: int = 1200) -> None:
        self._model = model
        self._prompt = prompts.load("understand")
        self._budget = budget
        """Tokens of passages in the prompt."""

    async def understand(self, case: Case) -> Understanding:
        """Ask the model, check what it says; raise `CallError` where it fails."""
        reading = await self._model.fill(Reading, self._prompt, self._material(case), schema=form_for(case))
        return understanding_of(reading, case)

    def _material(self, case: Case) -> dict[str, str]:
        return {
            "today": case["today"],
            "addressed": "addressed to the bot" if case["addressed"] else "not addressed to the bot",
            "asking": "You may ask back." if may_clarify(case) else "Do not ask back.",
            "topics": material.topics(case["topics"]),
            "conversation": material.conversation(case["memory"]),
            "facets": material.readings(case["facets"]),
            "passages": material.passages(pack(case["question"], case["passages"], budget=self._budget, longest=250)),
            "choice": material.choice(case.get("choice")),
            "question": fence("message", case["question"]),
        }
