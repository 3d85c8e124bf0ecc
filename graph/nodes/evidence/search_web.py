"""Search the web, once in a turn, for what no document answers."""

from langgraph.runtime import Runtime

from graph.answer.evidence import UNSURE, band_of, relevance_of, relevant, weighed
from graph.context import Context
from graph.memory import recall, standalone
from graph.nodes.steps import begun
from graph.passages import Passage
from graph.routing import calls_left
from graph.search import best_grades, weighed_for
from graph.state import State, TurnState, Update, without_keys
from graph.sufficiency import UNSAID
from graph.text.credentials import redacted
from graph.text.words import content_words, language_of
from graph.tools import ToolError, ToolResult, passage_of

LONGEST_QUERY = 400
"""Characters; Tavily takes no more."""


async def search_web(state: State, runtime: Runtime[Context]) -> Update:
    """Put the web's passages in place of those of documents, so that no sentence can rest on both."""
    turn, context = state["turn"], runtime.context
    asked = without_keys(turn, "may_search_web")
    if context.web is None or not (turn.get("quoting") or calls_left(turn)):
        return {"turn": asked}
    runtime.stream_writer(begun(state, "search_web"))
    try:
        results = await context.web.search(sent_of(state))
    except ToolError:
        results = list[ToolResult]()
    passages = await _useful(turn, results, context)
    return {"turn": _with_web(asked, passages) if passages else asked}


def _with_web(turn: TurnState, passages: list[Passage]) -> TurnState:
    return {
        # The numbers in an earlier draft mean other passages.
        **without_keys(turn, "best"),
        "passages": passages,
        "draft": "",
        "issues": [],
        "outcome": "answered",
        "sufficiency": UNSAID.copy(),
    }


def sent_of(state: State) -> str:
    """Return what the outside service gets to read: no word that only documents or answers hold, and no key."""
    turn = state["turn"]
    question = standalone(turn)
    exchanges = recall(state)["exchanges"]
    choice = turn["choice"]
    said = [turn["question"], choice["label"] if choice else "", *(one["question"] for one in exchanges)]
    held = [*(f"{one['title']} {one['text']}" for one in turn["found"]), *(one["answer"] for one in exchanges)]
    is_clean = not set(content_words(question)) & (_words(held) - _words(said))
    return redacted(question if is_clean else turn["question"])[:LONGEST_QUERY]


def _words(texts: list[str]) -> set[str]:
    return set(content_words("\n".join(texts)))


async def _useful(turn: TurnState, results: list[ToolResult], context: Context) -> list[Passage]:
    """Return the results that bear on the question; for quoting, only if they answer it surely."""
    found, question = [_passage(result, number) for number, result in enumerate(results, 1)], standalone(turn)
    if not turn.get("quoting"):
        read = weighed(found, await best_grades(context.grader, [question], found))
        return [passage for passage in read if relevance_of(passage) >= UNSURE]
    read = await weighed_for(context, [question], found)
    return relevant(read) if band_of(read) == "sure" else []


def _passage(result: ToolResult, number: int) -> Passage:
    return {**passage_of(result, number), "language": language_of(result["text"]), "web": True}
