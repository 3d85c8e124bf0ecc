"""Which passages are good enough to answer from, and the sources that an answer cites (pure)."""

import math
from collections.abc import Iterable
from datetime import date
from typing import Literal

from graph.documents.versions import current, newest_versions
from graph.passages import BY_OCR, READ_BY, Passage, Source
from graph.text.names import unknown_names
from graph.text.relevance import words_of
from graph.text.wording import flagged, spoken
from graph.text.words import content_words, language_of

RELEVANT = 0.35
"""Least calibrated probability of a passage that the writer may use."""
SURE = 0.55
"""One passage with this probability is enough to answer."""
UNSURE = 0.005
"""If no passage has this probability, nothing is near an answer."""
POSSIBLE = 0.05
"""If no passage has this probability, the nearest passages are shown as no answer."""
ADEQUATE = 0.9
"""Several passages are enough if at least one of them is relevant with this probability."""
KNOWN = 0.5
"""Share of a follow-up's own words that a passage must hold to answer it with the question before."""
NEAREST, NEAREST_DOCUMENTS, NEAREST_OF_ONE = 8, 4, 4
"""The most passages that are quoted as the nearest: in all, of how many documents, and of one document.

The search finds the right document more often than its right section.
"""
_HEAD_START = 3
"""Added to each rank, so that a passage high in both orders beats the first of one order."""

Band = Literal["sure", "unsure", "no"]
"""Answer; show the nearest; say that nothing was found (requirement R5)."""


def weighed(passages: list[Passage], relevances: list[float]) -> list[Passage]:
    """Return all passages with their relevance, most relevant first; equals keep their order."""
    together: list[Passage] = [
        {**passage, "relevance": relevance} for passage, relevance in zip(passages, relevances, strict=True)
    ]
    return sorted(together, key=lambda passage: -relevance_of(passage))


def renewed(passages: list[Passage], question: str) -> list[Passage]:
    """Return the weighed passages; the newest version of a document is as relevant as an older one of it.

    An older version may use the question's words where the newest uses others. It must not answer alone for that.
    """
    relevance = {passage["id"]: relevance_of(passage) for passage in passages}
    newest_of = newest_versions(passages, question)
    for older in passages:
        if newest := newest_of.get(older["document_id"]):
            relevance[newest["id"]] = max(relevance[newest["id"]], relevance_of(older))
    return weighed(passages, [relevance[passage["id"]] for passage in passages])


def relevant(passages: list[Passage]) -> list[Passage]:
    """Return the weighed passages that the writer may use."""
    return [passage for passage in passages if relevance_of(passage) >= RELEVANT]


def nearest(found: list[Passage], passages: list[Passage], question: str) -> list[Passage]:
    """Return the weighed passages that may be near an answer; none if the best one is not."""
    return [] if band_of(passages) == "no" else foremost(found, passages, question)


def foremost(found: list[Passage], passages: list[Passage], question: str) -> list[Passage]:
    """Return the first of the weighed passages of the first documents, whatever their grades, without old versions.

    For unsure passages, the search's order is as good as the grades, so passages high in both come first.
    """
    by_search, by_grade = ([passage["id"] for passage in order] for order in (found, passages))

    def height(passage: Passage) -> float:
        return sum(1 / (_HEAD_START + order.index(passage["id"])) for order in (by_search, by_grade))

    documents: dict[int, list[Passage]] = {}
    for passage in sorted(current(passages, question), key=height, reverse=True):
        documents.setdefault(passage["document_id"], []).append(passage)
    first = [of_one[:NEAREST_OF_ONE] for of_one in documents.values()][:NEAREST_DOCUMENTS]
    return [passage for of_one in first for passage in of_one][:NEAREST]


def band_of(passages: list[Passage]) -> Band:
    """Tell whether weighed passages answer, may be near, or say nothing."""
    if is_enough(relevant(passages)):
        return "sure"
    return "unsure" if any(relevance_of(passage) >= UNSURE for passage in passages) else "no"


def may_hold(question: str, passages: list[Passage]) -> bool:
    """Tell whether the nearest passages may hold the answer, and know every name in the question."""
    is_possible = any(relevance_of(passage) >= POSSIBLE for passage in passages)
    return is_possible and not unknown_names(question, passages)


def is_enough(passages: list[Passage]) -> bool:
    """Tell whether graded passages carry an answer (requirement R5)."""
    relevances = [relevance_of(passage) for passage in passages]
    # The probability that at least one of them is relevant, if they are independent.
    adequacy = 1 - math.prod(1 - relevance for relevance in relevances)
    return adequacy >= ADEQUATE or any(relevance >= SURE for relevance in relevances)


def bearing_on(question: str, passages: list[Passage]) -> list[Passage]:
    """Return the passages that hold most of a question's own words; all if it has none."""
    asked = set(content_words(question))
    return [passage for passage in passages if len(asked & words_of(passage)) >= KNOWN * len(asked)]


def evidence_text(passage: Passage) -> str:
    """Return all that an answer may use of a passage: title, headings, date, front matter and text."""
    known = [f"{key}: {value}" for key, value in passage["attributes"].items()]
    dated = [f"dated: {dated}"] if (dated := passage.get("dated")) else []
    return ". ".join([passage["title"], *passage["heading_path"], *dated, *known, passage["text"]])


def relevance_of(passage: Passage) -> float:
    """Return the grader's probability, or 0 if the passage was not graded."""
    return passage.get("relevance", 0.0)


def sources_of(passages: list[Passage], question: str) -> list[Source]:
    """Return the passages as sources, numbered from 1, in the language of the question."""
    language = language_of(question)
    return [_source(number, passage, language) for number, passage in enumerate(passages, 1)]


def doubts_of(sources: Iterable[Source]) -> list[str]:
    """Return what is doubtful about the documents of these sources, one sentence for each document."""
    return list(dict.fromkeys(source["flagged"] for source in sources if "flagged" in source))


def _source(number: int, passage: Passage, language: str) -> Source:
    source = Source(
        number=number,
        title=passage["title"],
        heading=" › ".join(passage["heading_path"]),
        url=passage.get("url"),
        dated=passage.get("dated"),
        passage_id=passage["id"],
        links=passage.get("links", []),
    )
    if passage.get("restricted"):
        source["restricted"] = True
    if days := passage.get("stale_after_days"):
        source["stale"] = spoken("older than {days} days", language, days=str(days))
    if passage["attributes"].get(READ_BY) == BY_OCR:
        source["recognised"] = spoken("read by OCR", language)
    if flagged_on := passage.get("flagged_on"):
        reason, since = passage.get("flagged_as", ""), date.fromisoformat(flagged_on)
        source["flagged"] = flagged(passage["title"], reason, since, language)
    return source
