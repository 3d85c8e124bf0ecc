"""What a person's typed reply to a clarifying question means: an option, their own words, or a new question (pure)."""

import re
from difflib import SequenceMatcher

from graph.text.words import STOP_WORDS, content_words, words
from graph.turn import Choice

ALIKE = 0.8
"""How alike (0–1) a word and its misspelling are."""
OWN_TOPIC = 0.5
"""A question of whose content less than this was on the table is a new one."""

_MENTION = re.compile(r"<[@!#][^>]*>|:[a-z0-9_+-]+:")
_ORDINALS = {
    **dict.fromkeys(("first", "1st", "former", "erste", "ersten", "erster", "erstes"), 1),
    **dict.fromkeys(("second", "2nd", "zweite", "zweiten", "zweiter", "zweites"), 2),
    **dict.fromkeys(("third", "3rd", "dritte", "dritten", "dritter", "drittes"), 3),
    **dict.fromkeys(("fourth", "4th", "vierte", "vierten", "vierter", "viertes"), 4),
    **dict.fromkeys(("last", "latter", "letzte", "letzten", "letzter", "letztes"), 0),
}
_DIGIT = re.compile(r"(?:option|number|no|nr|nummer|choice|answer)?\s*[#(]?\s*([1-9])", re.IGNORECASE)
_JUST_ANSWER = re.compile(
    r"(?:please\s+)?(?:just (?:answer|pick|guess|go ahead|tell me)(?: (?:it|me|one|anyway))?|whatever|whichever"
    r"|(?:any|either)(?: (?:one|of (?:them|these)|is fine|will do))?|you (?:choose|decide|pick)|up to you"
    r"|(?:it )?does(?:n['’]?t| not) matter|(?:i )?don['’]?t (?:care|know|mind)|no (?:idea|preference)|not sure|idk"
    r"|(?:ist |mir )?(?:ganz )?egal|antworte einfach|einfach antworten|keine ahnung|weiß (?:ich )?nicht)",
    re.IGNORECASE,
)
_FILLER = STOP_WORDS | frozenset(
    re.findall(
        r"\S+",
        """
        i'd i'm i'll it's that's one ones mean meant want need take think guess say said choose pick option number
        sorry ok okay hi hey hello thanks thank course sure actually probably rather maybe meine meinte nehme nehmen
        wähle natürlich danke
        """,
    )
)
_NEGATED = re.compile(r"\b(?:not|neither|none|no|nicht|keine?[nrs]?|weder|\w+n['’]t)\b", re.IGNORECASE)
_CONTRADICTED = re.compile(r"^(?:no|nope|nein)[,.!]+\s*", re.IGNORECASE)
_REJECTED = re.compile(
    r"\b(?:not|neither|nicht|keine?[nrs]?|weder|\w+n['’]t)\b(?! (?:only|just|nur)\b)"
    r".*?(?=[,;.]|\b(?:but|sondern|aber)\b|$)",
    re.IGNORECASE,
)
_THOUGHT_ALOUD = re.compile(
    r"(?:(?:what|huh|eh|pardon|sorry|was|hä|wie bitte"
    r"|no|nope|nah|nein|weder noch|(?:none|neither|keine?[rs]?)(?: of (?:them|these|those)| davon)?"
    r"|h+m+|u+h+m*|e+r+m*|oh|ah|well|so|ok(?:ay)?|yes|yeah|yep|ja|good question|gute frage|interesting|wait|moment"
    r"|(?:one|just a) (?:moment|second|sec)|hold on|let me (?:think|see|check)|i['’]?ll (?:think|check))\b"
    r"[\s,.!?…-]*)+",
    re.IGNORECASE,
)
_CLOSING = (
    r"(?:never ?mind|nvm|forget (?:it|that|about it)|cancel(?: (?:it|that|this))?|stop|thanks?(?: you)?|thx"
    r"|vergiss (?:es|das)|(?:vielen )?danke?|abbrechen|schon gut)"
)
_CLOSES = re.compile(
    rf"(?:(?:ok(?:ay)?|no|nein|oh|please|bitte)[\s,.!]+)*{_CLOSING}"
    rf"(?:[\s,.!]+(?:{_CLOSING}|please|bitte|anyway|a lot|so much|very much))*[\s.!]*",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:and |und |also |hi |hey |ok |actually )*(?:who|what|when|where|why|how|which|whose|is|are|was|were|do|does|did"
    r"|can|could|should|will|would|may|has|have|tell|show|explain|find|list|give"
    r"|wer|was|wann|wo|warum|wieso|wie|welche[rsmn]?|ist|sind|kann|darf|muss|gibt|zeig|erkläre?)\b",
    re.IGNORECASE,
)


