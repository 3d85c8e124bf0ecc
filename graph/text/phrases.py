"""Set phrases in replies to a question back: "never mind", "not sure", "neither" and the like (pure)."""

from typing import Literal, TypeAlias

from graph import patterns

Unclear: TypeAlias = Literal["no_such_option", "rejects_all", "asks_what", "agrees", "only_clicks"]
"""Why a reply leaves the question back open."""

Phrase: TypeAlias = Literal["gives_up", "leaves_it", "rejects_all", "asks_what", "agrees"]
"""`leaves_it` lets the bot choose, also by "I don't know"; `agrees` says yes to a question that asks which."""

# Each line is one phrase, in lower case, without punctuation.
_SAID: dict[Phrase, str] = {
    "gives_up": r"""
        never ?mind|nvm|no need|all good|let it go|leave it( be)?|(drop|skip|ignore) (it|that|this|me|the question)
        (cancel|stop|abort)( (it|that|this|asking|here|the|my|question|now))*
        forget( about)? (it|that|this|the question)
        no (thanks?( you)?|thx)|dont (bother|need (it|this|that|an answer|to know))
        no longer (needed|relevant)|not needed
        (it )?does(nt| not) matter any ?more|((i|we|ive|have|already) )*(found|solved|sorted) it( out| myself)?
        (its |is |thats )?(solved|sorted|resolved|settled)
        vergiss (es|das)|abbrechen|abbruch|stopp|schon gut|((hat|sich|ist|schon|das) )*erledigt|lass (es|mal|gut sein)
        brauche? ((ich|es|das) )*nicht|nicht mehr nötig
        deixa( (estar|lá|pra lá|para lá))?|esquece( isso)?|cancelar?|(já )?não é preciso
    """,
    "leaves_it": r"""
        just (answer|pick|guess|go ahead|tell me)( (it|me|one))?|whatever|whichever|no preference|go ahead
        (any|either)( (one|of (them|these)|is fine|will do|works))?|(you|askback) (choose|decide|pick)|up to you
        (it )?does(nt| not) matter|(i )?dont (care|mind)
        not( (really|quite|entirely|totally|so|too|very|that|at all))* (sure|certain)|unsure|undecided|uncertain|dunno
        (dont|do not|didnt) (really |actually |even )?know|idk|((have|ive|got|absolutely) )*(no|not an?) (idea|clue)
        (cant|cannot|can not) (say|tell|decide)|(its |is )?hard to (say|tell)|beats me|who knows
        ((ist|mir|das) )*(ganz )?egal|antworte einfach|einfach antworten|such dir (eine?[ns]? )?aus
        kein(e|en)? (ahnung|plan|schimmer)|wei(ß|ss)( (ich|es|das|leider|auch|noch|gerade|gar|doch))* nicht( genau)?
        (bin |ich |mir |da )*(nicht (ganz |so )?|un)sicher
        n[ãa]o (sei|faço ideia|tenho (a )?certeza)|sei lá|tanto faz|responde( (só|apenas|já))?|só responde
        qualquer( uma?)?|escolhe tu
    """,
    "rejects_all": r"""
        no|nope|nah|nein|nee|não|neither|none|nothing
        (neither|none|not any|nothing|not one) of (them|these|those|that|it|the above|the two|your options)
        neither one|weder noch|keine?[rsn]?( (davon|von beiden|der beiden))?|nichts davon|nenhum[ao]?( del[ae]s)?
        something else|another( one)?|something other|(the )?wrong (ones|options)|et?was anderes|outr[ao]|outra coisa
    """,
    "asks_what": r"""
        what|huh|eh|pardon|come again|(what|how) do you mean( by (that|this|it))?|what does (this|that|it) mean|meaning
        which( (one|ones|options?))?( (are there|do you (mean|have)))?|what are (the|my) (options|choices)
        (dont|do not|cant) (understand|get it|follow)( (you|that|this|it|the question))?|why( do you ask)?
        explain( (that|this|yourself))?|what do you want( (from me|to know))?|what should i (choose|pick|say|do)
        was|wie bitte|wie meinst du das|was meinst du( damit)?|was heißt das|welche( (denn|gibt es))?
        verstehe?( (ich|das))* nicht|como assim|o quê|o que quer(es)? dizer|não (percebo|entendo|percebi|entendi)
    """,
    "agrees": r"""
        yes|yeah|yep|yup|sure|(that is )?(correct|right)|exactly|ja|jawohl|genau|sim|claro|one of (them|these|those)
    """,
}
_BEFORE = (
    r"h+m+|u+h+m*|e+r+m*|ah|aha|oh|well|so|ok|okay|hey|hi|sorry|please|bitte|por favor|actually|honestly|tbh|but|and"
    r"|to be honest|im afraid|i think|i guess|i|im|i am|id say|it|its|is|thats|ich|eu|we|sadly|leider|really|still|just"
    r"|askback|yes|no|nein|ja|wait|thanks|danke"
)
_AFTER = (
    r"please|bitte|por favor|sorry|tbh|honestly|to be honest|really|anyway|then|now|right now|yet|any ?more|again"
    r"|either|myself|thanks|thank you|thx|danke|vielen dank|obrigad[ao]|a lot|so much"
    r"|very much|though|me|mehr|mir|doch|leider"
    r"|(about )?(which|what|that|this|it)( (one|it|that|this|of (them|these|the two)))?"
    r"( (is|applies|i (mean|need|want)|fits))?"
    r"|i (guess|think|suppose)|man|lol|haha"
)


def _pattern(said: str) -> patterns.Pattern:
    ways = "|".join(line.strip() for line in said.strip().splitlines())
    return patterns.compile(rf"(?:(?:{_BEFORE}) )*(?:{ways})(?: (?:{ways}|{_AFTER}|and|but))*")


_PATTERNS: dict[Phrase, patterns.Pattern] = {phrase: _pattern(said) for phrase, said in _SAID.items()}
_WORD = patterns.compile(r"[^\W_]+")
_APOSTROPHES = str.maketrans("", "", patterns.APOSTROPHES)
_LONGEST = 100
"""A longer reply is no set phrase."""


def phrase_of(text: str) -> Phrase | None:
    """Return the kind of set phrase, if the reply is nothing else. Check first whether an option has this name."""
    if len(text) > _LONGEST:
        return None
    found = _WORD.findall(text.casefold().translate(_APOSTROPHES))
    # Patterns read "hä" as "ha", which is no question.
    said = " ".join("huh" if word == "hä" else word for word in found)
    return next((phrase for phrase, pattern in _PATTERNS.items() if pattern.fullmatch(said)), None)
