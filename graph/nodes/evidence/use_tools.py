"""Use the planned tools: their results are passages that the answer may cite."""

import asyncio
from itertools import chain
from typing import Final

from langgraph.runtime import Runtime

from graph.answer.evidence import UNSURE, relevance_of, weighed
from graph.answer.selection import is_for_tools_alone, with_results
from graph.context import Context
from graph.memory import language_asked
from graph.nodes.steps import begun
from graph.passages import Passage
from graph.search import best_grades
from graph.state import State, TurnState, Update, queries_of, understood
from graph.text.invisible import in_one_line
from graph.text.wording import CALCULATING, RECKONING_DATES, SEARCHING_MESSAGES, USING, spoken
from graph.tools import ToolCall, ToolError, ToolResult, passage_of


async def use_tools(state: State, runtime: Runtime[Context]) -> Update:
    """Run the planned calls at the same time. A call that fails costs only its own result."""
    turn, context = state["turn"], runtime.context
    calls = understood(turn).get("tools", [])
    for call in calls:
        runtime.stream_writer(begun(state, "use_tools", _title(call, language_asked(state))))
    results = await asyncio.gather(*(_results(call, context) for call in calls))
    found = [passage_of(result, number) for number, result in enumerate(chain.from_iterable(results), 1)]
    used: TurnState = {**turn, "results": await _useful(turn, found, context)}
    if any(passage.get("transient") for passage in found):
        # A reviewer's card would store it.
        used["restricted"] = True
    return {"turn": with_results(used)}


async def _results(call: ToolCall, context: Context) -> list[ToolResult]:
    try:
        return await context.tools.use(call)
    except ToolError:
        return []


async def _useful(turn: TurnState, found: list[Passage], context: Context) -> list[Passage]:
    """Return the results with their relevance, without those that have nothing to do with the question."""
    if is_for_tools_alone(turn):
        return weighed(found, [1.0] * len(found))
    grades = await best_grades(context.grader, queries_of(understood(turn)), found) if found else []
    return [passage for passage in weighed(found, grades) if relevance_of(passage) >= UNSURE]


_TITLES: Final = {"dates": RECKONING_DATES, "messages": SEARCHING_MESSAGES}
_LONGEST_SHOWN: Final = 60
"""Characters of a sum in a step's title."""


def _title(call: ToolCall, language: str) -> str:
    if call["tool"] == "calculator":
        said = call["arguments"].get("expression", "").replace("**", "^").replace("*", "×").replace("/", "÷")
        return spoken(CALCULATING, language, sum=in_one_line(said)[:_LONGEST_SHOWN]).rstrip()
    if title := _TITLES.get(call["tool"]):
        return spoken(title, language)
    return spoken(USING, language, tool=call["tool"].replace("_", " "))
