"""What of a passage may stand as an answer: not questions, titles, menus, nor what a document calls bad (pure)."""

from graph import patterns
from graph.text.words import words

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

_NUMBER_BEFORE = patterns.compile(r"^\W*\d{1,3}(?:\.\d{1,3})*[.):]?\s+")
_FURNITURE = patterns.compile(
    r"[\W_]*(?:<!--"
    r"|(?:back|return) to (?:the )?top\b|nach oben\W*$|voltar ao (?:topo|início)\b"
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
"""What stands around the text of a page: where to go, what is agreed to, links into itself, images."""
_DAY = (
    r"(?:\d{1,2}(?:st|nd|rd|th|\.)? )?(?:de )?[^\W\d]{3,12}\.?(?: \d{1,2},?)?(?: de)? 20\d\d"
    r"|\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|20\d\d"
)
_ON_A_DAY = patterns.compile(rf"(?:{_DAY})", patterns.IGNORE_CASE)
_LAST = (
    r"(?:last|zuletzt) (?:updated|modified|edited|reviewed|changed|looked (?:through|over)|aktualisiert|geändert"
    r"|durchgesehen)\b"
)
_UPDATE = (
    rf"(?:{_LAST}[^|·•]{{0,60}}"
    r"|última atualização\b[^|·•]{0,60}"
    rf"|(?:updated|reviewed|revised)[*_]*:?[*_]* (?:{_DAY}))"
)
_ENTRY = (
    rf"(?:{_UPDATE}|(?:next|nächste) (?:review|revision|update|prüfung|überprüfung|überarbeitung)\b.{{0,60}}"
    r"|próxima (?:atualização|revisão)\b.{0,60}"
    r"|(?:version|revision|rev|edition|versão|revisão|fassung|v)[*_ :.]*v?\d[\w.]*"
    r"|(?:(?:document |page |policy )?(?:owner|author|maintainer|editor|approver|reviewer)|eigentümer(?:in)?|autor[ae]?"
    r"|autorin|verantwortlich|responsável|dono)[*_]*:[*_]* ?.{1,60}"
    r"|(?:owned|written|maintained|approved|reviewed|edited) by (?:the )?(?-i:[A-Z]).{1,60}"
    r"|(?:(?:freigegeben|geprüft|gepflegt) von|(?:aprovado|revisto|mantido) por) (?-i:[A-Z]).{1,60}"
    rf"|(?:dated|published|created|(?:as|state|status) of|stand)[*_]*:?[*_]* (?:{_DAY})"
    rf"|[^\W\d][\w &'’-]{{1,40}}, {_LAST} (?:(?:in|on|am|im) )?(?:{_DAY}))"
)
"""What a document says of itself. A date alone may be that of what it is about."""
_THEN = rf"(?:[\s,;|·•()–—-]+(?:{_ENTRY}|(?:(?:date|datum|data)[*_]*:[*_]* )?(?:{_DAY})))*[\W_]*"
_RECORD = patterns.compile(rf"[\W_]*{_ENTRY}{_THEN}", patterns.IGNORE_CASE)
_ONLY_UPDATE = patterns.compile(rf"[\W_]*{_UPDATE}[\W_]*", patterns.IGNORE_CASE)
_PAGE = r"\b(?:page|document|policy|seite|dokument|richtlinie|página|documento|política)\b"
_CHANGED = r"\b(?:changed|edited|modified|approve\w*|written|geändert|alterad[oa])\b"
_WANTS_UPDATE = patterns.compile(
    r"\b(?:updat\w*|review\w*|revis\w*|how (?:old|recent|current|up to date)|aktuell\w*|aktualisier\w*|überarbeitet"
    rf"|(?:über)?geprüft|wie alt|atualiza\w*)\b|{_CHANGED}.*{_PAGE}|{_PAGE}.*{_CHANGED}",
    patterns.IGNORE_CASE,
)
_WANTS_RECORD = patterns.compile(
    r"\b(?:own(?:s|er|ers|ed)|authors?|wrote|maintain\w*|editors?|responsible|versions?|dated?"
    r"|verantwortlich\w*|zuständig\w*|autor\w*|eigentümer\w*|pflegt|schrieb|fassung|welche[rn]? stand|stand der|datum"
    r"|responsável|dono|mantém|escreveu|versão|(?:de que|qual(?: é)?(?: a)?) data"
    r"|when|who|whom|whose|(?:which|what) team|wann|wer|wem|wen|welche[sm]? team|quando|quem|que equipa)\b",
    patterns.IGNORE_CASE,
)
_LEADER = patterns.compile(r"(?:\.{4}|(?:\. ){4}|…)\s?\d{1,4}\n?$")
"""How a line of a table of contents ends."""
_BARS = patterns.compile(r" [|·•] ")
_ARROWS = patterns.compile(r" (?:>|›|»|→) ")
_HOME = frozenset({"home", "start", "startseite", "início", "docs", "documentation"})

_CONDEMNED = patterns.compile(
    r"\b(?:fake|phish\w*|scam\w*|fraud\w*|hoax\w*|spoof\w*|swindl\w*|malicious|suspicious|spam|bogus|counterfeit"
    r"|(?:do not|don't|don’t|never|not to) (?:\w+ )?"
    r"(?:follow|click|do|use|trust|reply|answer|write|open|believe|copy|run)"
    r"|(?:bad|wrong|incorrect|poor|negative) (?:example|answer|way)|not like this|what not to"
    r"|betrug\w*|betrüg\w*|gefälscht\w*|falsche?s? beispiel|schlechtes beispiel|nicht so"
    r"|fraude\w*|golpe\w*|falsifica\w*|mau exemplo|exemplo errado)\b",
    patterns.IGNORE_CASE,
)

_ASKED = patterns.compile(r"\*{0,2}(?:q|question|frage|pergunta)\s?:\*{0,2}\s", patterns.IGNORE_CASE)
_ANSWERED = patterns.compile(r"\b(?:a|answer|antwort|resposta)\s?:", patterns.IGNORE_CASE)
_EXAMPLE = patterns.compile(r"\b(?:example|sample|specimen|looks? like|beispiel|exemplo)\b", patterns.IGNORE_CASE)


def is_question(text: str) -> bool:
    """Tell whether a text asks, and so answers nothing."""
    return text.rstrip(_CLOSING_MARKS).endswith("?")


def asks(sentence: str) -> bool:
    """Tell whether a sentence is a question, or marked as one, with which people also say what is the matter.

    What is marked may hold its answer, too.
    """
    return is_question(sentence) or (_ASKED.match(sentence) is not None and _ANSWERED.search(sentence) is None)


def is_question_mark(text: str) -> bool:
    """Tell whether a text only marks what follows as a question: "Q:"."""
    return _ASKED.fullmatch(text) is not None


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
    """Tell whether a heading says something by itself: "The office is closed in August", and not "What is closed".

    A number before it tells nothing: "2. What is closed".
    """
    found = words(_NUMBER_BEFORE.sub("", heading))
    names_only = asks(heading) or found[:1] == [] or found[0] in _ASKING or found[0] in _SAYING
    return not names_only and not _VERBS.get(language, _SAYING).isdisjoint(found)


def is_furniture(text: str) -> bool:
    """Tell whether a text belongs to the page around the document: menus, tables of contents, notices."""
    return bool(_FURNITURE.match(text) or _LEADER.search(text[-12:]) or _is_menu(text))


def is_record(text: str) -> bool:
    """Tell whether a text only says who owns its document, which version it is, or from when."""
    return _RECORD.fullmatch(text) is not None and not _says_more(text)


def is_update(text: str) -> bool:
    """Tell whether a text only says when its document was last changed."""
    return _ONLY_UPDATE.fullmatch(text) is not None and not _says_more(text)


def wants_record(question: str) -> bool:
    """Tell whether a question may ask who owns a document, which version it is, or from when."""
    return _WANTS_RECORD.search(question) is not None or wants_update(question)


def wants_update(question: str) -> bool:
    """Tell whether a question asks when a document was last changed."""
    return _WANTS_UPDATE.search(question) is not None


def _says_more(text: str) -> bool:
    # The month of May is no verb.
    return not _SAYING.isdisjoint(words(_ON_A_DAY.sub(" ", text)))


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
