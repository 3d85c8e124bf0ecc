"""Questions about documents: who owns one, how old it is, which ones exist (pure).

Titles, dates and front matter answer them, not texts.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from graph import patterns
from graph.documents.versions import current
from graph.passages import Passage
from graph.text.words import content_words

Kind = Literal["owner", "date", "documents"]


class Wanted(NamedTuple):
    """What a question asks about which documents."""

    kind: Kind
    topic: frozenset[str]
    """Stems of words in the documents' titles or file names."""


OWNERS = ("owner", "maintainer", "author", "contact", "verantwortlich", "responsável")
"""The front-matter keys that name a document's owner, the best first."""
MOST = 8
FITTING = 0.5
"""Share of the topic that a title must hold if the question asks which documents exist."""

_KINDS_OF_TEXT = """
page pages document documents doc docs policy policies guide guides file files handbook article articles wiki
seite seiten dokument dokumente dokumenten blatt richtlinie richtlinien
página páginas documento documentos política políticas
"""
_DOCUMENT = rf"(?:{'|'.join(_KINDS_OF_TEXT.split())})"
_BETWEEN_WORDS = patterns.compile(r"[/_.-]+")
_NO_TOPIC = frozenset(content_words(_KINDS_OF_TEXT))
_ASKED: tuple[tuple[Kind, patterns.Pattern], ...] = (
    ("owner", patterns.compile(r"\bwho (?:owns|maintains|wrote|updates)\s+(?P<topic>.+)", patterns.IGNORE_CASE)),
    (
        "owner",
        patterns.compile(
            rf"\bwho (?:is (?:the (?:owner|author|maintainer) of|responsible for)|looks after|keeps)\s+"
            rf"(?P<topic>.*\b{_DOCUMENT}\b.*)",
            patterns.IGNORE_CASE,
        ),
    ),
    ("owner", patterns.compile(r"\bwer ist für (?P<topic>.+?) (?:verantwortlich|zuständig)\b", patterns.IGNORE_CASE)),
    (
        "owner",
        patterns.compile(
            r"\b(?:wer (?:pflegt|schrieb|betreut)|quem (?:mantém|escreveu))\s+(?P<topic>.+)", patterns.IGNORE_CASE
        ),
    ),
    (
        "date",
        patterns.compile(
            r"\bwhen (?:was|were) (?P<topic>.+?) (?:last )?"
            r"(?:updated|changed|revised|reviewed|written|edited|published)\b",
            patterns.IGNORE_CASE,
        ),
    ),
    (
        "date",
        patterns.compile(
            rf"\bhow (?:old|recent|current|up to date) (?:is|are) (?P<topic>.*\b{_DOCUMENT}\b.*)", patterns.IGNORE_CASE
        ),
    ),
    ("date", patterns.compile(rf"\b(?:date|age) of (?P<topic>.*\b{_DOCUMENT}\b.*)", patterns.IGNORE_CASE)),
    (
        "date",
        patterns.compile(
            r"\bwann wurden? (?P<topic>.+?) (?:zuletzt )?(?:aktualisiert|geändert|geschrieben|überarbeitet)\b",
            patterns.IGNORE_CASE,
        ),
    ),
    (
        "documents",
        patterns.compile(
            rf"\b(?:which|what|welche|que|quais) {_DOCUMENT}\b.*?"
            r"\b(?:about|on|cover|covers|for|mention|mentions|zum?r?|über|behandeln|sobre)\s+(?P<topic>.+)",
            patterns.IGNORE_CASE,
        ),
    ),
    (
        "documents",
        patterns.compile(
            rf"\b(?:is there|do (?:we|you) have|gibt es|há) (?:an?|any|eine?n?|um|uma|algum|alguma) {_DOCUMENT}\b.*?"
            r"\b(?:about|on|for|zum?r?|über|sobre)\s+(?P<topic>.+)",
            patterns.IGNORE_CASE,
        ),
    ),
)


def wanted(question: str) -> Wanted | None:
    """Return what a question asks about documents; `None` if it asks about their content."""
    for kind, pattern in _ASKED:
        if found := pattern.search(question):
            topic = frozenset(content_words(found["topic"])) - _NO_TOPIC
            return Wanted(kind, topic) if topic else None
    return None


def documents_for(asked: Wanted, passages: list[Passage]) -> list[Passage]:
    """Return one passage of each document that the question is about and that answers it, newest versions only."""
    firsts = {passage["document_id"]: passage for passage in reversed(current(passages))}
    shares = {id_: len(asked.topic & _named(passage)) / len(asked.topic) for id_, passage in firsts.items()}
    best = max(shares.values(), default=0.0)
    if best < (FITTING if asked.kind == "documents" else 1.0):
        return []
    fitting = [passage for id_, passage in reversed(firsts.items()) if shares[id_] == best]
    return [passage for passage in fitting if _can_be_told(asked.kind, passage)][:MOST]


def owner_of(passage: Passage) -> str:
    """Return a document's owner; empty if it names none."""
    return named_owner(passage["attributes"])


def named_owner(attributes: Mapping[str, str]) -> str:
    """Return the owner whom front matter names; empty if it names none."""
    return next((attributes[key] for key in OWNERS if attributes.get(key)), "")


def _can_be_told(kind: Kind, passage: Passage) -> bool:
    match kind:
        case "owner":
            return bool(owner_of(passage))
        case "date":
            return bool(passage.get("dated"))
        case "documents":
            return True


def _named(passage: Passage) -> set[str]:
    stem = _BETWEEN_WORDS.sub(" ", PurePosixPath(passage["path"]).stem)
    return set(content_words(f"{passage['title']} {stem}"))
