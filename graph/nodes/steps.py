"""Tells people which step of a run begins, in the language of the question."""

from graph.asking.replies import says_nothing
from graph.events import StepStarted
from graph.memory import language_asked, recall
from graph.patterns import skimmed
from graph.routing import may_leave_it_to_people
from graph.state import State
from graph.text.wording import STEPS, doing, spoken

UNDECIDED = frozenset({"search", "understand", "look_up_place", "retrieve", "grade", "use_tools", "widen"})
"""Steps after which a run may still end in silence."""


def begun(state: State, step: str, title: str = "") -> StepStarted:
    """Return that a node begins its work, by its usual title or by `title`, which is in the question's language."""
    language = language_asked(state)
    told = title or spoken(STEPS[step], language)
    may_be_silent = may_leave_it_to_people(state) if state["turn"]["understanding"] else not _is_meant(state)
    is_tentative = may_be_silent and step in UNDECIDED
    return StepStarted(step=step, title=told, status=doing(told, language), is_tentative=is_tentative)


def _is_meant(state: State) -> bool:
    """Tell whether a message seems to be for the bot, before a model reads it: the one person here goes on asking."""
    turn, memory = state["turn"], recall(state)
    is_alone = bool(memory["exchanges"]) and memory["people"] == [turn["asker"]]
    asks = "?" in skimmed(turn["question"]) and not says_nothing(turn["question"])
    return turn["addressed"] or (is_alone and asks)
