"""How long answers are, and how long models may take."""

from pydantic import Field

from bot.settings.variables import Variables


class ModelLimits(Variables):
    """The limits of a model's answers."""

    longest_answer_tokens: int = Field(
        default=10_000,
        ge=256,
        le=65_536,
        description="The most tokens of one answer. If the Groq plan has no room for them, 2,000.",
    )
    longest_form_tokens: int = Field(
        default=800,
        ge=200,
        le=8_192,
        description="The most tokens of a form that a model fills in, including its thoughts. A retry gets twice as"
        " many.",
    )
    form_seconds: float = Field(
        default=5.0,
        gt=0,
        description="Seconds a model may take to understand a question or validate a draft. Then the rules do it.",
    )
    first_word_seconds: float = Field(
        default=10.0,
        gt=0,
        description="Seconds from the question to a model's first word. Then the documents are quoted.",
    )
    silence_seconds: float = Field(
        default=8.0,
        gt=0,
        description="Seconds that a model may pause in the middle of an answer.",
    )
