"""Grade the passages, and keep the relevant ones."""

from langgraph.runtime import Runtime

from graph.answer.evidence import (
    UNSURE,
    band_of,
    bearing_on,
    foremost,
    nearest,
    relevance_of,
    relevant,
    renewed,
    weighed,
)
from graph.answer.follow_ups import section_asked_for
from graph.answer.selection import selected, with_results
from graph.asking.cases import cell_asked_for
from graph.asking.clarification import assuming, chosen_facet, is_from_suggestions, narrowed, without_suggestion
from graph.asking.facets import CASE
from graph.asking.suggestions import parallel_readings
from graph.context import Context, Grader
from graph.documents.series import news_asked_for, of_the_time_asked
from graph.memory import language_asked, standalone
from graph.nodes.steps import begun
from graph.passages import Passage
from graph.search import best_grades, weighed_for
from graph.state import State, TurnState, Update, queries_of, understood
from graph.text.wording import READING_ONE, READING_SOME, spoken

AT_LEAST = 2
"""Passages of a chosen reading that are kept whatever their grade, so that no button leads to "not found"."""


async def grade(state: State, runtime: Runtime[Context]) -> Update:
    """Keep what the writer may use: the best passages for a model, the relevant ones for quoting, if they suffice."""
    turn, context = state["turn"], runtime.context
    if turn.get("quoting") or not context.has_model:
        return {"turn": with_results(await _for_quoting(state, runtime))}
    passages = turn["passages"]
    _tell(state, passages, runtime)
    relevances = await best_grades(context.grader, queries_of(understood(turn)), passages)
    return {"turn": with_results({**turn, "passages": selected(weighed(passages, relevances))})}


async def _for_quoting(state: State, runtime: Runtime[Context]) -> TurnState:
    turn = state["turn"]
    # A model's passages were joined and thinned out, so quoting starts from the found passages.
    passages = narrowed(turn, turn["found"], turn["facets"]) if turn.get("quoting") else turn["passages"]
    passages = of_the_time_asked(passages, standalone(turn))
    _tell(state, passages, runtime)
    read = _with_rivals(turn, passages)
    every = renewed(await weighed_for(runtime.context, _queries(turn), read), turn["question"])
    # No button leads to "not found", though what was left out may be nearer.
    near = foremost if is_from_suggestions(turn["choice"]) else nearest
    quoting: TurnState = {
        **turn,
        "quoting": turn.get("quoting", "offline"),
        "issues": [],
        "draft": "",
        "sufficiency": {"level": "unsaid", "missing": ""},
        # Also if a passage is sure, because it may hold nothing that can be quoted.
        "nearest": near(passages, _only(passages, every), turn["question"]),
    }
    if surely := await _surely(quoting, passages, read, every, runtime.context):
        return _saying_what_is_assumed({**quoting, "passages": surely})
    return {**quoting, "passages": _of_choice(turn, passages)}


def _saying_what_is_assumed(turn: TurnState) -> TurnState:
    """Return the turn; it says so if all of the answer is of one folder, and another's same page was found first, too.

    The answer is sure, so nobody is asked. But the asker may be of the other folder.
    """
    if turn["choice"] or understood(turn)["assumption"]:
        return turn
    readings, ids = parallel_readings(turn, UNSURE), {passage["id"] for passage in turn["passages"]}
    assumed = next((reading for reading in readings if ids <= {*reading["passages"]}), None)
    return {**turn, "understanding": assuming(understood(turn), assumed)} if assumed else turn


def _with_rivals(turn: TurnState, passages: list[Passage]) -> list[Passage]:
    """Return what is graded, in the order of the search: after a suggestion, what it left out, too.

    Without rivals, any passage looks like the best one.
    """
    if not is_from_suggestions(turn["choice"]):
        return passages
    found = {passage["id"] for passage in turn["found"]}
    return [*turn["found"], *(passage for passage in passages if passage["id"] not in found)]


