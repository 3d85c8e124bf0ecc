"""The Web API's methods by name: each takes the local Slack and the arguments, and returns the response's fields."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from playground.methods import agents, chat, conversations, people, search, streaming, views
from playground.state.slack import Slack
from playground.wire import Json

Method: TypeAlias = Callable[[Slack, Json], Json]


def all_methods() -> Mapping[str, Method]:
    """Every method that the playground knows."""
    families = (agents, chat, conversations, people, search, streaming, views)
    return {name: method for family in families for name, method in family.METHODS.items()}
