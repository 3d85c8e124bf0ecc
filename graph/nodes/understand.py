"""Understand the turn: what it is, what to look for, and whether to ask back."""

from langgraph.runtime import Runtime

from graph.context import Case, Context, ModelError
from graph.events import StepStarted
from graph.memory import recall
from graph.state import State, TurnState, Understanding, Update


async def understand(state: State, runtime: Runtime[Context]) -> Update:
    """Ask for the route, the stand-alone question and the clarification; without a model, retrieve."""
    runtime.stream_writer(StepStarted(step="understand", title="Understanding the question"))
    turn = state["turn"]
    if not turn["question"]:
        return {"turn": {**turn, "understanding": _nothing_asked()}}
    try:
        understanding = await runtime.context.understander.understand(await _case(state, runtime.context))
    except ModelError:
        understanding = _without_a_model(turn)
    return {"turn": {**turn, "understanding": understanding}}


async def _case(state: State, context: Context) -> Case:
    turn = state["turn"]
    case = Case(
        question=turn["question"],
        memory=recall(state),
        passages=turn["found"],
        facets=turn["facets"],
        topics=await context.retriever.topics(),
        addressed=turn["addressed"],
        may_ask=turn["choice"] is None and turn["mode"] == "conversational",
        today=context.clock.now().date().isoformat(),
    )
    if turn["choice"]:
        case["choice"] = turn["choice"]
    return case


def _nothing_asked() -> Understanding:
    return Understanding(
        route="converse",
        confidence=1.0,
        reason="Nothing was asked.",
        standalone="",
        subquestions=[],
        clarification=None,
        reply="",
        assumption="",
    )


def _without_a_model(turn: TurnState) -> Understanding:
    # A message meant for the bot is never dropped because a model is down (requirement U1).
    question = turn["question"]
    if turn["choice"] and turn["choice"]["kind"] != "just_answer":
        question = f"{question} ({turn['choice']['label']})"
    return Understanding(
        route="retrieve" if turn["addressed"] else "stay_silent",
        confidence=0.0,
        reason="No model could be asked.",
        standalone=question,
        subquestions=[],
        clarification=None,
        reply="",
        assumption="",
    )
