"""A local Slack with Web API, Socket Mode and a page: for the demo, the tests and the benchmarks."""

from playground.errors import SlackError, StateInUseError, StateUnreadableError
from playground.person import Person
from playground.playground import Playground
from playground.remote import RemotePlayground
from playground.state.workspace import Channel, Member, Workspace
from playground.wire import Call, Delivery

__all__ = [
    "Call",
    "Channel",
    "Delivery",
    "Member",
    "Person",
    "Playground",
    "RemotePlayground",
    "SlackError",
    "StateInUseError",
    "StateUnreadableError",
    "Workspace",
]
