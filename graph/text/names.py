"""Names in a question, and whether the found passages hold them; people called by name (pure).

A word that no document holds may have a synonym ("holiday" for "vacation"). A name has none: if no passage mentions
Munich, a passage about Porto is no answer.
"""

from collections.abc import Iterable, Iterator

from graph import patterns
from graph.passages import Passage
from graph.text.words import STOP_WORDS, content_words, language_of

_PHRASE_START = patterns.compile(
    r"(?P<start>(?:^|[.!?:;\n]\s*)[\"'“‘(\[*_`>-]*\s*\w+[^\w\s]*"
    r"|(?P<within>(?:[\"“(\[/|]|\s[-–—]\s)\s*\w+))(?P<more>[\s-]+\w)?"
)
"""The first word of a sentence, of brackets, of a quotation or after a dash: its capital says nothing."""
_NAME = patterns.compile(r"(?:^|[^\w'’])(?P<it>[A-Z][a-z]\w*(?:-\w+)*)")
_APOSTROPHES = dict.fromkeys(map(ord, f"`{patterns.APOSTROPHES}"))
_LAST_LATIN = "ÿ"
"""The last letter of the alphabets in which names have capitals."""
_WORD = patterns.compile(r"\w+")
_LETTERS = patterns.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SMALL_IN_HEADLINES = frozenset(
    """
        a an the and but nor or as at by for from in into of off on onto over per than to up via with
        a as o os um uma uns umas e ou de do da dos das em no na nos nas num numa por pelo pela ao à aos às para com sem
    """.split()
)
"""Articles, prepositions and conjunctions, which English and Portuguese headlines leave small; verbs they do not."""
_COUNTED = patterns.compile(
    r"\d+(?:st|nd|rd|th|h|hrs?|am|pm|min|gb|mb|kb|tb|km|kg|cm|mm|eur|k|x)", patterns.IGNORE_CASE
)
_NUMBERED = patterns.compile(
    r"\b(?:error|fault|code|version|release|firmware|model|room|ring|extension|fehler|raum|versão|erro|sala)"
    r"\s+(?:code\s+|number\s+|no\.?\s+|nr\.?\s+)?(?P<number>\d+(?:\.\d+)*)\b",
    patterns.IGNORE_CASE,
)
_WHITHER = patterns.compile(
    r"\b(?:to|from|with|towards?|into|like|than|via|nach|von|mit|para|com)\s+(?:the\s+)?$", patterns.IGNORE_CASE
)
"""Words before a destination. A rule for any place also holds for a destination, so it is no name here."""
_NO_NAMES = frozenset(
    content_words(
        """
        January February March April May June July August September October November December Monday Tuesday Wednesday
        Thursday Friday Saturday Sunday Christmas Easter New Year English German Portuguese French Spanish Italian
        European Europe Slack Askback Hi Hello Hey Thanks Please Mr Mrs Ms Dr
        """
    )
)
_CALLED = patterns.compile(
    r"^\W*(?:(?:hey|hi|hello|hallo|oi|ok(?:ay)?|and|und|so)[\s,]+)*(?P<name>[^\W\d_]+)\s*,?\s+"
    r"(?:(?:can|could|would|will|do|did|are|have|may|might|should|what|when|where|how)\b[^.?!]{0,40}?\byou\b"
    r"|(?:kannst|könntest|weißt|hast|bist|willst|magst)\s+du\b|(?:podes|sabes|tens|consegues)\b)",
    patterns.IGNORE_CASE,
)
_CALLED_LAST = patterns.compile(r"\b(?:you|du|dir|tu|ti)\b.*,\s*(?P<name>[^\W\d_]+)\s*[?!.]*$", patterns.IGNORE_CASE)
_NOBODY = STOP_WORDS | frozenset(
    """
        askback bot please bitte hi hey hello hallo thanks thank danke sorry actually great maybe perhaps vielleicht
        well then also ok okay sure right good alright but wait say tell anyone anybody everyone everybody guys folks
        team
        """.split()
)


