"""Questions that a person may ask next: what the found passages tell besides the answer (pure)."""

from functools import lru_cache
from typing import Final, NamedTuple

from graph import patterns
from graph.documents.versions import current, is_version
from graph.passages import Passage
from graph.text.wording import LANGUAGES, spoken
from graph.text.words import content_words, words

MOST: Final = 2
"""Questions that are offered below an answer; none is fine."""
MOST_TRIED: Final = 6
"""Candidates that are graded."""
LONGEST: Final = 75
"""Characters of a question."""
MOST_WORDS: Final = 6
"""Words of a heading that names a topic; a longer one is a sentence."""
SAYS: Final = "What does “{title}” say about “{heading}”?"

_FORMS: Final = tuple(spoken(SAYS, language, title="\n", heading="\n").split("\n") for language in LANGUAGES)
"""What stands before, between and after the two names in each language."""
_ASKS: Final = patterns.compile(r"^[A-ZÀ-Ý¿][^?!.:;]{8,}[?]$")
_NAMES_NOTHING: Final = frozenset(
    content_words(
        """
        overview introduction summary general background notes contents more other misc appendix links questions faq
        example examples history changes purpose scope contact never always before during after afterwards first last
        later now here there home tips good bad do allgemeines überblick übersicht hinweise danach vorher
        nie immer geral resumo depois antes nunca sempre
        """
    )
)
_TOPIC: Final = patterns.compile(r"[^\W\d_][\w' -]*[\w]")


class FollowUp(NamedTuple):
    """A question, and the passage that made it."""

    question: str
    passage: Passage


def section_asked_for(question: str, passages: list[Passage]) -> list[Passage]:
    """Return the passages of the one section that a question names as an offer does; none for any other question."""
    named = [passage for passage in passages if question in _asked(passage["title"], _heading(passage))]
    if named:
        holding = current(passages, question)
        named = [passage for passage in named if passage in holding]
    sections = {(passage["document_id"], *passage["heading_path"]) for passage in named}
    return named if len(sections) == 1 else []


def label_of(question: str) -> str:
    """Return what the question's button says: what is new comes first, because Slack may cut after 30 characters."""
    for before, between, after in _FORMS:
        if question.startswith(before) and question.endswith(after) and between in question:
            title, heading = question.removeprefix(before).removesuffix(after).split(between, 1)
            return f"{heading} ({title})"
    return question


def follow_ups(question: str, answer: str, found: list[Passage], *, cited: set[int], language: str) -> list[FollowUp]:
    """Return questions about uncited passages of the documents that the answer cites, best found first.

    `cited` are ids of passages. A heading is asked about if it names a topic that neither the question nor the answer
    speaks of, or as it stands if it is a question.
    """
    documents = {passage["document_id"] for passage in found if passage["id"] in cited}
    told = {*content_words(question), *content_words(answer)}
    asked: dict[str, FollowUp] = {}
    for passage in current(found, question):
        is_new = passage["id"] not in cited and passage["document_id"] in documents
        made = _made_of(passage, told, language) if is_new and passage["language"] == language else ""
        # The click asks in these words, so they must lead to this section and no other.
        if made and passage in section_asked_for(made, found):
            asked.setdefault(made, FollowUp(made, passage))
    return list(asked.values())[:MOST_TRIED]


def _made_of(passage: Passage, told: set[str], language: str) -> str:
    """Return a question that the passage's heading asks or names; empty if it does not read well."""
    heading = _heading(passage)
    topic = set(content_words(heading))
    known = (told, _NAMES_NOTHING, set(content_words(passage["title"])))
    if not topic or any(topic <= words_known for words_known in known) or is_version(heading):
        return ""
    asks = _ASKS.fullmatch(heading)
    if not asks and (not _TOPIC.fullmatch(heading) or len(words(heading)) > MOST_WORDS):
        return ""
    made = heading if asks else _about(passage["title"], heading, language)
    return made if len(made) <= LONGEST else ""


@lru_cache(maxsize=4096)
def _asked(title: str, heading: str) -> frozenset[str]:
    """Return the questions that ask for a section by its name, in all languages."""
    # Cached, because each question is compared with the same few headings.
    if not heading:
        return frozenset()
    return frozenset([heading] if _ASKS.fullmatch(heading) else [_about(title, heading, one) for one in LANGUAGES])


def _about(title: str, heading: str, language: str) -> str:
    return spoken(SAYS, language, title=title, heading=heading)


def _heading(passage: Passage) -> str:
    return passage["heading_path"][-1].strip() if passage["heading_path"] else ""
