"""Evaluates whether the validator tells faithful answers from unfaithful ones, and better than shared words do.

It reads answers that people have rated (MTRAG), and pairs of a right and a made-up answer (HaluEval).
"""

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bot.errors import SettingsError
from bot.evals.measures import auc, wilson
from graph.context import Validator
from graph.passages import Passage
from graph.routing import CONFIDENT
from graph.text.words import words

UNFAITHFUL: Final = 2
"""The best rating (1–4) of an answer that is not faithful."""


@dataclass(frozen=True, kw_only=True)
class Rated:
    """An answer, and whether people found it faithful."""

    question: str
    answer: str
    passages: tuple[Passage, ...]
    is_faithful: bool


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The scores of an answer (0–1)."""

    rated: Rated
    ours: float
    shared: float
    """Share of the answer's words that its passages hold."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """How well the validator tells answers apart. There must be faithful and unfaithful ones."""

    results: tuple[Judged, ...]

    def table(self) -> str:
        """Return the figures as Markdown, beside those of shared words."""
        good, bad = ([one for one in self.results if one.rated.is_faithful is kept] for kept in (True, False))
        ours = auc([one.ours for one in good], [one.ours for one in bad])
        shared = auc([one.shared for one in good], [one.shared for one in bad])
        kept = _share(sum(one.ours >= CONFIDENT for one in good), len(good))
        stopped = _share(sum(one.ours < CONFIDENT for one in bad), len(bad))
        return "\n".join(
            [
                "| | answers | validator | shared words |",
                "|---|---:|---:|---:|",
                f"| AUC | {len(self.results)} | {ours:.3f} | {shared:.3f} |",
                f"| faithful: kept | {len(good)} | {kept} | |",
                f"| unfaithful: stopped | {len(bad)} | {stopped} | |",
            ]
        )


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{count / of:.0%} ({low:.0%}–{high:.0%})"


async def evaluate_groundedness(rated: Iterable[Rated], validator: Validator) -> AsyncIterator[Judged]:
    """Yield the scores of each answer."""
    for one in rated:
        verdict = await validator.validate(one.question, one.answer, list(one.passages))
        held = {word for passage in one.passages for word in words(passage["text"])}
        said = words(one.answer)
        shared = sum(word in held for word in said) / max(1, len(said))
        yield Judged(rated=one, ours=verdict["faithful"], shared=shared)


def read_rated(file: Path) -> list[Rated]:
    """Read the answers of a JSON-lines file, in either form. Raises `SettingsError` if they cannot be told apart."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    rated = [one for row in rows for one in _read(row)]
    if len({one.is_faithful for one in rated}) < 2:  # noqa: PLR2004 — Yes and no.
        raise SettingsError(f"{file} must hold faithful and unfaithful answers.")
    return rated


def _read(row: dict[str, Any]) -> Iterator[Rated]:
    if "knowledge" in row:
        passages = (_passage(1, row["knowledge"]),)
        for name, is_faithful in (("right_answer", True), ("hallucinated_answer", False)):
            yield Rated(question=row["question"], answer=row[name], passages=passages, is_faithful=is_faithful)
    else:
        yield Rated(
            question=row["conversation"][-1]["text"],
            answer=row["response"],
            passages=tuple(_passage(number, one["text"]) for number, one in enumerate(row["passages"], 1)),
            is_faithful=row["faithfulness_median"] > UNFAITHFUL,
        )


def _passage(number: int, text: str) -> Passage:
    return Passage(
        id=number, document_id=number, title="", path=f"{number}", heading_path=[], text=text, language="en",
        dated=None, attributes={}, score=1.0,
    )  # fmt: skip