def same_name(value: str) -> str:
    """Normalise capitals, apostrophes, hyphens and spaces, which people do not tell apart."""
    return " ".join(value.casefold().translate(_APOSTROPHES).replace("_", " ").replace("-", " ").split())


def names(question: str) -> list[str]:
    """Return a question's names: capitalised words inside sentences, identifiers, and numbers of errors or versions."""
    found = [*codes(question), *filter(_identifies, _WORD.findall(question))]
    capitalised = _capitalised(question, language_of(question))
    found += [match[0] for match in capitalised if not _WHITHER.search(question[: match.start()])]
    return [name for name in dict.fromkeys(found) if _is_telling(name)]


def named(statement: str, language: str = "en") -> list[str]:
    """Return the names in a statement: capitalised words that begin no phrase or cell, and identifiers.

    `language` is that of a statement too short to tell: each noun of "7 Tage" has a capital.
    """
    statement = statement.replace("|", ".")
    # Some scripts put no spaces between a number and what it counts.
    found = [word for word in _WORD.findall(statement) if max(word) <= _LAST_LATIN and _identifies(word)]
    found += [match[0] for match in _capitalised(statement, language_of(statement, language))]
    return [name for name in dict.fromkeys(found) if _is_telling(name)]


def codes(question: str) -> list[str]:
    """Return the numbers of errors, versions, rooms and the like."""
    return [match["number"] for match in _NUMBERED.finditer(question)]


def unknown_names(question: str, passages: list[Passage]) -> list[str]:
    """Return the names in a question that no passage holds, in its text, headings, path or front matter."""
    held = words_about(passages)
    return [name for name in names(question) if not held.issuperset(content_words(name))]


def words_about(passages: Iterable[Passage]) -> set[str]:
    """Return the content words of passages, of their titles, headings, paths and front matter."""
    return {word for passage in passages for word in _held(passage)}


def _held(passage: Passage) -> list[str]:
    above = [passage["title"], *passage["heading_path"], *passage["attributes"].values()]
    return content_words(" ".join([*above, passage["path"], passage["text"]]))


def _capitalised(text: str, language: str) -> list[patterns.Match]:
    """Return the words with a capital that begin no phrase; none if capitals mark no names, as in German."""
    if language == "de" or _is_headline(text):
        return []
    starts = list(_phrase_starts(text))
    return [
        match
        for match in _NAME.finditer(text)
        if max(match[0][:2]) <= _LAST_LATIN and not any(start <= match.start() < end for start, end in starts)
    ]


def _phrase_starts(question: str) -> Iterator[tuple[int, int]]:
    begins = 0
    while found := next(_PHRASE_START.finditer(question, begins), None):
        is_start = found.has("more") or not found.has("within")
        if is_start:
            yield found.span("start")
        begins = found.end("start") if is_start else found.start() + 1


def _identifies(word: str) -> bool:
    """Tell whether a word has letters and digits and is no number with a unit."""
    has_digit = any(letter.isdecimal() for letter in word)
    return (
        has_digit
        and any(letter.isalnum() and not letter.isdecimal() for letter in word)
        and not (word.isascii() and _COUNTED.fullmatch(word))
    )


def _is_telling(name: str) -> bool:
    stems = content_words(name)
    return bool(stems) and not set(stems) <= _NO_NAMES and name.casefold() not in STOP_WORDS


def _is_headline(text: str) -> bool:
    """Tell whether capitals mark no names, because all words have one that have one in headlines."""
    found = _LETTERS.findall(text)
    small = [word for word in found if not word[0].isupper()]
    if any(word.casefold() not in _SMALL_IN_HEADLINES for word in small) or (small and "?" in text):
        return False
    return sum(len(word) > 1 and word.casefold() not in STOP_WORDS for word in found) > 1


def calls_a_person(said: str) -> bool:
    """Tell whether a message addresses a person by name, without a mention: "Ben can you tell?"."""
    said = patterns.skimmed(said)
    found = [match["name"] for match in (_CALLED.match(said), _CALLED_LAST.search(said)) if match]
    return any(name[0].isupper() and name.casefold() not in _NOBODY for name in found)
