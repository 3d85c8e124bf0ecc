"""Reuse a verified answer: tell what a person kept, beside what the documents say since."""

from langgraph.runtime import Runtime

import prompts
from graph.answer.draft import checked
from graph.answer.evidence import SURE, relevance_of
from graph.answer.reuse import beside, notes_of, says_otherwise, to_look_at
from graph.context import Context
from graph.memory import standalone
from graph.nodes.writing import quoted
from graph.passages import Passage
from graph.search import weighed_for
from graph.state import State, TurnState, Update, understood, without_keys
from graph.text.words import language_of
from graph.verified import Telling, Verified


async def reuse(state: State, runtime: Runtime[Context]) -> Update:
    """Answer with the verified answer that was matched; if it may not be told any more, go on without it."""
    turn, context = state["turn"], runtime.context
    told_to = Telling(person=turn["asker"], key=turn["key"])
    verified = await context.verified.use(turn["reused"], told_to) if "reused" in turn else None
    text = _as_told(verified) if verified else ""
    if verified is None or not text:
        return {"turn": without_keys(turn, "candidates", "reused")}
    question = standalone(turn)
    language = language_of(question)
    told: TurnState = {
        **turn,
        "verified": verified,
        "draft": text,
        "outcome": "answered",
        "notes": notes_of(verified, language),
        "passages": verified["sources"],
        "understanding": {**understood(turn), "assumption": ""},
    }
    if newer := await _newer(question, verified, turn["found"], context):
        said, passage = newer
        await context.verified.dispute(verified["id"], passage)
        number = len(verified["sources"]) + 1
        told["draft"] = beside(text, said, passage, number, language)
        told["passages"] = [*verified["sources"], passage]
    return {"turn": {**told, "restricted": True} if verified.get("restricted") else told}


def _as_told(verified: Verified) -> str:
    """Return the text as it may be shown: a person wrote it, and it passes the guard like a model's draft."""
    instructions = prompts.load("write").sentences
    return checked(verified["text"], verified["sources"], instructions, verified["links"])


async def _newer(
    question: str, verified: Verified, found: list[Passage], context: Context
) -> tuple[str, Passage] | None:
    """Return what the surest passage says that is newer than the answer and says otherwise, and the passage."""
    looked_at = to_look_at(verified, found)
    if not looked_at:
        return None
    for passage in await weighed_for(context, [question], looked_at):
        if relevance_of(passage) < SURE:
            break
        said = await quoted(question, [passage], context)
        if said and says_otherwise(said, passage, verified, language_of(question)):
            return said, passage
    return None
