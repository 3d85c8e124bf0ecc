"""What the documents' titles, dates and front matter answer, in sentences (pure)."""

from graph.answer.document_questions import Kind, documents_for, owner_of, wanted
from graph.passages import Passage
from graph.text.wording import spoken
from graph.text.words import language_of


def told(question: str, passages: list[Passage]) -> list[str]:
    """Return a cited line for each document that a question about documents means; none for any other question."""
    asked = wanted(question)
    if asked is None:
        return []
    numbers = {passage["id"]: number for number, passage in enumerate(passages, 1)}
    meant = documents_for(asked, passages)
    mark = "- " if len(meant) > 1 else ""
    language = language_of(question)
    return [f"{mark}{_line(asked.kind, passage, language)} [{numbers[passage['id']]}].\n" for passage in meant]


def _line(kind: Kind, passage: Passage, language: str) -> str:
    values = {"title": passage["title"], "owner": owner_of(passage), "dated": passage.get("dated") or ""}
    if kind == "owner":
        return spoken("The owner of “{title}” is {owner}", language, **values)
    if values["dated"]:
        return spoken("“{title}” is dated {dated}", language, **values)
    return f"“{passage['title']}”"
