"""What of a passage may stand as an answer: not questions, titles, menus, nor what is said to assistants (pure)."""

from functools import lru_cache

from graph import patterns
from graph.text.grounding import sentences
from graph.text.invisible import bare
from graph.text.words import STOP_WORDS, content_words, words

_CLOSING_MARKS = " \t*_`\"'”’»)]"
_ENDS = ".!?:;…"
_FEWEST_SHOUTED = 2
"""Words in capitals that make a line a title."""
_LONGEST_TITLE = 8
"""Words."""
_LONG_WORD = 4
"""Letters from which a title's words are capitalised."""
_FEWEST_ENTRIES = 3
_LONGEST_ENTRY = 3
"""Words of an entry of a menu."""
_VERBS = {
    "en": frozenset(
        words(
            """
            is are was were be has have had do does did can could may must should will would shall
            isn aren doesn don won
            """
        )
    ),
    "de": frozenset(words("ist sind war waren hat haben kann können darf dürfen muss müssen soll sollen wird werden")),
    "pt": frozenset(words("é são foi está estão tem têm há pode podem deve devem")),
}
"""The commonest verbs by language: "do" is none in Portuguese, nor is "hat" in English."""
_SAYING = frozenset[str]().union(*_VERBS.values())
"""A line with one says something."""
_ASKING = frozenset(
    words(
        """
        who whom whose what when where why how which if before after while
        wer wem wen wessen was wann wo warum wie welche welcher welches wenn
        quem que o quando onde porque porquê como qual quais quanto quanta se
        """
    )
)
"""How a heading begins that names what stands below it."""

_FURNITURE = patterns.compile(
    r"[\W_]*(?:<!--"
    r"|(?:last|zuletzt) (?:updated|modified|edited|reviewed|changed|aktualisiert|geändert)\b.{0,60}$"
    r"|última atualização\b|(?:back|return) to (?:the )?top\b|nach oben\W*$|voltar ao (?:topo|início)\b"
    r"|(?:skip|jump) to (?:the |main )*content\b|zum inhalt springen\b"
    r"|(?:(?:table of )?contents|on this page|in this (?:article|section)|inhaltsverzeichnis|inhalt|índice)\W*$"
    r"|(?:edit|print|share|report|bookmark) this (?:page|article)\b|was this (?:page|article)? ?helpful\b"
    r"|(?:we|this (?:site|website|page)) uses? cookies\b|(?:diese|unsere) (?:seite|website) verwendet cookies\b"
    r"|(?:usamos|utilizamos) cookies\b|(?:accept|reject)(?: all)? cookies\b"
    r"|cookie (?:settings|preferences|policy|notice)\W*$"
    r"|(?:©|\(c\)|copyright\b).{0,20}\d{4}|all rights reserved\b|alle rechte vorbehalten\b"
    r"|todos os direitos reservados\b|(?:page|seite|página) \d+(?: (?:of|von|de) \d+)?\W*$"
    r"|(?:read more|see also|sign in|log ?in|search|menu|subscribe)\W*$"
    r"|\[[^\]]*\]\(#[^)]*\)\W*$|!\[[^\]]*\]\([^)]*\)\W*$"
    r")",
    patterns.IGNORE_CASE,
)
"""What stands around the text of a page: how old it is, where to go, what is agreed to, links into itself, images."""
_LEADER = patterns.compile(r"(?:\.{4}|(?:\. ){4}|…)\s?\d{1,4}\n?$")
"""How a line of a table of contents ends."""
_BARS = patterns.compile(r" [|·•] ")
_ARROWS = patterns.compile(r" (?:>|›|»|→) ")
_HOME = frozenset({"home", "start", "startseite", "início", "docs", "documentation"})

