"""The plain bot's graph: retrieval-augmented generation with a pause for a person, as in LangGraph's guides."""

from typing import Any, Literal, TypeAlias

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from benchmarks.plain.state import State, memory, question
from graph.answer.evidence import relevant, weighed
from graph.asking.facets import find_facets
from graph.context import Brief, Case, Context
from graph.search import find
from graph.text.wording import nothing_found, out_of_scope, small_talk

Update: TypeAlias = dict[str, Any]


async def search(state: State, runtime: Runtime[Context]) -> Update:
    """Find passages for the question, joined with the previous one, and their interpretations."""
    earlier = memory(state)["exchanges"]
    query = f"{earlier[-1]['standalone']} {question(state)}" if earlier else question(state)
    found = await find(runtime.context, [query])
    return {"found": found, "facets": find_facets(query, found), "choice": None}


async def understand(state: State, runtime: Runtime[Context]) -> Update:
    """Ask the model to understand the question."""
    case = Case(
        question=question(state), memory=memory(state), passages=state["found"], facets=state["facets"],
        topics=await runtime.context.retriever.topics(), addressed=True, may_ask=state["choice"] is None,
        languages=[], candidates=[], kinds=[], tools=[],
        today=runtime.context.clock.now().date().isoformat(),
    )  # fmt: skip
    if state["choice"]:
        case["choice"] = state["choice"]
    return {"understanding": await runtime.context.understander.understand(case)}


def clarify(state: State) -> Update:
    """Wait for a person to choose."""
    clarification = state["understanding"]["clarification"]
    offered = clarification["options"] if clarification else []
    options = [{"id": one["id"], "label": one["label"]} for one in state["facets"] if one["id"] in offered]
    return {"choice": interrupt({"question": clarification and clarification["question"], "options": options})}


async def retrieve(state: State, runtime: Runtime[Context]) -> Update:
    """Return the passages of the chosen interpretation; search again if the question was rewritten."""
    understanding, choice = state["understanding"], state["choice"]
    chosen = [facet for facet in state["facets"] if choice and facet["id"] == choice["value"]]
    if chosen:
        return {"passages": [one for one in state["found"] if one["id"] in chosen[0]["passages"]]}
    queries = [understanding["standalone"], *understanding["subquestions"]]
    return {"passages": state["found"] if queries == [question(state)] else await find(runtime.context, queries)}


async def grade(state: State, runtime: Runtime[Context]) -> Update:
    """Keep the relevant passages, or else the first two."""
    relevances = await runtime.context.grader.grade(state["understanding"]["standalone"], state["passages"])
    return {"passages": relevant(weighed(state["passages"], relevances)) or state["passages"][:2]}


async def write(state: State, runtime: Runtime[Context]) -> Update:
    """Write the answer, and check the whole of it."""
    asked, passages = state["understanding"]["standalone"], state["passages"]
    brief = Brief(
        question=asked, passages=passages, memory=memory(state), issues=[],
        today=runtime.context.clock.now().date().isoformat(),
    )  # fmt: skip
    answer = "".join([piece async for piece in runtime.context.writers[0].write(brief)])
    verdict = await runtime.context.validator.validate(asked, answer, passages)
    return {"messages": [AIMessage(answer)], "confidence": verdict["faithful"]}


async def reply(state: State, runtime: Runtime[Context]) -> Update:
    """Answer without documents, or say that none answers."""
    topics = await runtime.context.retriever.topics()
    said = {"converse": small_talk(topics, "en"), "out_of_scope": out_of_scope(topics, "en")}
    understanding = state["understanding"]
    text = understanding["reply"] or said.get(understanding["route"], nothing_found(nearest=False))
    return {"messages": [AIMessage(text)], "passages": []}


def after_understand(state: State) -> Literal["clarify", "retrieve", "reply"]:
    """Clarify, retrieve, or reply without documents."""
    understanding = state["understanding"]
    if understanding["clarification"]:
        return "clarify"
    return "retrieve" if understanding["route"] == "retrieve" else "reply"


def after_grade(state: State) -> Literal["write", "reply"]:
    """Write only if there are passages."""
    return "write" if state["passages"] else "reply"


def build_graph() -> StateGraph[State, Context, State, State]:
    """Return the graph, to be compiled with a checkpointer."""
    graph = StateGraph[State, Context, State, State](State, Context)
    for node in (search, understand, clarify, retrieve, grade, write, reply):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "search")
    graph.add_edge("search", "understand")
    graph.add_conditional_edges("understand", after_understand)
    graph.add_edge("clarify", "understand")
    graph.add_edge("retrieve", "grade")
    graph.add_conditional_edges("grade", after_grade)
    graph.add_edge("write", END)
    graph.add_edge("reply", END)
    return graph