def _only(passages: list[Passage], every: list[Passage]) -> list[Passage]:
    """Return the weighed passages of `every` that are in `passages`, with the text that they have there."""
    kept = {passage["id"]: passage for passage in passages}
    return [{**kept[one["id"]], "relevance": relevance_of(one)} for one in every if one["id"] in kept]


def _of_choice(turn: TurnState, passages: list[Passage]) -> list[Passage]:
    """Return the passages that are kept for a chosen reading, though nothing is sure; none for a suggestion."""
    chosen = chosen_facet(turn)
    if chosen is None or is_from_suggestions(turn["choice"]):
        return []
    if chosen["attribute"] == CASE:
        return [passage for passage in passages if passage["id"] in chosen["passages"]]
    first = passages[:AT_LEAST]
    return first if any(passage["id"] in chosen["passages"] for passage in first) else []


async def _surely(
    turn: TurnState, passages: list[Passage], read: list[Passage], every: list[Passage], context: Context
) -> list[Passage]:
    """Return the passages that surely answer, most relevant first.

    `read` are all that were graded, in the order of the search; `every` are the same with grades for quoting.
    """
    passages = _bearing_on_what_was_typed(turn, passages)
    chosen, found = chosen_facet(turn), _only(passages, every)
    if chosen and chosen["attribute"] == CASE and is_from_suggestions(turn["choice"]):
        # The table was not sure before, and the name of a case says nothing of the question.
        return []
    # The best one, or the section of this name, may answer for one folder only.
    if band_of(found) != "sure" and parallel_readings(turn, UNSURE):
        return []
    asked = _queries(turn)[0]
    named = section_asked_for(asked, found) or news_asked_for(asked, found) or cell_asked_for(asked, found)
    if named or band_of(found) == "no":
        return named
    if context.sure:
        graded = {passage["id"]: passage for passage in every}
        ranked = [graded[passage["id"]] for passage in read]
        whole, *parts = _queries(turn)
        by_query = [await best_grades(context.sure, [whole], ranked)]
        by_query += [await _as_if_asked_alone(part, read, context, context.sure) for part in parts]
        relevances = [max(grades) for grades in zip(*by_query, strict=True)]
        found = _only(passages, renewed(weighed(ranked, relevances), turn["question"]))
    return relevant(found) if band_of(found) == "sure" else []


def _bearing_on_what_was_typed(turn: TurnState, passages: list[Passage]) -> list[Passage]:
    """Return the passages that may surely answer for what a person typed instead of choosing an option.

    Nobody offered it, so the documents may not speak of it: "Lisbon", if there are Porto and Hamburg.
    """
    choice = turn["choice"]
    if choice is None or choice["kind"] != "text" or not standalone(turn).endswith(f"({choice['label'].strip()})?"):
        return passages
    return bearing_on(choice["label"], passages)


async def _as_if_asked_alone(part: str, passages: list[Passage], context: Context, sure: Grader) -> list[float]:
    """Return how surely each passage answers one of several questions.

    That shows in its place and its lead among all passages: beside another question's passage, it would have none.
    """
    ranked = await context.reranker.rerank(part, passages, keep=len(passages))
    grades = await best_grades(context.strict or context.grader, [part], ranked)
    graded: list[Passage] = [{**passage, "relevance": one} for passage, one in zip(ranked, grades, strict=True)]
    surely = await best_grades(sure, [part], graded)
    by_id = {passage["id"]: one for passage, one in zip(graded, surely, strict=True)}
    return [by_id.get(passage["id"], 0.0) for passage in passages]


def _queries(turn: TurnState) -> list[str]:
    return [without_suggestion(query, turn["choice"]) for query in queries_of(understood(turn))]


def _tell(state: State, passages: list[Passage], runtime: Runtime[Context]) -> None:
    if not passages:
        return
    count, language = len(passages), language_asked(state)
    title = spoken(READING_ONE if count == 1 else READING_SOME, language, count=str(count))
    runtime.stream_writer(begun(state, "grade", title))
