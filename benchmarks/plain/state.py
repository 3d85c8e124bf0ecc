"""The plain bot's state: the conversation as messages, and what is known of the question."""

from langchain_core.messages import AnyMessage
from langgraph.graph import MessagesState

from graph.passages import Facet, Passage
from graph.state import ChoiceState, Exchange, Memory, Understanding

EXCHANGES = 6
"""Earlier questions that the models are shown; the state keeps all of them."""


class State(MessagesState):
    """What the nodes share; everything but the messages is replaced with each question."""

    asker: str
    found: list[Passage]
    facets: list[Facet]
    understanding: Understanding
    choice: ChoiceState | None
    passages: list[Passage]
    confidence: float


def question(state: State) -> str:
    """Return what was asked last."""
    return text_of([message for message in state["messages"] if message.type == "human"][-1])


def text_of(message: AnyMessage) -> str:
    """Return a message's text."""
    return str(message.content)


def memory(state: State) -> Memory:
    """Return the last exchanges of the conversation, in the form that the models' prompts take."""
    *earlier, _ = state["messages"]
    pairs = zip(earlier[::2], earlier[1::2], strict=False)
    exchanges = [_exchange(text_of(asked), text_of(answer), state["asker"]) for asked, answer in pairs]
    return Memory(exchanges=exchanges[-EXCHANGES:], overheard=[], people=[state["asker"]])


def _exchange(asked: str, answer: str, asker: str) -> Exchange:
    return Exchange(asker=asker, question=asked, standalone=asked, answer=answer, sources=[], passages=[])
