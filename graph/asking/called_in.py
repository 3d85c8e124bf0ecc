"""What somebody means who calls the bot into a conversation of people: "can you help?", "who is right?" (pure)."""

from typing import Final, NamedTuple

from graph import patterns
from graph.state import Memory, RemarkState
from graph.text.markdown import MENTION
from graph.text.words import words

_LEAD = (
    r"(?:(?:hey|hi|hello|ok(?:ay)?|so|and|but|well|hm+|please|pls|askback|guys|team|maybe|perhaps|hallo|und|bitte|vielleicht"
    r"|also|olá|oi|e|então|por favor)[\s,.!:]+)*"
)
_END = (
    r"(?:[\s,]+(?:please|pls|here|there|now|then|today|on this(?: one)?|on that|about (?:this|that)"
    r"|with (?:this|that|it)|anyone|guys|askback|thanks|thank you|hier|da|jetzt|denn|dazu|bitte|danke"
    r"|aqui|agora|afinal|por favor|nisto))*"
    r"[\s.!?…]*"
)
_CALL = (
    r"(?:can|could|would|will) (?:you|u|anyone|anybody|someone|somebody) (?:please |maybe |perhaps |quickly )*"
    r"(?:help|assist|answer|weigh in|chime in|clarify|settle|tell|check|look)"
    r"(?: (?:us|me|them|out|this|that|it|up|here|into|with|the question))*"
    r"|(?:any )?help(?: (?:us|me|out))*"
    r"|(?:so )?who(?:['’]?s| is)(?: (?:actually|now|then|of us|of you))* (?:right|correct|wrong)"
    r"|(?:which|who) of (?:us|you|them|the two)(?: two)? is (?:right|correct|wrong)"
    r"|(?:am i|are we|is (?:he|she|that|this|it)) (?:right|correct|true)"
    r"|(?:(?:do|have) you )?(?:(?:have|got) )?(?:any|an) (?:idea|ideas|thoughts?|clue|suggestions?|opinion|input)"
    r"|(?:your )?(?:thoughts|opinion|ideas|take)"
    r"|(?:do|would) you (?:happen to )?know(?: (?:this|that|it|more|the answer))*"
    r"|what do you (?:think|say)(?: (?:of|about) (?:this|that|it))?"
    r"|what(?:['’]?s| is) (?:the (?:right |correct )?answer|right|correct|true)"
    r"|(?:settle|answer|clarify|resolve) (?:this|that|it|us|the question|our question)"
    r"|over to you|your turn"
    r"|(?:kannst|könntest|magst) du (?:(?:uns|mir|das|es|da|hier|mal|bitte|vielleicht|kurz) )*"
    r"(?:helfen|antworten|weiterhelfen|beantworten|klären|aufklären|nachsehen|nachschauen)"
    r"|hilfe|(?:und )?wer (?:von uns |von beiden )?hat (?:(?:denn|nun|jetzt|hier|da|eigentlich) )*recht"
    r"|(?:hast du )?(?:(?:irgend)?eine (?:idee|ahnung|meinung)|ideen)"
    r"|weißt du (?:(?:das|es|da|was|etwas|mehr|dazu) ?)*|was (?:meinst|sagst|denkst) du(?: dazu)?"
    r"|(?:stimmt|ist) das(?: (?:so|richtig|wahr))?|was (?:stimmt|ist richtig)(?: (?:denn|nun|jetzt))*"
    r"|(?:podes|pode|consegues|consegue|podias) (?:(?:nos|me) )?(?:ajudar|responder|esclarecer)(?:-?(?:nos|me))?"
    r"|ajuda|quem (?:é que )?(?:tem|está com a) (?:a )?razão|quem está (?:certo|certa)"
    r"|(?:tens )?algum(?:a)? (?:ideia|sugestão|palpite)|(?:sabes|sabe)(?: (?:isto|isso|a resposta|dizer))*"
    r"|o que (?:achas|acha|dizes)|(?:o que|qual) (?:está|é) (?:certo|correto|a resposta)"
)
_CALLS = patterns.compile(rf"{_LEAD}(?:{_CALL}){_END}", patterns.IGNORE_CASE)
_QUESTION_BEGINS = patterns.compile(
    r"^(?:(?:and|but|so|hi|hey|hello|all|ok(?:ay)?|und|aber|hallo|e|olá)[\s,!:]+)*(?:<[^>]*>\s*)?"
    r"(?:who|whom|whose|what|when|where|why|how|which|is|are|do|does|did|can|could|may|must|should|will|has|have"
    r"|wer|wem|wen|was|wann|wo|woher|wohin|warum|wieso|wie|welche[rsnm]?|darf|dürfen|kann|können|muss|müssen|ist|sind"
    r"|gibt|hat|quem|quando|onde|porque|como|quanto|quanta|quantos|quantas|qual|quais|o que|há|posso|podemos|tem|é)\b",
    patterns.IGNORE_CASE,
)
_ASKS_UNMARKED = patterns.compile(
    r"(?:how|who|where|which|wie|wer|wo|welche[rsnm]?|quant[oa]s?|quem|onde|qual|quais)\b", patterns.IGNORE_CASE
)
_SENTENCE = patterns.compile(r"[^.!?\n]+[.!?]*")
_FEWEST_WORDS: Final = 3
"""Words of a sentence that asks something by itself."""
_SURE, _LIKELY, _PERHAPS = 3, 2, 1
"""How surely a sentence asks something: "How much is it?", "5 EUR, no?", "how much is it"."""


class LastQuestion(NamedTuple):
    """What people last asked each other, and what was overheard before."""

    question: str
    before: list[RemarkState]


def calls_the_bot_in(said: str) -> bool:
    """Tell whether a message calls the bot to what people talk about, and asks nothing else; a bare mention does."""
    plain = MENTION.sub(" ", said).strip()
    return not plain.strip("?!. ") or _CALLS.fullmatch(plain) is not None


def last_question(memory: Memory) -> LastQuestion | None:
    """Return the people's last question that came after everything that the bot answered; none without one.

    What asks surely counts before what only sounds like a question.
    """
    answered = max((exchange["key"] for exchange in memory["exchanges"]), default="")
    remarks = [
        (place, MENTION.sub(" ", remark["text"]))
        for place, remark in enumerate(memory["overheard"])
        if not memory["exchanges"] or remark["key"] > answered
    ]
    for how in (_SURE, _LIKELY, _PERHAPS):
        for place, said in reversed(remarks):
            if ends := [one.end() for one in _SENTENCE.finditer(said) if _asks(one[0]) == how]:
                # The question may point at what the remark says before it.
                return LastQuestion(" ".join(said[: ends[-1]].split()), memory["overheard"][:place])
    return None


def _asks(sentence: str) -> int:
    """Return how surely a sentence asks something; 0 if it does not."""
    said = sentence.strip()
    if len(words(said)) < _FEWEST_WORDS or calls_the_bot_in(said):
        return 0
    if said.endswith("?"):
        return _SURE if _QUESTION_BEGINS.match(said) else _LIKELY
    return _PERHAPS if _ASKS_UNMARKED.match(said) else 0
