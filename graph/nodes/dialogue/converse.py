"""Converse: answer what needs no documents, with the model's words or a fixed sentence."""

from collections.abc import Iterable

from langgraph.runtime import Runtime

from graph.answer.audit import citing
from graph.answer.claims import claims
from graph.answer.draft import with_known_citations
from graph.context import Context
from graph.memory import language_asked, recall
from graph.passages import Source
from graph.state import Exchange, State, TurnOutcome, Update, understood
from graph.text.grounding import support
from graph.text.wording import out_of_scope, small_talk
from graph.text.words import language_of

REPEATED = 0.6
"""Least share (0–1) of a statement's words in an earlier one that it repeats."""


async def converse(state: State, runtime: Runtime[Context]) -> Update:
    """Answer a greeting, thanks or "what can you do"; decline what the documents do not cover; repeat what was said."""
    turn, understanding = state["turn"], understood(state["turn"])
    is_outside = understanding["route"] == "out_of_scope"
    say = out_of_scope if is_outside else small_talk
    answer, sources = understanding["reply"], understanding.get("cites", [])
    if understanding["route"] == "answer_from_conversation" and "cites" not in understanding:
        answer, sources = cited_again(answer, recall(state)["exchanges"])
    answer = answer or say(await runtime.context.retriever.topics(), language_asked(state))
    outcome: TurnOutcome = "declined" if is_outside else "conversed"
    return {"turn": {**turn, "outcome": outcome, "answer": answer, "sources": sources}}


def cited_again(reply: str, exchanges: Iterable[Exchange]) -> tuple[str, list[Source]]:
    """Return a reply that cites what the earlier answers cite that it repeats, and these sources.

    In other words, as in another language, it rests on the last answer with sources.
    """
    citing_ones = [exchange for exchange in exchanges if exchange.get("cited")]
    bare, numbers = with_known_citations(reply, ()), dict[int, int]()
    stated = [claim.text for claim in claims(bare, language_of(bare)) if claim.needs_source]
    if not citing_ones or not stated:
        return bare, []
    sources = {source["passage_id"]: source for one in citing_ones for source in one.get("cited", [])}
    behind = [(statement, _behind(statement, citing_ones)) for statement in stated]
    if not any(cited for _, cited in behind):
        behind = [(stated[-1], [source["passage_id"] for source in citing_ones[-1].get("cited", [])])]
    for statement, cited in behind:
        if cited:
            again = [numbers.setdefault(id_, len(numbers) + 1) for id_ in cited]
            bare = bare.replace(statement, citing(statement, again), 1)
    return bare, [{**sources[id_], "number": number} for id_, number in numbers.items()]


def _behind(statement: str, exchanges: Iterable[Exchange]) -> list[int]:
    """Return the ids of the passages that the most similar earlier statement cites; none if none is similar."""
    earlier = [
        (support(statement, claim.text), [one["passage_id"] for one in cited if one["number"] in claim.cited])
        for exchange in exchanges
        for cited in [exchange.get("cited", [])]
        for claim in claims(exchange["answer"], language_of(exchange["answer"]))
    ]
    share, ids = max(reversed(earlier), key=lambda one: one[0], default=(0.0, list[int]()))
    return ids if share >= REPEATED else []
