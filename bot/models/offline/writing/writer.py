"""Answers made of the documents' own sentences."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import groupby, takewhile
from pathlib import PurePosixPath

from bot.models.offline.writing.layout import cited, laid_out, with_number
from bot.models.offline.writing.quoting import choose, nearest, newer_version
from bot.models.offline.writing.ranking import Similarity
from bot.models.offline.writing.reckoning import end_of_term
from bot.models.offline.writing.rota import DayAsked, day_asked_for
from bot.models.offline.writing.statements import Statement
from graph.asking.facets import short_title
from graph.context import Brief
from graph.documents.questions import Kind, documents_for, owner_of, wanted
from graph.documents.versions import are_versions
from graph.passages import Passage
from graph.text.wording import spoken
from graph.text.words import language_of
from graph.tools import is_result


class QuotingWriter:
    """A `Writer` without a model: it quotes, and says so."""

    def __init__(self, similarity: Similarity | None = None) -> None:
        self._similarity = similarity

    judges = False

    @property
    def note(self) -> str:
        """Say where the words come from."""
        return "These are the documents' own sentences."

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        """Yield the answer, one document after the other; nothing if no passage bears on the question."""
        chosen = await asyncio.to_thread(_written, brief, self._similarity)
        for paragraph in chosen:
            yield paragraph

    async def nearest(self, question: str, passages: list[Passage]) -> str:
        """Return the few statements that come nearest to an answer, each below its document's title."""
        return await asyncio.to_thread(_nearest, question, passages, self._similarity)


def _nearest(question: str, passages: list[Passage], similarity: Similarity | None) -> str:
    found = nearest(question, passages, similarity)
    return "".join([*_laid_out(found, passages, named=True), end_of_term(question, found)])


def _written(brief: Brief, similarity: Similarity | None) -> list[str]:
    question, passages = brief["question"], brief["passages"]
    if all(is_result(passage) for passage in passages):
        return [f"{with_number(passage['text'], number)}\n\n" for number, passage in enumerate(passages, 1)]
    day = day_asked_for(question, brief["today"])
    return _of_documents(question, passages) or list(quoted(question, passages, similarity, day))


def _of_documents(question: str, passages: list[Passage]) -> list[str]:
    """Return a cited line for each document that a question about documents means; none for any other question."""
    asked = wanted(question)
    if asked is None:
        return []
    numbers = {passage["id"]: number for number, passage in enumerate(passages, 1)}
    meant, language = documents_for(asked, passages), language_of(question)
    mark = "- " if len(meant) > 1 else ""
    return [f"{mark}{_line(asked.kind, passage, language)} [{numbers[passage['id']]}].\n" for passage in meant]


def _line(kind: Kind, passage: Passage, language: str) -> str:
    title, dated = passage["title"], passage.get("dated")
    if kind == "owner":
        return spoken("The owner of “{title}” is {owner}", language, title=title, owner=owner_of(passage))
    return spoken("“{title}” is dated {dated}", language, title=title, dated=dated) if dated else f"“{title}”"


def quoted(
    question: str, passages: list[Passage], similarity: Similarity | None = None, day: DayAsked | None = None
) -> Iterator[str]:
    """Yield paragraphs of Markdown with [n] citations, best document first. Of a rota, the row of the day."""
    chosen = choose(question, passages, similarity, day)
    documents = {one.passage["document_id"] for one in chosen}
    yield from _laid_out(chosen, passages, named=len(documents) > 1)
    if end := end_of_term(question, chosen):
        yield end
    if newer := newer_version(question, passages, chosen):
        yield _otherwise(newer, language_of(question))


def _laid_out(chosen: list[Statement], passages: list[Passage], *, named: bool) -> Iterator[str]:
    """Yield a paragraph for each passage, the first of each document below its name if `named`.

    Of one document alone, its sections are named: what account executives get, and what partner managers.
    """
    quoted_passages = [passages[number - 1] for number in {one.number for one in chosen}]
    before: Passage | None = None
    for number, members in groupby(chosen, key=lambda one: one.number):
        passage = passages[number - 1]
        name = _name(passage, before, quoted_passages, passages) if named else _section(passage, quoted_passages)
        before = passage
        yield f"{laid_out(list(members), name=name)}\n\n"


def _section(passage: Passage, quoted_passages: list[Passage]) -> str:
    """Return what tells the passage's heading from those of the other quoted passages, if there are several."""
    paths = [other["heading_path"] for other in quoted_passages]
    shared = len(list(takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False))))
    return " – ".join(passage["heading_path"][shared:]) if any(path != paths[0] for path in paths) else ""


def _name(passage: Passage, before: Passage | None, quoted_passages: list[Passage], passages: list[Passage]) -> str:
    """Return the document's title, and the heading if it is quoted twice; the heading alone below its own document."""
    heading = " ".join(passage["heading_path"][-1:])
    if before and before["document_id"] == passage["document_id"]:
        return heading if before["heading_path"] != passage["heading_path"] else ""
    title = _title(passage, passages)
    others = [other for other in quoted_passages if other["id"] != passage["id"]]
    if not heading or all(other["document_id"] != passage["document_id"] for other in others):
        return title
    return heading if f"{heading} ".startswith(f"{title} ") else f"{title} – {heading}"


def _title(passage: Passage, passages: list[Passage]) -> str:
    """Return the document's title with what tells it from others of it.

    That is its folder, or in one folder its date: minutes of two days.
    """
    title, folder = short_title(passage), PurePosixPath(passage["path"]).parent
    namesakes = [
        other
        for other in passages
        if other["document_id"] != passage["document_id"]
        and short_title(other) == title
        and not are_versions(passage, other)
    ]
    beside = any(PurePosixPath(other["path"]).parent == folder for other in namesakes)
    if beside and (dated := passage.get("dated")):
        return f"{title} ({dated})"
    return f"{title} ({folder.name.replace('-', ' ').capitalize()})" if folder.name and namesakes else title


def _otherwise(newer: Statement, language: str) -> str:
    dated = newer.passage.get("dated")
    named = f"{newer.passage['title']}, {dated}" if dated else newer.passage["title"]
    says = spoken("A newer version ({named}) says:", language, named=named)
    return f"{says} {cited(newer)}\n"
