"""The questions, clear and ambiguous, about the handbook."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """A clear question, and a text that only its answer holds."""

    question: str
    fact: str


HOTEL = Asked("What is the limit for a hotel night?", "145")
PORTO = Asked("How many vacation days do people in Porto get?", "25")
HAMBURG = Asked("How many vacation days do people in Hamburg get?", "30")
PLAIN = (
    HOTEL.question,
    PORTO.question,
    "Which bridge day is free in 2026?",
    "Do I have to work on my birthday?",
    "How much is the daily allowance for meals on a trip?",
    "How many days ahead do I have to book a business trip?",
    "How many days a week may I work from home?",
    "How long may I work from another country of the EU?",
)
AMBIGUOUS = "How many vacation days do I have?"
READINGS = ("Porto", "Hamburg")


def plain(number: int) -> str:
    """Return one of the clear questions, in turn."""
    return PLAIN[number % len(PLAIN)]