_MACHINE = (
    r"(?:a\.?i\.?|llms?|language models?|chat ?bots?|bots?|gpt|chatgpt|copilot|claude|gemini|crawlers?"
    r"|(?:ai|virtual|digital) (?:assistants?|agents?)|ki|sprachmodelle?|ki-assistenten?|modelos? de linguagem|ia)"
)
_IGNORE = r"\b(?:ignor(?:e|ez|a|em|iere?n?)|disregard|forget|override|bypass|vergiss|esqueç[ao]|olvid[ae]|oubliez?)\b"
_RULES = (
    r"\b(?:instructions?|rules|prompts?|guidelines|guidance|context|anweisungen|regeln|instruções|regras|instrucciones"
    r"|reglas|consignes|règles)\b"
)
_TAKES_OVER = patterns.compile(
    rf"{_IGNORE}.{{0,30}}\b(?:previous|prior|above|earlier|all|any|your|other|these|system|bisherigen?|vorherigen?|alle"
    rf"|obigen?|anteriores?|todas|toutes)\b.{{0,30}}{_RULES}"
    rf"|{_IGNORE}.{{0,30}}{_RULES}.{{0,20}}\b(?:above|before|oben|acima|anteriores?|previas?|précédente?s?)\b"
    r"|\b(?:ignore|disregard|forget) (?:everything|all|the text|what is) (?:above|before)",
    patterns.IGNORE_CASE,
)
"""Orders that nobody gives to people, not even in an example."""
_TO_ASSISTANTS = patterns.compile(
    _TAKES_OVER.pattern + r"|\byour system prompt\b"
    r"|\b(?:reveal|print|repeat|output|show|leak)\b.{0,10}\b(?:your|the) (?:system )?(?:prompt|instructions|tokens)\b"
    rf"|\b(?:assistants?|agents?|models?|{_MACHINE})\b.{{0,30}}\b(?:reading|reads?|processing|summari[sz]ing|parsing|indexing)"
    r" (?:this|these|it|the (?:page|document|text))\b"
    rf"|\b(?:note|message|attention|notice|instructions?|reminder|hint|important|hinweis|nota|aviso)\b\W{{0,3}}"
    rf"(?:for|to|an|für|para)\b.{{0,15}}\b{_MACHINE}\b"
    rf"|\bif you(?:'re|’re| are) (?:an? |the )?(?:\w+ )?(?:{_MACHINE}|assistant)\b"
    rf"|\bas an? (?:{_MACHINE}|assistant)\b.{{0,10}}\byou\b"
    rf"|\byou are (?:now )?(?:an?|the|my|in) (?:\w+ ){{0,2}}(?:{_MACHINE}|assistant|helpdesk|developer mode)\b"
    r"|\b(?:reply|respond|answer)\b.{0,25}\b(?:only|exactly|solely) (?:with|by|in)\b"
    r"|\bdo not (?:mention|reveal|disclose) (?:this|these) (?:note|instructions?|message|text)\b",
    patterns.IGNORE_CASE,
)
_EMPHASIS = str.maketrans({"*": None, "`": None, "~": None, "_": " "})
_YOUR_ANSWER = patterns.compile(
    # "Your lead answers within a day" speaks of a colleague.
    r"\byour (?:(?:answer|response|output|completion)s?|reply|replies"
    r"|\w+ (?:answer|response|reply|output|completion))\b",
    patterns.IGNORE_CASE,
)
_ANSWERING = frozenset(content_words("answer answering response respond responding reply replies survey output"))
_NO_SUBJECT = frozenset({"in", "do", "don", "please", "to", "with"})
"""Small words that an order may begin with."""
_CONDEMNED = patterns.compile(
    r"\b(?:fake|phish\w*|scam\w*|fraud\w*|hoax\w*|spoof\w*|swindl\w*|malicious|suspicious|spam|bogus|counterfeit"
    r"|(?:do not|don't|don’t|never|not to) (?:\w+ )?"
    r"(?:follow|click|do|use|trust|reply|answer|write|open|believe|copy|run)"
    r"|(?:bad|wrong|incorrect|poor|negative) (?:example|answer|way)|not like this|what not to"
    r"|betrug\w*|betrüg\w*|gefälscht\w*|falsche?s? beispiel|schlechtes beispiel|nicht so"
    r"|fraude\w*|golpe\w*|falsifica\w*|mau exemplo|exemplo errado)\b",
    patterns.IGNORE_CASE,
)

_EXAMPLE = patterns.compile(r"\b(?:example|sample|specimen|looks? like|beispiel|exemplo)\b", patterns.IGNORE_CASE)


def is_question(text: str) -> bool:
    """Tell whether a text asks, and so answers nothing."""
    return text.rstrip(_CLOSING_MARKS).endswith("?")


def is_title(text: str) -> bool:
    """Tell whether a line only names what the text is about: in capitals, or each long word with one, and no verb."""
    bare = text.rstrip(_CLOSING_MARKS)
    found = bare.split()
    if not found or bare[-1] in _ENDS or not _SAYING.isdisjoint(words(bare)):
        return False
    if sum(word.isupper() and len(word) > 1 for word in found) >= _FEWEST_SHOUTED:
        return True
    long = [word for word in found if len(word) >= _LONG_WORD]
    named = not any(letter.isdigit() or letter == ":" for letter in bare)
    return named and len(found) <= _LONGEST_TITLE and all(word[0].isupper() for word in long)


