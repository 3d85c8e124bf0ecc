"""Which untagged messages the bot leaves to people, before it searches anything, and what it makes of a run (pure)."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from bot.conversation.inputs import Message
from bot.slack.channel_modes.modes import UntaggedVerdict
from bot.slack.payloads.identity import SAID_BY_PEOPLE
from bot.slack.payloads.shapes import Payload
from graph import patterns
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested
from graph.text.names import calls_a_person
from graph.text.words import content_words
from graph.turn import Choice

Veto: TypeAlias = Literal[
    "called",
    "outsiders",
    "in_a_thread",
    "names_somebody",
    "file",
    "link_only",
    "no_question",
    "for_people",
    "answered_by_people",
]

LONGEST: Final = 600
"""Characters of a question. A longer message is an announcement or a discussion."""
FEWEST_WORDS: Final = 2
"""Content words of a question that the documents may answer: "Why?" continues what people said."""

COVERED: Final = 0.6
"""The share of a question's content words that a quotation must hold."""

_ADDRESS = patterns.compile(r"https?://\S+|\bwww\.\S+")
_ASKS = patterns.compile(
    r"[?？؟](?:\s|$)|^(?:(?:hi|hey|hello|all|team|folks|everyone|hallo|olá|also|und|and|so|quick (?:question|one)"
    r"|up to|until|by|from|bis|ab|até)[\s,:!-]+)*"
    r"(?:who|what|whats|what's|when|where|why|how|which|whose|is|are|does|do|did|can|may|must"
    r"|wer|was|wann|wo|warum|wie|welche[rsmn]?|ist|sind|kann|darf|muss|gibt"
    r"|quem|qual|quais|quando|onde|como|porquê|quanto|quantos|quantas|posso|há)\b"
    r"|[,:;–—-]\s*(?:how (?:much|many|long|often)|wie (?:viel\w*|lange?|oft)|quant[oa]s?)\b",
    patterns.IGNORE_CASE,
)
_KNOWS = patterns.compile(
    r"\b(?:do|does|did|can|could|would) (?:you|u|y['’]?all|any(?:one|body)|some(?:one|body)) (?:guys |all |please )?"
    r"(?:happen to )?(?:know|remember|tell me|explain|point me)\b|\bwei(?:ß|ss) (?:jemand|wer|einer)\b"
    r"|\bany(?:one|body) knows?\b|\balgu[eé]m sabe\b",
    patterns.IGNORE_CASE,
)
_HAS_TO = patterns.compile(r"\b(?:has|have) to\b", patterns.IGNORE_CASE)
_FOR_PEOPLE = patterns.compile(
    r"\b(?:you|your|yours|u|ya|y['’]all|du|dir|dich|dein\w*|ihr|euch|euer|eure\w*|vocês?|vos|vosso|tu|teu|tua)\b"
    r"|^remember\b|\bwhat do we (?:tell|say|write|do|answer|reply)\b"
    r"|\b(?:should|shall) we\b|\blet['’]?s\b|\b(?:sollen|sollten|wollen) wir\b"
    r"|\b(?:can|could|would|will|has|is|does|did|kann|hat|will|möchte) (?:any(?:one|body)|some(?:one|body)|jemand)\b"
    r"|\b(?:any(?:one|body)|some(?:one|body)) (?:else|here|around|up|free|seen|want|wants|got|have|has|want|able)\b"
    r"|\b(?:jemand|alguém)\b|\bwho(?:['’]s| was| has| wants| can| could| will| took| left| broke| else)\b"
    r"|\b(?:this|that|it|das|dies\w*|isto|isso) (?:pr|mr|ticket|thread|build|one|again|now|still|broken|failing)\b"
    r"|\b(?:my|mein\w*|meu|minha) (?:pr|mr|ticket|build|branch|commit|change|draft|slides|keys?|mug|bike|bag)\b"
    r"|\b(?:my|mein\w*|meu|minha) \w+ (?:was|is|has|ist|hat|foi)\b",
    patterns.IGNORE_CASE,
)
_OF_THE_MOMENT = patterns.compile(
    r"^(?:(?:and|so|but|wow|hey|hi|all)[\s,]+)*(?:(?:why|what|when|where|who|how|which \w+) was\b"
    r"|was (?:the|that|this|it|there|my|our|your)\b"
    r"|(?:(?:why|what|when|where|who|how|which \w+) )?(?:did|has|have|had|were|would|will"
    r"|(?:is|are|was|were|wo|would|does|do|did|has|have)n['’]t)\b)"
    r"|\b(?:today|tomorrow|tonight|yesterday|already|yet|still|again|going to (?-i:[a-z])\w*|right now|just now"
    r"|at the moment|on (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?:this|next) (?:week|weekend|month|quarter|morning|afternoon|evening|mon|tues|wednes|thurs|fri)\w*"
    r"|what happened|what changed|how come|status of|what time is it|(?:is|are) (?:\w+ ){1,4}doing"
    r"|(?:my|our) next|what if (?:we|you|they|he|she|it|the|a|an|any\w*|some\w*)"
    r"|heute|morgen|gestern|gerade|schon|wieder|noch|hoje|amanhã|ontem|agora|outra vez|já|ainda)\b"
    r"|\blast (?:week|month|year|quarter)(?:[^'’]|$)",
    patterns.IGNORE_CASE,
)
"""Documents say what holds. What happened, and what is so at the moment, people know."""
_OPINION = patterns.compile(
    r"\b(?:think|feel|opinion|(?:is|are|be|not|really|sounds|seems) fair|unfair|on earth|worth|better|worse|best|good"
    r"|recommend\w*|too (?:little|much|low|high)|enough for|weird|odd|finden|findet|meint|besser|acham|melhor)\b",
    patterns.IGNORE_CASE,
)
_YES_OR_NO = patterns.compile(r"\W*(?:and |so )?(?:is|are|ist|sind|é|são|está|estão)\b", patterns.IGNORE_CASE)
_ASKING_WORDS = patterns.compile(
    r"\bhow (?:quickly|fast|soon|early|late)\b|\b(?:may|must|muss|darf) (?:i|we|one|ich|man|wir)\b"
    r"|\bwie (?:schnell|bald|früh)\b|\bnach welcher zeit\b|\b(?:a partir de|até|a) que horas\b",
    patterns.IGNORE_CASE,
)
"""Words that ask. An answer says "within 21 days", and neither "quickly" nor "may"."""
_CALLS = patterns.compile(r"(?:^|\s)@(?P<whom>\w+)")
_EVERYBODY: Final = frozenset({"here", "channel", "everyone"})


