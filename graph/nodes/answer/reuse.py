"""Reuse a verified answer: tell what a person kept, beside what the documents say since."""

from langgraph.runtime import Runtime

import prompts
from graph.answer.draft import Draft, is_blank
from graph.answer.evidence import SURE, relevance_of
from graph.answer.reuse import beside, guarded, notes_of, says_otherwise, to_look_at
from graph.context import Context
from graph.memory import standalone
from graph.passages import Passage
from graph.search import weighed_for
from graph.state import State, TurnState, Update, understood
from graph.text.words import language_of
from graph.verified import Telling, Verified


async def reuse(state: State, runtime: Runtime[Context]) -> Update:
    """Answer with the verified answer that was matched; if it may not be told any more, go on without it."""
    turn, context = state["turn"], runtime.context
    verified = await context.verified.use(turn["reused"], _telling(turn)) if "reused" in turn else None
    instructions = prompts.load("write").sentences
    text = guarded(verified, tuple(instructions)) if verified else ""
    if verified is None or is_blank(text):
        return {"turn": without_verified(turn)}
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
        quoted, passage = newer
        await context.verified.dispute(verified["id"], passage)
        number = len(verified["sources"]) + 1
        told["draft"] = beside(text, quoted, passage, number, language)
        told["passages"] = [*verified["sources"], passage]
    return {"turn": {**told, "restricted": True} if verified.get("restricted") else told}


def _telling(turn: TurnState) -> Telling:
    return Telling(person=turn["asker"], key=turn["key"])


def without_verified(turn: TurnState) -> TurnState:
    """Return the turn without verified answers, to be answered from documents."""
    rest = turn.copy()
    rest.pop("candidates", None)
    rest.pop("reused", None)
    return rest


async def _newer(
    question: str, verified: Verified, found: list[Passage], context: Context
) -> tuple[str, Passage] | None:
    """Return what the surest passage says that is newer than the answer and says otherwise, and the passage."""
    looked_at = to_look_at(verified, found)
    if not looked_at or context.quoter is None:
        return None
    for passage in await weighed_for(context, [question], looked_at):
        if relevance_of(passage) < SURE:
            break
        quoted = await _quoted(question, passage, context)
        if quoted and says_otherwise(quoted, passage, verified, language_of(question)):
            return quoted, passage
    return None


async def _quoted(question: str, passage: Passage, context: Context) -> str:
    draft = Draft([passage], prompts.load("write").sentences)
    draft.feed(await context.quoter.nearest(question, [passage]) if context.quoter else "")
    draft.rest()
    return "" if is_blank(draft.text) else draft.text.strip()
