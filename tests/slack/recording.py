"""An intake that records its inputs and follows the test's script."""

from collections import deque
from dataclasses import dataclass, field

from bot.contributions.add import Added, Addition, AddRefused, MessageChosen, RemovalRefused, Removed
from bot.conversation.address import PersonId, Placed, Ts
from bot.conversation.asks.review import Decision, Looked, ReviewRefused
from bot.conversation.asks.review_intake import ReviewIntake
from bot.conversation.inputs import (
    AnswerClicked,
    Change,
    Click,
    ClickedQuestion,
    ClickRefused,
    Declined,
    Message,
    Rating,
    Stop,
)
from bot.conversation.intake import Intake
from bot.errors import PersonLookupError
from bot.slack.api.messenger import Messenger
from bot.slack.payloads.identity import Identity
from bot.slack.people.memberships import Memberships
from bot.slack.people.people import AccountType, People
from graph.tools import PlannedChange


class Acquainted(People):
    """People with given account types, by default members. `None` stands for a person who cannot be checked."""

    def __init__(self, messenger: Messenger, me: Identity, **account_types: AccountType | None) -> None:
        super().__init__(messenger, me)
        self._account_types = account_types

    async def account_type(self, person: PersonId) -> AccountType:
        account_type = self._account_types.get(person, "member")
        if account_type is None:
            raise PersonLookupError
        return account_type


class NoMemberships(Memberships):
    """Memberships of which nothing is stored."""

    def __init__(self) -> None:
        pass

    async def changed(self, *whose: str) -> None:
        pass

    async def may_have_missed(self) -> None:
        pass


class RecordingReviews(ReviewIntake):
    """A review intake that stores nothing and knows no review."""

    def __init__(self) -> None:
        pass

    async def ask_human(self, asked: AnswerClicked) -> ReviewRefused | None:
        return None

    async def look(self, token: str) -> Looked:
        return ReviewRefused(reason="unknown")

    async def decide(self, decision: Decision) -> ReviewRefused | None:
        return None


class RecordingAdding:
    """An intake of what people add that stores nothing."""

    async def add(self, addition: Addition) -> Added | AddRefused:
        return AddRefused(reason="unreadable")

    async def undo(self, chosen: MessageChosen) -> Removed | RemovalRefused:
        return RemovalRefused(reason="unknown")

    async def remove(self, chosen: MessageChosen, *, is_administrator: bool) -> Removed | RemovalRefused:
        return RemovalRefused(reason="unknown")


@dataclass
class RecordingIntake(Intake):
    """An intake without an inbox."""

    messages: list[Message] = field(default_factory=list[Message])
    changes: list[Change] = field(default_factory=list[Change])
    clicks: list[Click] = field(default_factory=list[Click])
    unasked: list[Click] = field(default_factory=list[Click])
    offered: list[Message] = field(default_factory=list[Message])
    denied: list[AnswerClicked] = field(default_factory=list[AnswerClicked])
    ratings: list[Rating] = field(default_factory=list[Rating])
    stops: list[Stop] = field(default_factory=list[Stop])
    declined: list[tuple[str, Declined]] = field(default_factory=list[tuple[str, Declined]])
    retried: list[str] = field(default_factory=list[str])
    outcomes: deque[ClickRefused] = field(default_factory=deque[ClickRefused])
    """Why the next clicks are refused; by default they count."""
    asked: ClickedQuestion | None = None
    """What comes of a clicked question; by default it is the clicker's."""
    failures: deque[Exception] = field(default_factory=deque[Exception])
    """The next errors."""

    async def concerns(self, message: Message, *, earlier_too: bool = False) -> bool:
        return True

    async def decline(self, message: Message, why: Declined, *, edited_at: Ts | None = None) -> None:
        self._fail()
        self.declined.append((message.message_key, why))

    async def receive(self, message: Message) -> None:
        self._fail()
        self.messages.append(message)

    async def change(self, change: Change) -> None:
        self._fail()
        self.changes.append(change)

    async def choose(self, click: Click) -> ClickRefused | None:
        self._fail()
        self.clicks.append(click)
        return self.outcomes.popleft() if self.outcomes else None

    async def ask_next_time(self, click: Click) -> ClickRefused | None:
        self._fail()
        self.unasked.append(click)
        return self.outcomes.popleft() if self.outcomes else None

    async def ask_clicked(self, message: Message) -> ClickedQuestion:
        self._fail()
        self.offered.append(message)
        return self.asked or ClickedQuestion(asker=message.address.person, is_new=True, is_refused=False)

    async def deny_wish(self, denied: AnswerClicked) -> ClickRefused | None:
        self._fail()
        self.denied.append(denied)
        return self.outcomes.popleft() if self.outcomes else None

    async def look_at_change(self, click: Click) -> PlannedChange | ClickRefused:
        self._fail()
        return ClickRefused(reason="superseded")

    async def rate(self, rating: Rating) -> bool:
        self._fail()
        self.ratings.append(rating)
        return rating not in self.ratings[:-1]

    async def stop(self, stop: Stop) -> bool:
        self._fail()
        self.stops.append(stop)
        return False

    async def retry(self, reference: str, thread_id: str, *, card: Placed | None = None) -> bool:
        self._fail()
        self.retried.append(reference)
        return True

    def _fail(self) -> None:
        if self.failures:
            raise self.failures.popleft()
