"""Validates a draft against its passages in one structured call: the model finds evidence, code computes scores."""

from typing import Final, Literal

from pydantic import BaseModel

import prompts
from bot.models.llm import material
from bot.models.llm.errors import CallError
from bot.models.llm.forms import schema_of
from bot.models.llm.model import LanguageModel
from bot.models.packing import clipped, pack
from graph.answer.audit import SUPPORTED
from graph.answer.claims import claims, code_lines
from graph.answer.evidence import evidence_text
from graph.answer.quotes import contradicts, misquotes, quoted_sentence
from graph.context import Hints, Verdict
from graph.passages import Passage
from graph.routing import PRESETS
from graph.text.grounding import citations, support, without_citations
from graph.text.words import language_of
from prompts.fencing import fence

MOST_SENTENCES = 16
"""Sentences of a draft that are judged one by one; the form holds no more."""
_UNQUOTED = 0.8
"""The score (0–1) of a statement that is judged supported without a quotation, such as a sum."""
_MISQUOTED = 0.4
"""The score if no passage holds the quotation, unless the passages hold the statement's own words."""
_MAIN = 0.4
"""The highest score (0–1) of a draft whose first statement no passage supports."""
_STRICTEST = max(preset.confident for preset in PRESETS.values())
"""Below this (0–1) a draft is written again, if its preset is so strict."""
_ANSWERS = {"yes": 1.0, "partly": 0.7, "no": 0.3}
_CITED_TOKENS = 1800
"""Tokens of all cited passages in the prompt, and of each other passage."""
_UNCITED_TOKENS = 50
_LONGEST_QUESTION = 300


class JudgedSentence(BaseModel):
    """The model's judgement of one sentence."""

    number: int
    reason: str
    evidence: str
    verdict: Literal["supported", "unsupported", "no_claim"]


class Judgement(BaseModel):
    """The filled-in form."""

    sentences: list[JudgedSentence]
    missing: str
    answers: Literal["yes", "partly", "no"]


FORM: Final = schema_of(Judgement)
"""The schema of a `Judgement`: the reason and the evidence come before the verdict."""


