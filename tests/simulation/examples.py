"""The state machine: people, Slack and hosts act in any order, and the promises hold."""

import asyncio
import copy
from collections import Counter
from collections.abc import Coroutine
from typing import Any, ClassVar, TypeVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from bot.postgres.pool import Database
from bot.slack.payloads import buttons
from bot.slack.payloads.buttons import OF_REVIEWS
from playground.wire import Delivery, Json
from tests.journeys.harness import DENY, LOOK, labels_of, text_of
from tests.simulation.harness import PEOPLE, Simulation, pick
from tests.simulation.host import Ways
from tests.simulation.models import tags_in
from tests.simulation.promises import broken

T = TypeVar("T")

ANYTHING = st.integers(0, 1000)
MOMENTS = st.one_of(st.none(), st.integers(0, 24))
"""The moments after which an action is held; most runs have about twenty."""
PERSON = st.sampled_from(PEOPLE)
HOST = st.integers(0, 1)
SOON = st.sampled_from((0, 0, 1, None))
"""The host that receives a delivery at once; none if Slack is slow."""
ANSWERS = (
    "1",
    "2",
    "3",
    "Pine",
    "the desk one",
    "either",
    "hmm",
    "no",
    "never mind",
    "the blue model p{}",
    ":thumbsup:",
)
LABELS = (
    "Desk",
    "Pine",
    "Just answer",
    "Ask this again",
    "Something else…",
    "Retry",
    "Answer after all",
    "Ask a human",
    LOOK,
    DENY,
)
KINDS = "caclut"
"""Kinds of questions. Clear ones are more frequent, because their runs are quicker."""
WORDS = "I looked it up: {} is as it is."
METHODS = ("chat.postMessage", "chat.update", "chat.startStream", "chat.stopStream", "chat.delete")


