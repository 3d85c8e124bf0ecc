"""Greetings, thanks and questions about the bot itself, and what to say to them (pure).

A message is small talk when it has a word of that kind and no word that could be about anything else.
"""

from bot.models.offline.understanding.courtesies import GREETINGS, OF_ITSELF, POLITE, PRAISED, THANKS
from graph import patterns
from graph.text.wording import covering, spoken
from graph.text.words import STOP_WORDS, language_of, words

_REQUEST = patterns.compile(
    r"^(?:(?:hi|hey|hello|please)[, ]+)*(?:can|could|would|will|do) you (?:please )?"
    r"(?:tell|show|give|find|say|know|explain)\b(?: me| us)?",
    patterns.IGNORE_CASE,
)
_ITSELF = patterns.compile(
    r"\b(?:you|your|yourself|du|dein|what (?:\w+ )?(?:can|could|may) i ask)\b", patterns.IGNORE_CASE
)
_WHAT_IT_DOES = patterns.compile(
    r"\b(?:what (?:can|do|would|could) you do|who are you|are you (?:a |an |really |just )*\w+$|how do you work"
    r"|was kannst du|wer bist du)\b",
    patterns.IGNORE_CASE,
)
_MENTION = patterns.compile(r"<[@!#][^>]*>")
_EMOJI = patterns.compile(r":[a-z0-9_+-]+:|☺")


def reply_to(said: str, topics: list[str]) -> str:
    """Return what to say to small talk; empty where it is none."""
    plain = _EMOJI.sub(" ", _MENTION.sub(" ", said)).strip(" .!?")
    found = set(words(plain))
    language = language_of(plain)
    if not found:
        return _to_a_sign(said, language, topics)
    others = found - STOP_WORDS - POLITE
    if _is_about_itself(plain, others - GREETINGS - THANKS - PRAISED):
        return _introduction(language, topics)
    if others <= GREETINGS | THANKS | _praised(found) and "?" not in plain:
        return _courtesy(found, language, topics)
    return ""


def _praised(found: set[str]) -> frozenset[str]:
    return PRAISED if found & THANKS else frozenset()


def _to_a_sign(said: str, language: str, topics: list[str]) -> str:
    """Answer a message without words: an emoji is taken for thanks, a bare mention for a call."""
    return _welcome(language) if _EMOJI.search(said) else _introduction(language, topics)


def _is_about_itself(said: str, others: set[str]) -> bool:
    if _WHAT_IT_DOES.search(said) and not others - OF_ITSELF:
        return True
    return bool(others and others <= OF_ITSELF and _ITSELF.search(_REQUEST.sub("", said)))


def _courtesy(found: set[str], language: str, topics: list[str]) -> str:
    if found & THANKS:
        return _welcome(language)
    if found & GREETINGS or found <= {"help", "hilfe"}:
        return f"{spoken('Hello!', language)} {_introduction(language, topics)}"
    return ""


def _welcome(language: str) -> str:
    return spoken("You're welcome. Ask me any time.", language)


def _introduction(language: str, topics: list[str]) -> str:
    answers = "I answer questions from the team's documents, with sources, and ask back when one is unclear."
    return f"{spoken(answers, language)}{covering(topics, language)}"