class ModelValidator:
    """A language model that compares drafts with their passages."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = prompts.load("validate")

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        """Ask the model. Raises `CallError` if the model fails, or judges no sentence of the draft."""
        judgement = await self._model.fill(
            Judgement, self._prompt, self._material(question, answer, passages, hints), schema=FORM
        )
        return verdict_of(judgement, answer, passages)

    def _material(self, question: str, answer: str, passages: list[Passage], hints: Hints | None) -> dict[str, str]:
        sentences = enumerate(statements(answer, with_heads=True), start=1)
        cited = set(citations(answer))
        given = {passage["id"] for passage in passages}
        others = [passage for passage in hints["found"] if passage["id"] not in given] if hints else []
        return {
            "today": material.day(hints["today"]) if hints else "unknown",
            "passages": material.numbered(self._packed(question, passages, cited)),
            "others": material.sketches(question, others[:4]),
            "question": fence("question", clipped(question, _LONGEST_QUESTION)),
            "doubts": material.listed("doubts", hints["doubts"][:4] if hints else []),
            "answer": fence("draft", "\n".join([*(f"{number}. {one}" for number, one in sentences), *_code(answer)])),
        }

    def _packed(self, question: str, passages: list[Passage], cited: set[int]) -> list[tuple[int, Passage]]:
        """Return the cited passages within the budget, and short versions of the others."""
        numbered = list(enumerate(passages, start=1))
        whole = pack(question, [passage for number, passage in numbered if number in cited], budget=_CITED_TOKENS)
        rest = [passage for number, passage in numbered if number not in cited]
        short = pack(question, rest, budget=_UNCITED_TOKENS * len(rest), longest=_UNCITED_TOKENS)
        packed = {passage["id"]: passage for passage in (*whole, *short)}
        return [(number, packed[passage["id"]]) for number, passage in numbered if passage["id"] in packed]


def statements(answer: str, *, with_heads: bool = False) -> list[str]:
    """Return the sentences of a draft to judge; the last one holds the rest.

    With heads, a table's first row comes with the names of its columns, which a reader needs.
    """
    found: list[str] = []
    head = ""
    for claim in claims(answer, language_of(answer)):
        above = f"{claim.head}\n   " if with_heads and claim.head not in ("", head) else ""
        found.append(above + " ".join(claim.text.split()))
        head = claim.head
    if len(found) <= MOST_SENTENCES:
        return found or [" ".join(answer.split())]
    return [*found[: MOST_SENTENCES - 1], " ".join(found[MOST_SENTENCES - 1 :])]


def _code(answer: str) -> list[str]:
    lines = code_lines(answer)
    return ["", "Its code:", *lines] if lines else []


def verdict_of(judgement: Judgement, answer: str, passages: list[Passage]) -> Verdict:
    """Return the verdict on a draft from its judged sentences. Raises `CallError` if there are none."""
    stated, introduced = statements(answer), _introduced(answer)
    by_number = {one.number: one for one in judgement.sentences if 0 < one.number <= len(stated)}
    if not by_number:
        raise CallError("The language model's answer cannot be read.")
    pairs = [(stated[number - 1], one) for number, one in sorted(by_number.items())]
    # A sentence that cites a source makes a claim, even if the model says otherwise.
    judged = [(sentence, one) for sentence, one in pairs if one.verdict != "no_claim" or citations(sentence)]
    worth = [(said, one, _worth(said, one, passages, introduced.get(said, ""))) for said, one in judged]
    refuted = [sentence for sentence, _, share in worth if not share]
    total = sum(_length(sentence) for sentence, _, _ in worth)
    faithful = sum(share * _length(sentence) for sentence, _, share in worth) / total if total else 1.0
    issues = [f"{_fault(one)}: {sentence}" for sentence, one, share in worth if not share]
    # Without an issue, the writer would get the same prompt again.
    weak = [f"No passage was quoted for this: {sentence}" for sentence, _, share in worth if 0 < share <= _MISQUOTED]
    return {
        "faithful": min(faithful, _MAIN) if worth and not worth[0][2] else faithful,
        "responsive": _ANSWERS[judgement.answers],
        "issues": [*issues, *(weak if faithful < _STRICTEST else []), *_left_open(judgement)],
        "refuted": refuted,
    }


def _left_open(judgement: Judgement) -> list[str]:
    missing = judgement.missing.strip()
    if missing and judgement.answers != "yes":
        return [f"It does not say this: {missing}"]
    return ["It does not answer the question."] if judgement.answers == "no" else []


def _introduced(answer: str) -> dict[str, str]:
    """Return for each sentence the line that introduces its list."""
    return {" ".join(claim.text.split()): claim.introduced for claim in claims(answer, language_of(answer))}


def _worth(sentence: str, judged: JudgedSentence, passages: list[Passage], introduced: str) -> float:
    if judged.verdict == "unsupported":
        return 0.0
    quotation = judged.evidence.replace("…", "...").partition("...")[0].strip()
    if not quotation and judged.verdict == "supported":
        return _UNQUOTED
    if quoted := quoted_sentence(quotation, passages):
        is_opposite = contradicts(sentence, quoted, passages, introduced=introduced)
        return 0.0 if is_opposite or misquotes(sentence, quoted, passages) else 1.0
    if _plain(quotation) == _plain(sentence):
        # A small model copies the draft as its own evidence.
        return _MISQUOTED
    texts = {number: evidence_text(passage) for number, passage in enumerate(passages, start=1)}
    cited = [texts[number] for number in citations(sentence) if number in texts]
    return _UNQUOTED if support(sentence, " ".join(cited or texts.values())) >= SUPPORTED else _MISQUOTED


def _plain(text: str) -> str:
    return " ".join(without_citations(text).split()).rstrip(".").casefold()


def _fault(judged: JudgedSentence) -> str:
    if judged.verdict == "unsupported":
        return judged.reason.strip().rstrip(".")
    return f"“{judged.evidence.strip()}” says otherwise: it negates or does not, or has another number or name"


def _length(sentence: str) -> int:
    return max(len(without_citations(sentence)), 1)
