"""What to say to greetings, thanks, and questions about the bot itself (pure)."""

from typing import Literal, TypeAlias, assert_never

from graph import patterns
from graph.passages import Topics
from graph.text.markdown import EMOJI, MENTION
from graph.text.wording import GIVEN_UP, HERE, UNCLEAR, covering, spoken
from graph.text.words import language_of, words

SmallTalk: TypeAlias = Literal["greeting", "thanks", "closing", "itself", "test", "unclear"]
"""`test` only tries out whether the bot is there; `unclear` is a bare question mark after an answer."""

_WORD = patterns.compile(r"\w")
_TEST = patterns.compile(
    r"(?:(?:just|only|this|that|is|a|an|my|another|ein|eine|nur|das|dies|ist|um|uma|é|só|isto|apenas)\s+)*"
    r"(?:test(?:ing)?|teste|ping)(?:[\s,]+(?:test(?:ing)?|teste|message|nachricht|1|2|3|123|one|two|three))*[\s.!?]*",
    patterns.IGNORE_CASE,
)
_COURTESY = patterns.compile(
    r"(?:(?:hi|hey|hello|hallo|moin|olá|oi|ok(?:ay)?|please|pls|bitte|por favor|sorry|entschuldigung|desculpa"
    r"|thanks?(?: you)?|thx|ty|cheers|(?:(?:vielen|besten) )?danke?(?:schön)?|(?:muito )?obrigad[ao]|merci|gracias)"
    r"(?: (?:again|a lot|so much|very much|in advance|all|there|dir|euch|ihnen|schön|sehr|im voraus))*\b[\W_]*)+",
    patterns.IGNORE_CASE,
)
_COURTESIES = {
    "de": frozenset("danke dankeschön moin hallo servus tschüss guten morgen hilfe".split()),
    "pt": frozenset("obrigado obrigada olá oi bom boa adeus tchau ajuda".split()),
}
"""Words of greetings and thanks that have no small word of their language beside them: "Danke!"."""


def in_words(said: str) -> str:
    """Return a message without mentions and emoji; empty if it has no other word."""
    plain = EMOJI.sub(" ", MENTION.sub(" ", said)).strip()
    return plain if _WORD.search(plain) else ""


def is_courtesy(said: str) -> bool:
    """Tell whether words, mentions and emoji only greet, thank, beg or excuse."""
    plain = in_words(said)
    return not plain or _COURTESY.fullmatch(plain) is not None


def is_test(said: str) -> bool:
    """Tell whether a message only tries out whether the bot is there."""
    return _TEST.fullmatch(said.strip()) is not None


def without_words(said: str, *, is_first: bool) -> SmallTalk:
    """Return what a message without a word is: an emoji greets or thanks, a bare mention is a call."""
    if not EMOJI.search(said):
        return "itself" if is_first else "unclear"
    return "greeting" if is_first else "thanks"


def reply_to(kind: SmallTalk, said: str, topics: Topics) -> str:
    """Return what to say to small talk, in its language."""
    language = _language_of(in_words(said))
    match kind:
        case "greeting":
            return f"{spoken('Hello!', language)} {_introduction(language, topics)}"
        case "thanks":
            return spoken("You're welcome. Ask me any time.", language)
        case "closing":
            return spoken(GIVEN_UP, language)
        case "itself":
            return _introduction(language, topics)
        case "test":
            return spoken(HERE, language)
        case "unclear":
            return spoken(UNCLEAR, language)
        case _:
            assert_never(kind)


def _language_of(said: str) -> str:
    spoken_in = (code for code, courtesies in _COURTESIES.items() if not courtesies.isdisjoint(words(said)))
    return language_of(said, default=next(spoken_in, "en"))


def _introduction(language: str, topics: Topics) -> str:
    answers = "I answer questions from the team's documents, with sources, and ask back when one is unclear."
    return f"{spoken(answers, language)}{covering(topics, language)}"