def veto(message: Message) -> Veto | None:
    """Return why a message is left to people; `None` if it may be a question to nobody in particular."""
    address, turn = message.address, message.turn
    if turn.addressed:
        return "called"
    if address.privately:
        return "outsiders"
    if address.thread_ts != address.message_ts:
        return "in_a_thread"
    if turn.mentions_others or any(one["whom"] not in _EVERYBODY for one in _CALLS.finditer(turn.question)):
        return "names_somebody"
    return "file" if turn.unread else _veto_of_words(turn.question)


def _veto_of_words(said: str) -> Veto | None:
    words = _ADDRESS.sub(" ", said).strip()
    if words != said.strip() and len(content_words(words)) < FEWEST_WORDS:
        return "link_only"
    if len(said) > LONGEST or len(content_words(words)) < FEWEST_WORDS or not _ASKS.search(words):
        return "no_question"
    if calls_a_person(words):
        return "names_somebody"
    said = _HAS_TO.sub("must", _KNOWS.sub(" ", words)).strip()
    is_for_people = any(pattern.search(said) for pattern in (_FOR_PEOPLE, _OF_THE_MOMENT, _OPINION))
    return "for_people" if is_for_people else None


def veto_of_replies(later: Sequence[Payload], root: Payload) -> Veto | None:
    """Return whether people have taken a message up: in its thread, or below it in the channel.

    `later` are the channel's messages since. What comes below it counts unless it is a question of its own.
    """
    if root.get("reply_count") or root.get("reactions"):
        return "answered_by_people"
    said = (one for one in later if one.get("subtype") in SAID_BY_PEOPLE and not one.get("bot_id"))
    others = (one for one in said if one["ts"] != root["ts"])
    is_taken_up = any("?" not in (one.get("text") or "") or one.get("user") == root.get("user") for one in others)
    return "answered_by_people" if is_taken_up else None


def verdict(ended: AnswerEvent | None) -> UntaggedVerdict | None:
    """Return what a run is good for if nobody called the bot; `None`: for nothing."""
    match ended:
        case AnswerCompleted() if ended.is_whole:
            return UntaggedVerdict(kind="answer", document=ended.sources[0]["title"])
        case ClarificationRequested():
            return UntaggedVerdict(kind="ask")
        case _:
            return None


def is_covered(question: str, ended: AnswerEvent | None) -> bool:
    """Tell whether an answer that quotes, with its sources, holds the words of its question.

    Quotations come near to much that they do not answer: "How is the weather in Hamburg?" None says yes or no.
    """
    if _YES_OR_NO.match(question):
        return False
    if not isinstance(ended, AnswerCompleted):
        return True
    asked = set(content_words(_ASKING_WORDS.sub(" ", _KNOWS.sub(" ", question))))
    headed = " ".join(f"{source['title']} {source['heading']}" for source in ended.sources)
    return bool(asked) and len(asked & set(content_words(f"{ended.text} {headed}"))) >= COVERED * len(asked)


def likeliest_choices(ended: AnswerEvent | None) -> list[Choice]:
    """Return the choices of the two likeliest readings, if a run asks back."""
    options = ended.options[:2] if isinstance(ended, ClarificationRequested) else ()
    return [Choice(kind="option", value=option.id, label=option.label) for option in options]


def is_promising(ended: AnswerEvent | None) -> bool:
    """Tell whether a run without a model has found so much that a model is worth asking.

    Passages that only come near are enough: a model reads them, and rules know an answer only by its question's words.
    """
    return isinstance(ended, ClarificationRequested) or (isinstance(ended, AnswerCompleted) and bool(ended.sources))


def is_same_answer(ended: AnswerEvent | None, by_rules: AnswerEvent | None) -> bool:
    """Tell whether a run ended as rules alone end it. If the models fail, rules answer for them."""
    if isinstance(ended, AnswerCompleted) and isinstance(by_rules, AnswerCompleted):
        return ended.text == by_rules.text
    return not isinstance(ended, AnswerCompleted)
