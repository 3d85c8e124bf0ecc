"""Detects a document's language, and names PostgreSQL's text-search configuration for it."""

from functools import cache
from typing import Protocol

from py3langid.langid import MODEL_FILE, LanguageIdentifier

_CONFIGURATIONS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch",
    "no": "norwegian", "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_UNSTEMMED = ("bg", "cs", "fa", "he", "hr", "ja", "ko", "pl", "sk", "sl", "th", "uk", "vi", "zh")
_SAMPLE = 4000
"""The number of characters that are examined."""
_SURE = 0.8
"""Least probability of a detected language. Below it, the text is too short or mixed, and counts as English."""


def configuration_for(language: str) -> str:
    """Return the text-search configuration; `simple` if PostgreSQL has none for the language."""
    return _CONFIGURATIONS.get(language, "simple")


def language_of(text: str, stated: str | None = None) -> str:
    """Return the stated ISO 639-1 code, or the likeliest one; English if unsure."""
    if stated and stated.strip():
        return stated.strip().lower().replace("_", "-").split("-")[0]
    language, probability = _identifier().classify(text[:_SAMPLE])
    return language if probability >= _SURE else "en"


class _Identifier(Protocol):
    def classify(self, text: str, /) -> tuple[str, float]: ...


@cache
def _identifier() -> _Identifier:
    # Loading takes a third of a second, so a process loads it once. Fewer candidate languages mean fewer mistakes.
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([*_CONFIGURATIONS, *_UNSTEMMED])
    return identifier
