"""A question in the local Slack, and its presenter."""

from dataclasses import dataclass, field
from typing import Any

from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.conversation.message_kinds import Parts, Shown
from bot.slack.api.messenger import SESSIONS, Messenger
from bot.slack.api.sessions import Sessions
from bot.slack.presenter.multipart import Destination
from bot.slack.presenter.presenter import AnswerPresenter, Posted
from graph.events import (
    AnswerCompleted,
    AnswerEvent,
    ClarificationRequested,
    Option,
    SourcesFound,
    StepStarted,
)
from graph.passages import Source
from playground import Playground

CHANNEL = "C0SUPPORT"
SOURCE = Source(number=1, title="Leave", heading="", url="https://docs.example/leave", dated="2025-03-01", passage_id=7)
QUIET = (StepStarted(step="search", title="Searching"), StepStarted(step="understand", title="Understanding"))
READING = StepStarted(step="grade", title="Reading 6 passages")
FOUND = SourcesFound(sources=(SOURCE,))
ANSWER = AnswerCompleted(outcome="answered", text="Twelve weeks [1]. Or more.", sources=(SOURCE,))
QUESTION = ClarificationRequested(
    interrupt_id="i", question="Which product?", options=(Option(id="a", label="Desk"), Option(id="b", label="Router"))
)


@dataclass
class Asked:
    """A question in the playground, and the presenter of its answer."""

    playground: Playground
    messenger: Messenger
    address: Address
    recorded: list[tuple[Shown, str, str]] = field(default_factory=list[tuple[Shown, str, str]])

    def presenter(
        self,
        posted: Posted | None = None,
        *,
        is_discreet: bool = False,
        reference: str = "R-42",
    ) -> AnswerPresenter:
        return AnswerPresenter(self.destination(reference), Sessions(self.messenger), posted, is_discreet=is_discreet)

    def destination(self, reference: str = "R-42") -> Destination:
        async def record(kind: Shown, parts: Parts) -> None:
            self.recorded[:] = [*self.recorded, *((kind, part.channel, part.ts) for part in parts)]

        return Destination(messenger=self.messenger, address=self.address, reference=reference, record=record)

    @property
    def replies(self) -> list[dict[str, Any]]:
        return self.playground.thread(self.address.channel, self.address.thread_ts)[1:]

    @property
    def status(self) -> str:
        return self.playground.status(self.address.channel, self.address.thread_ts)

    async def until_shown(self, text: str) -> None:
        await self.playground.until(lambda: any(text in str(reply) for reply in self.replies))

    def methods(self) -> list[str]:
        return [
            call.method
            for call in self.playground.calls()
            if call.method not in ("auth.test", "conversations.info", SESSIONS)
        ]


async def ask(playground: Playground, messenger: Messenger, channel: str = CHANNEL) -> Asked:
    ts = Ts(await playground.person("U0ADA").post(channel, "How long?"))
    address = Address(
        team=TeamId(playground.team_id),
        channel=ChannelId(channel),
        thread_ts=ts,
        message_ts=ts,
        person=PersonId("U0ADA"),
        person_team=TeamId(playground.team_id),
    )
    return Asked(playground=playground, messenger=messenger, address=address)


async def present(presenter: AnswerPresenter, *events: AnswerEvent) -> None:
    await presenter.begin()
    for event in events:
        await presenter.show(event)
    await presenter.close()


def shown_text(message: dict[str, Any]) -> str:
    return "".join(block["text"] for block in message["blocks"] if block["type"] == "markdown")
