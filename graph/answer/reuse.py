"""A verified answer as it is told, with what the documents say since (pure)."""

from datetime import date

from graph.answer.draft import CITATION
from graph.passages import Passage
from graph.text.values import values
from graph.text.wording import CHANGED_SINCE, GONE_SINCE, VERIFIED_BY, day_in, says_now, spoken
from graph.verified import Verified


def to_look_at(verified: Verified, found: list[Passage]) -> list[Passage]:
    """Return the found passages that may say otherwise: of a source that has changed, or dated after it was kept."""
    own = {source["id"] for source in verified["sources"] if source["id"]}
    changed = {verified["sources"][number - 1]["document_id"] for number in verified["changed"]}
    return [
        passage
        for passage in found
        if passage["id"] not in own
        and (passage["document_id"] in changed or (passage.get("dated") or "") > verified["kept_on"])
    ]


def says_otherwise(quoted: str, passage: Passage, verified: Verified, language: str) -> bool:
    """Tell whether quoted sentences are of a source that has changed, or hold a value that the answer does not."""
    if passage["document_id"] in {verified["sources"][number - 1]["document_id"] for number in verified["changed"]}:
        return True
    said, known = (values(CITATION.sub("", text), language) for text in (quoted, verified["text"]))
    amounts = {amount for number in known.numbers for amount in number.amounts}
    is_new = any(not number.amounts & amounts for number in said.numbers)
    return is_new or bool(said.dates - known.dates) or bool(said.times - known.times)


def beside(text: str, quoted: str, passage: Passage, number: int, language: str) -> str:
    """Return the answer with what a document says now; the quotation's passage is the source of this number."""
    heading = says_now(passage["title"], passage.get("dated") or "", language)
    renumbered = CITATION.sub(f" [{number}]", quoted)
    return f"{text}\n\n{heading}\n\n{renumbered}"


def notes_of(verified: Verified, language: str) -> list[str]:
    """Return who verified the answer and when, and which of its documents are not as they were."""
    name, on = verified["writer_name"].removeprefix("@"), date.fromisoformat(verified["kept_on"])
    titles = [source["title"] for source in verified["sources"]]
    return [
        spoken(VERIFIED_BY, language, name=name, day=day_in(on, language)),
        *(spoken(CHANGED_SINCE, language, title=titles[number - 1]) for number in verified["changed"]),
        *(spoken(GONE_SINCE, language, title=titles[number - 1]) for number in verified["gone"]),
    ]