def read_reply(text: str, *, question: str, options: list[tuple[str, str]]) -> Choice | None:
    """Return what a reply chooses or says; `None` where it is a new question of its own.

    `question` is the ambiguous one that was asked back about, `options` are (id, label) in the order shown.
    """
    said = _MENTION.sub(" ", text).strip()
    if not words(said):
        return Choice(kind="text", value=text, label=text)
    bare = said.strip(" .!,;")
    chosen = _numbered(bare, options) or _labelled(bare, question, options)
    if chosen is not None:
        return Choice(kind="option", value=chosen[0], label=chosen[1])
    if _JUST_ANSWER.fullmatch(bare):
        return Choice(kind="just_answer")
    if _is_new_question(said, question, options) and not says_nothing(said):
        return None
    return Choice(kind="text", value=said, label=said)


def is_closing(text: str) -> bool:
    """Whether the person takes the question back or only thanks; neither says what was meant."""
    return _CLOSES.fullmatch(_MENTION.sub(" ", text).strip()) is not None


def says_nothing(text: str) -> bool:
    """Whether a reply neither chooses nor asks: an emoji, "what?", a bare yes or no, thinking aloud.

    An option may be called so too: ask this only of what `read_reply` takes for the person's own words.
    """
    said = _MENTION.sub(" ", text).strip()
    return not words(said) or _THOUGHT_ALOUD.fullmatch(said) is not None


def _numbered(said: str, options: list[tuple[str, str]]) -> tuple[str, str] | None:
    if _REJECTED.search(said):
        return None
    core = " ".join(word for word in words(said) if word not in _FILLER or word in _ORDINALS)
    digit = _DIGIT.fullmatch(said.rstrip(").")) or _DIGIT.fullmatch(core)
    number = int(digit[1]) if digit else _ORDINALS.get(core)
    if number is None or number > len(options):
        return None
    return options[number - 1]


def _labelled(said: str, question: str, options: list[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the one option whose distinguishing words the reply says, or does not reject, if it says little else."""
    exact = [option for option in options if words(option[1]) == words(said)]
    if exact:
        return exact[0]
    said = _CONTRADICTED.sub("", said)
    asks = "?" in said or _ASKS.match(said) is not None
    kept = said if asks else _REJECTED.sub(" ", said)
    affirmed = [] if _NEGATED.search(kept) else _named(kept, options)
    left = affirmed or ([] if kept == said else _unnamed(said, options))
    most = 1 if affirmed and not asks else 0
    return left[0] if len(left) == 1 and len(_extra(said, question, options)) <= most else None


def _unnamed(said: str, options: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the options that a rejection leaves; none where it names none."""
    rejected = _named(said, options)
    return [option for option in options if rejected and option not in rejected]


def _named(said: str, options: list[tuple[str, str]]) -> list[tuple[str, str]]:
    spoken = [word for word in words(said) if word not in _FILLER]
    return [option for option, own in zip(options, _telling(options), strict=True) if _says(spoken, own)]


def _extra(said: str, question: str, options: list[tuple[str, str]]) -> list[str]:
    """Return the words that are neither small nor on the table."""
    known = {*words(question), *(word for _, label in options for word in words(label))}
    spoken = [word for word in words(said) if word not in _FILLER and not _NEGATED.fullmatch(word)]
    return [word for word in spoken if not _near_any(word, known)]


def _telling(options: list[tuple[str, str]]) -> list[set[str]]:
    """Return for each option the words of its label that no other label has."""
    labels = [{word for word in words(label) if word not in STOP_WORDS} for _, label in options]
    return [own - set().union(*(other for other in labels if other is not own)) for own in labels]


def _says(spoken: list[str], telling: set[str]) -> bool:
    return any(_alike(word, own) for word in spoken for own in telling)


def _near_any(word: str, known: set[str]) -> bool:
    return any(_alike(word, other) for other in known)


def _alike(word: str, other: str) -> bool:
    if word == other:
        return True
    if min(len(word), len(other)) < 4 or word.isdigit() or other.isdigit():  # noqa: PLR2004 - Short words differ by a letter.
        return False
    return other.startswith(word) or SequenceMatcher(None, word, other).ratio() >= ALIKE


def _is_new_question(said: str, question: str, options: list[tuple[str, str]]) -> bool:
    if not ("?" in said or _ASKS.match(said)):
        return is_closing(said)
    own = [word for word in content_words(said) if word not in _FILLER]
    on_the_table = set(content_words(" ".join([question, *(label for _, label in options)])))
    shared = sum(word in on_the_table for word in own)
    return bool(own) and shared < OWN_TOPIC * len(own)
