"""The plain bot's state: the conversation as messages, and the results of the nodes."""

from langchain_core.messages import AnyMessage
from langgraph.graph import MessagesState

from graph.passages import Facet, Passage
from graph.state import ChoiceState, Exchange, Memory, Understanding

EXCHANGES = 6
"""Earlier questions in a prompt; the state keeps all of them."""


class State(MessagesState):
    """The nodes' shared state. Each question replaces everything except the messages."""

    asker: str
    found: list[Passage]
    facets: list[Facet]
    understanding: Understanding
    choice: ChoiceState | None
    passages: list[Passage]
    confidence: float


def question(state: State) -> str:
    """Return the last question."""
    return text_of([message for message in state["messages"] if message.type == "human"][-1])


def text_of(message: AnyMessage) -> str:
    """Return a message's text."""
    return str(message.content)


def memory(state: State) -> Memory:
    """Return the last exchanges of the conversation in the form of the prompts."""
    *earlier, _ = state["messages"]
    pairs = zip(earlier[::2], earlier[1::2], strict=False)
    exchanges = [_exchange(text_of(asked), text_of(answer), state["asker"]) for asked, answer in pairs]
    return Memory(exchanges=exchanges[-EXCHANGES:], overheard=[], people=[state["asker"]])


def _exchange(asked: str, answer: str, asker: str) -> Exchange:
    return Exchange(asker=asker, question=asked, standalone=asked, answer=answer, sources=[], passages=[], key="")