class Life(RuleBasedStateMachine):
    """One simulation, from its start until every deadline has passed."""

    runner: ClassVar[asyncio.Runner]
    database: ClassVar[Database]
    database_url: ClassVar[str]
    tally: ClassVar[Counter[str]]
    """The number of actions and events of each kind, over all lives."""

    simulation: Simulation

    def __init__(self) -> None:
        super().__init__()
        self.number = 0
        self.is_broken = False
        self.seen: list[Json] = []
        self.tally["lives"] += 1

    def do(self, act: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(act)

    def teardown(self) -> None:
        try:
            if self.is_broken:
                return
            self.rest()
            self.do(self.simulation.pass_days())
            self.check()
            self.count()
        finally:
            self.do(self._opened.__aexit__(None, None, None))

    def count(self) -> None:
        """Check that nothing is open any more, and add to the counts."""
        for row in self.do(
            self.simulation.rows(
                "SELECT kind || ' ' || status AS what FROM inbox WHERE workspace = %(workspace)s"
                " UNION ALL SELECT kind || ' ' || status FROM asks WHERE workspace = %(workspace)s"
                " UNION ALL SELECT 'message in parts' FROM messages WHERE workspace = %(workspace)s AND part = 1"
            )
        ):
            assert not row["what"].endswith(" open"), f"a {row['what']} outlived its deadline"
            self.tally[row["what"]] += 1

    @initialize(kind=st.sampled_from(KINDS), has_reviewers=st.booleans(), remembers=st.booleans())
    def somebody_asks_first(self, *, kind: str, has_reviewers: bool, remembers: bool) -> None:
        ways = Ways(has_reviewers=has_reviewers, remembers=remembers)
        self._opened = Simulation.open(self.database, self.database_url, ways=ways)
        self.simulation = self.do(self._opened.__aenter__())
        self.do(self.simulation.say(self.question(kind)))

    @rule(
        kind=st.sampled_from(KINDS),
        person=PERSON,
        where=ANYTHING,
        is_new=st.booleans(),
        mention=st.booleans(),
        soon=SOON,
    )
    def ask(self, *, kind: str, person: str, where: int, is_new: bool, mention: bool, soon: int | None) -> None:
        root = None if is_new else self.root(where)
        self.do(self.simulation.say(self.question(kind), person=person, root=root, mention=mention or root is None))
        self.tell_soon(soon)

    @rule(text=st.sampled_from(ANSWERS), person=PERSON, where=ANYTHING, mention=st.booleans(), soon=SOON)
    def type_an_answer(self, *, text: str, person: str, where: int, mention: bool, soon: int | None) -> None:
        self.number += 1
        root = self.root(where)
        if root:
            self.do(self.simulation.say(text.format(self.number), person=person, root=root, mention=mention))
            self.tell_soon(soon)

    @rule(which=ANYTHING, kind=st.sampled_from((*KINDS, "s", "")), mention=st.booleans(), soon=SOON)
    def edit(self, *, which: int, kind: str, mention: bool, soon: int | None) -> None:
        """Edit a message; without a kind until its text is empty."""
        if own := self.by_people():
            text = self.question(kind) if kind else ""
            self.do(self.simulation.edit(pick(own, which), text, mention=mention))
            self.tell_soon(soon)

    @rule(which=ANYTHING, soon=SOON)
    def delete(self, *, which: int, soon: int | None) -> None:
        if own := self.by_people():
            self.do(self.simulation.delete(pick(own, which)))
            self.tell_soon(soon)

    @rule(which=ANYTHING, label=st.sampled_from(LABELS), person=PERSON, times=st.integers(1, 3), soon=SOON)
    def click(self, *, which: int, label: str, person: str, times: int, soon: int | None) -> None:
        if self.seen:
            for _ in range(times):
                self.do(self.simulation.click(pick(self.seen[::-1], which), person=person, label=label))
            self.tell_soon(soon)

    @rule(which=ANYTHING, person=PERSON, soon=SOON)
    def press(self, *, which: int, person: str, soon: int | None) -> None:
        """Press any available button: on an open card, in the menu of an answered one, or below an answer."""
        if labels := sorted({label for one in self.simulation.shown for label in offers(one)}):
            label = pick(labels, which)
            message = pick([one for one in self.simulation.shown if label in offers(one)], which // len(labels))
            self.tally[f"pressed {label}"] += self.do(self.simulation.click(message, person=person, label=label))
            self.tell_soon(soon)

    @rule(label=st.sampled_from(("Desk", "Pine", "Just answer")), host=HOST, pause=MOMENTS)
    def be_asked_back(self, *, label: str, host: int, pause: int | None) -> None:
        """Ask an ambiguous question, choose, and let the resumed run get this far."""
        asked = self.do(self.simulation.say(self.question("a")))
        self.work_it_off(host)
        for card in [one for one in self.simulation.messages.values() if one.get("thread_ts") == asked]:
            self.tally[f"pressed {label}"] += self.do(self.simulation.click(card, label=label))
        self.carry_all(host)
        self.work(host, pause)

    @rule(label=st.sampled_from((LOOK, LOOK, DENY)), person=PERSON, host=HOST, pause=MOMENTS)
    def be_asked_to_approve(self, *, label: str, person: str, host: int, pause: int | None) -> None:
        """Order a change, decide about it, and let the call get this far."""
        asked = self.do(self.simulation.say(self.question("t")))
        self.work_it_off(host)
        for card in [one for one in self.simulation.messages.values() if one.get("thread_ts") == asked]:
            self.tally[f"pressed {label}"] += self.do(self.simulation.click(card, person=person, label=label))
        self.carry_all(host)
        for view in list(self.simulation.slack.views.values()):
            if view["callback_id"] == buttons.LOOK_AT_CHANGE:
                self.simulation.submit(view, {})
                self.tally["approved"] += 1
        self.carry_all(host)
        self.work(host, pause)

    @rule(which=ANYTHING, text=st.sampled_from(ANSWERS), soon=SOON)
    def fill_in(self, *, which: int, text: str, soon: int | None) -> None:
        """Submit an open modal, with the person's own words or with an answer."""
        if views := list(self.simulation.slack.views.values()):
            self.number += 1
            view = pick(views, which)
            tags = " and ".join(tags_in(str(view["blocks"])))
            words = WORDS.format(tags) if view["callback_id"].startswith(OF_REVIEWS) else text.format(self.number)
            fields = [block["block_id"] for block in view["blocks"] if block["type"] == "input"]
            self.simulation.submit(view, dict.fromkeys(fields[:1], words) | dict.fromkeys(fields[1:], ""))
            self.tell_soon(soon)

    @rule(which=ANYTHING, forged=st.sampled_from(("nonsense", "nonsense|0", "", "{token}|nonsense")), soon=SOON)
    def click_on_a_forged_button(self, *, which: int, forged: str, soon: int | None) -> None:
        if self.seen:
            card = copy.deepcopy(pick(self.seen, which))
            buttons = [one for block in card["blocks"] for one in block.get("elements", []) if "value" in one]
            if not buttons:
                return
            button = buttons[0]
            button["value"] = forged.format(token=button["value"].partition("|")[0]) or "-"
            self.do(self.simulation.click(card, value=button["value"]))
            self.tell_soon(soon)

    @rule(which=ANYTHING, host=HOST, pause=MOMENTS)
    def carry_any(self, which: int, host: int, pause: int | None) -> None:
        if self.simulation.letters:
            self.carry(pick(self.simulation.letters, which), host, pause)

    @rule(host=HOST)
    def carry_all(self, host: int) -> None:
        for letter in list(self.simulation.letters):
            self.carry(letter, host, None)

    @rule(which=ANYTHING, host=HOST)
    def carry_again(self, which: int, host: int) -> None:
        events = [one for one in self.simulation.carried if one.kind == "events_api"]
        if events:
            self.carry(pick(events, which), host, None)

    @rule(which=ANYTHING)
    def lose_a_click(self, which: int) -> None:
        clicks = [one for one in self.simulation.letters if one.kind != "events_api"]
        if clicks:
            self.simulation.letters.remove(pick(clicks, which))

    @rule(host=HOST, pause=MOMENTS)
    def work(self, host: int, pause: int | None) -> None:
        self.do(self.simulation.work(self.simulation.hosts[host], pause_after=pause))
        self.look()

    @rule(host=HOST)
    def work_it_off(self, host: int) -> None:
        self.carry_all(host)
        for _ in range(4):
            self.work(host, None)

    @rule(host=HOST, pause=MOMENTS)
    def job(self, host: int, pause: int | None) -> None:
        self.do(self.simulation.job(self.simulation.hosts[host], pause_after=pause))

    @rule(host=HOST)
    def hear_of_changes(self, host: int) -> None:
        self.do(self.simulation.hear_of_changes(self.simulation.hosts[host]))

    @rule(host=HOST, pause=MOMENTS)
    def work_and_die(self, host: int, pause: int | None) -> None:
        self.work(host, pause)
        self.kill(host)

    @rule(which=ANYTHING, host=HOST, pause=st.integers(0, 4))
    def hear_and_die(self, which: int, host: int, pause: int) -> None:
        self.carry_any(which, host, pause)
        self.kill(host)

    @rule(host=HOST)
    def kill(self, host: int) -> None:
        for deed in self.simulation.hosts[host].deeds:
            self.tally[f"killed {deed.pause.at or 'while it waited'}"] += 1
        self.do(self.simulation.kill(self.simulation.hosts[host]))

    @rule(hours=st.sampled_from((0.001, 4.5, 25)))
    def jump(self, hours: float) -> None:
        self.simulation.slack.clock.advance(hours * 3600)

    @rule(host=HOST)
    def prune(self, host: int) -> None:
        self.do(self.simulation.hosts[host].jobs.prune())

    @rule(method=st.sampled_from(METHODS), is_heard=st.booleans())
    def let_slack_stumble(self, method: str, is_heard: bool) -> None:
        faults = self.simulation.slack.faults
        if is_heard:
            faults.lose_answer(method)
        else:
            faults.fail(method)

    @rule()
    def rest(self) -> None:
        self.do(self.simulation.settle())
        self.look()
        self.check()

    def check(self) -> None:
        faults = self.do(broken(self.simulation))
        if faults:
            self.is_broken = True
            self.tell()
        assert not faults, "\n".join(faults)

    def tell_soon(self, host: int | None) -> None:
        if host is not None:
            self.carry_all(host)

    def carry(self, letter: Delivery, host: int, pause: int | None) -> None:
        self.do(self.simulation.carry(letter, self.simulation.hosts[host], pause_after=pause))

    def look(self) -> None:
        """Remember each message with buttons as it is shown now, for late clicks."""
        shown = [one for one in self.simulation.shown if offers(one)]
        self.seen += [copy.deepcopy(one) for one in shown if one not in self.seen]

    def question(self, kind: str) -> str:
        self.number += 1
        starts = {"a": f"Where do I find w{self.number}", "s": "lunch", "t": "Please create"}
        return f"{starts.get(kind, 'What is the limit for')} {kind}{self.number}?"

    def root(self, which: int) -> str | None:
        roots = [ts for ts, one in self.simulation.messages.items() if one.get("thread_ts", ts) == ts]
        return pick(roots, which) if roots else None

    def by_people(self) -> list[str]:
        return [ts for ts, one in self.simulation.messages.items() if one.get("user") in PEOPLE]

    def tell(self) -> None:
        """Describe the state, to help find a fault."""
        for one in self.simulation.shown:
            note(f"{one['ts']} in {one.get('thread_ts')} {one.get('user')}: {text_of(one)!r} {labels_of(one)}")
        for row in self.do(
            self.simulation.rows(
                "SELECT id, kind, status, position::text AS position, joined_to, content FROM inbox"
                " WHERE workspace = %(workspace)s ORDER BY position, id"
            )
        ):
            note(str(row))
        for row in self.do(
            self.simulation.rows(
                "SELECT id, inbox_id, kind, payload, status, interrupt_id, person, decision, decided_in, concluded_at,"
                " card FROM asks WHERE workspace = %(workspace)s"
            )
        ):
            note(str(row))
        for row in self.do(
            self.simulation.rows("SELECT inbox_id, kind, part, ts FROM messages WHERE workspace = %(workspace)s")
        ):
            note(str(row))


def offers(message: Json) -> list[str]:
    """Return the labels of a message's buttons and menu entries, except for ratings."""
    elements = [one for block in message.get("blocks", []) for one in block.get("elements", [])]
    menus = [block["accessory"] for block in message.get("blocks", []) if block.get("accessory")]
    pressed = [
        *(one for one in elements if one.get("type") == "button"),
        *(one for menu in menus for one in menu["options"]),
    ]
    return [one["text"]["text"] for one in pressed]
