"""Greetings, thanks and questions about the bot itself, and what to say to them (pure).

A message is small talk when it has a word of that kind and no word that could be about anything else.
"""

import re

from graph.wording import covering, spoken
from graph.words import STOP_WORDS, language_of, words

_GREETINGS = frozenset(
    re.findall(
        r"\S+",
        """
        hi hello hey heya hiya yo howdy greetings morning afternoon evening hallo moin servus tag morgen abend tach
        doing going sup meet ya doin heyo wassup hanging goodnight
        """,
    )
)
_THANKS = frozenset(
    re.findall(
        r"\S+",
        """
        thanks thank thx ty cheers great perfect awesome nice cool super prima danke dank goodbye bye haha hahaha
        lol obrigado obrigada gracias merci hilft tschüss tschüß ciao farewell appreciate appreciated helpful
        helped helps later thankful gratitude goodnight grateful
        """,
    )
)
_POLITE = frozenset(
    re.findall(
        r"\S+",
        """
        good day night there everyone team bot askback buddy pal friend man guys oh ah ok okay well much lot many
        very help helping talking chatting talk chat see speak speaking soon how's what's it's things today really
        kind lovely fine got so again one everything schönen guten vielen sehr zusammen geht geht's dir hilfe been
        fun enjoyed special i'm you've how've around owe next sincere big way always whats hows pleasure glad happy
        welcome answering fast quick
        """,
    )
)
_PRAISED = frozenset(
    re.findall(r"\S+", "assistance assisting info information conversation life job work time reply answer")
)
"""What thanks are said for; without thanks a question may be about it."""
_REQUEST = re.compile(
    r"^(?:(?:hi|hey|hello|please)[, ]+)*(?:can|could|would|will|do) you (?:please )?"
    r"(?:tell|show|give|find|say|know|explain)\b(?: me| us)?",
    re.IGNORECASE,
)
_ITSELF = re.compile(r"\b(?:you|your|yourself|du|dein|what (?:\w+ )?(?:can|could|may) i ask)\b", re.IGNORECASE)
_WHAT_IT_DOES = re.compile(
    r"\b(?:what (?:can|do|would|could) you do|who are you|are you (?:a |an |really |just )*\w+$|how do you work"
    r"|was kannst du|wer bist du)\b",
    re.IGNORECASE,
)
_OF_ITSELF = frozenset(
    re.findall(
        r"\S+",
        """
        know answer cover assist tell made make built created programmed designed designer manufactured company
        organization name named call called age old older living born birthday come came country place city robot
        human person computer ai artificial intelligence machine real live alive hobbies hobby hobbys free
        activities enjoy like pet pets animal animals dog dogs cat cats boss manager superior maker creator
        employer employed questions question topics subjects subject areas ask capable use sort sorts type types
        kind kinds speaking speak actual actually current year years secretly existence individual another
        different alles tun machen bescheid weißt kannst bist heißt topic anything something originally going go
        may makes responsible design creating brought conversation names by find say able
        """,
    )
)
_MENTION = re.compile(r"<[@!#][^>]*>")
_EMOJI = re.compile(r":[a-z0-9_+-]+:|[\u2600-\u27bf\U0001f000-\U0001faff]")


def reply_to(said: str, topics: list[str]) -> str:
    """Return what to say to small talk; empty where it is none."""
    plain = _EMOJI.sub(" ", _MENTION.sub(" ", said)).strip(" .!?")
    found = set(words(plain))
    language = language_of(plain)
    if not found:
        return _to_a_sign(said, language, topics)
    others = found - STOP_WORDS - _POLITE
    if _is_about_itself(plain, others - _GREETINGS - _THANKS - _PRAISED):
        return _introduction(language, topics)
    if others <= _GREETINGS | _THANKS | _praised(found) and "?" not in plain:
        return _courtesy(found, language, topics)
    return ""


def _praised(found: set[str]) -> frozenset[str]:
    return _PRAISED if found & _THANKS else frozenset()


def _to_a_sign(said: str, language: str, topics: list[str]) -> str:
    """Answer a message without words: an emoji is taken for thanks, a bare mention for a call."""
    return _welcome(language) if _EMOJI.search(said) else _introduction(language, topics)


def _is_about_itself(said: str, others: set[str]) -> bool:
    if _WHAT_IT_DOES.search(said) and not others - _OF_ITSELF:
        return True
    return bool(others and others <= _OF_ITSELF and _ITSELF.search(_REQUEST.sub("", said)))


def _courtesy(found: set[str], language: str, topics: list[str]) -> str:
    if found & _THANKS:
        return _welcome(language)
    if found & _GREETINGS or found <= {"help", "hilfe"}:
        return f"{spoken('Hello!', language)} {_introduction(language, topics)}"
    return ""


def _welcome(language: str) -> str:
    return spoken("You're welcome. Ask me any time.", language)


def _introduction(language: str, topics: list[str]) -> str:
    answers = "I answer questions from the team's documents, with sources, and ask back when one is unclear."
    return f"{spoken(answers, language)}{covering(topics, language)}"