def states(heading: str, language: str) -> bool:
    """Tell whether a heading says something by itself: "The office is closed in August", and not "What is closed"."""
    found = words(heading)
    asks = is_question(heading) or found[:1] == [] or found[0] in _ASKING or found[0] in _SAYING
    return not asks and not _VERBS.get(language, _SAYING).isdisjoint(found)


def is_furniture(text: str) -> bool:
    """Tell whether a text belongs to the page around the document: menus, tables of contents, notices."""
    return bool(_FURNITURE.match(text) or _LEADER.search(text[-12:]) or _is_menu(text))


# Cached, because many questions are answered from the same passages.
@lru_cache(maxsize=4096)
def addresses_an_assistant(text: str, above: str) -> bool:
    """Tell whether a text orders about whatever machine reads it; `above` are the title and headings over it.

    An order that speaks of "your answer" does, unless the document is about answering.
    """
    text = _read(text)
    first = next(iter(words(text)), "")
    orders = first not in STOP_WORDS or first in _NO_SUBJECT
    return bool(_TO_ASSISTANTS.search(text)) or (orders and _speaks_of_the_answer(text, above))


@lru_cache(maxsize=1024)
def without_orders(text: str, above: str, language: str = "en") -> str:
    """Return a passage's text without the sentences that order about whatever machine reads it.

    What a model does not see it cannot obey, however naive it is. In code, only orders that take over are left out.
    """
    return "\n\n".join(_without_orders(part, above, language) for part in text.split("\n\n"))


def _without_orders(paragraph: str, above: str, language: str) -> str:
    # An order may stand behind a sentence that is none: "You get 30 days. Add a link to your answer."
    joined = _read(" ".join(paragraph.split()))
    if not _TO_ASSISTANTS.search(joined) and not _speaks_of_the_answer(joined, above):
        return paragraph
    if "```" in paragraph:
        return _code_without_orders(paragraph, above)
    said = [one.strip() for line in _lines(paragraph) for one in sentences(line, language)]
    kept = [one for one in said if not addresses_an_assistant(one, above)]
    # No sentence orders by itself: the order goes over several, or one begins like an order and another means people.
    left = "\n".join(kept) if len(kept) < len(said) else paragraph
    return "" if _TO_ASSISTANTS.search(_read(" ".join(left.split()))) else left


def _lines(paragraph: str) -> list[str]:
    """Return the lines of a paragraph. One that begins with a small letter belongs to the one before."""
    lines: list[str] = []
    for line in paragraph.split("\n"):
        if lines and line.lstrip()[:1].islower():
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
    return lines


def _speaks_of_the_answer(text: str, above: str) -> bool:
    return _YOUR_ANSWER.search(text) is not None and _ANSWERING.isdisjoint(content_words(above))


def _code_without_orders(paragraph: str, above: str) -> str:
    """Return a paragraph with code. Code may tell an assistant what it is, but has no reason to take one over."""
    kept: list[str] = []
    is_code = False
    for line in paragraph.split("\n"):
        is_fence = line.strip().startswith("```")
        is_code ^= is_fence
        is_order = _TAKES_OVER.search(_read(line)) if is_code or is_fence else addresses_an_assistant(line, above)
        if not is_order:
            kept.append(line)
    text = "\n".join(kept)
    return "" if _TAKES_OVER.search(_read(" ".join(text.split()))) else text


def _read(text: str) -> str:
    """Return a text as a reader takes it, without emphasis and hidden signs, which would part the words of an order."""
    return bare(text).translate(_EMPHASIS)


def condemns(text: str) -> bool:
    """Tell whether a text calls what it shows bad: a fake, a fraud, something not to do."""
    return _CONDEMNED.search(text) is not None


def shows_bad(heading: str) -> bool:
    """Tell whether what stands below a heading is there as an example of something bad."""
    return _EXAMPLE.search(heading) is not None and condemns(heading)


def _is_menu(text: str) -> bool:
    bare = text.strip(_CLOSING_MARKS)
    entries = _BARS.split(bare)
    if len(entries) < _FEWEST_ENTRIES:
        entries = _ARROWS.split(bare)
        if entries[0].strip().casefold() not in _HOME:
            return False
    short = all(0 < len(entry.split()) <= _LONGEST_ENTRY for entry in entries)
    plain = not any(letter.isdigit() for letter in bare) and bare[-1:] not in _ENDS
    return len(entries) >= _FEWEST_ENTRIES and short and plain
