"""The whole bot, at random: from Slack's payloads to the calls to Slack and to a model that repeats all it is given.

People ask, ask on in threads, and click on old cards, while documents, audiences and memberships change. Whatever is
told after each of these is compared with brute force. `make permissions` does so two thousand times.
"""

import asyncio
import os
import random
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot.app import open_bot, serving_slack
from bot.conversation.address import ChannelId, PersonId
from bot.knowledge.reuse import KeptSearches
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from bot.settings import Settings
from bot.slack.api.pace import Pace
from playground import Playground
from tests.journeys.harness import Harness, Message, is_open_card, labels_of
from tests.models.groq_server import KEY, GroqServer, Reply, Says
from tests.models.obliging import judged, may_ask_back, reading
from tests.permissions.conftest import SEED
from tests.permissions.slack_world import REVIEWS, SlackWorld, empty_workspace
from tests.permissions.world import WORKSPACE, forget_a_condition, let_everybody_read
from tests.support.databases import as_app
from tests.support.waiting import be_patient

CASES = int(os.environ.get("PERMISSION_CASES", "40"))
TITLE, BODY = re.compile(r"\bq([b-z]{4})q\b", re.IGNORECASE), re.compile(r"\bb([b-z]{4})b\b", re.IGNORECASE)
"""The words in a document's title and in its text that no other document has."""
ALONE = "Answer me in a direct message"
ELSEWHERE = (ALONE, "Share in the channel", "Ask a human")
VAGUE = "What of leave and travel?"
_PASSAGE = re.compile(r"<passage (\d+) (\w+)>\n.*?\n\n(.*?)\n</passage \1 \2>", re.DOTALL)
_TOPIC = re.compile(r"What does (\w+) hold")
_SAID = re.compile(r"<conversation (\w+)>\n(.*?)\n</conversation \1>", re.DOTALL)
_READINGS = re.compile(r"<readings (\w+)>\n(.*?)\n</readings \1>", re.DOTALL)


def secrets_in(text: str, *words: re.Pattern[str]) -> set[str]:
    """Return the secret words in a text, in the form of titles."""
    return {f"q{found.lower()}q" for word in words or (TITLE, BODY) for found in word.findall(text)}


def menu_of(message: Message) -> list[Message]:
    """Return the readings that people may still choose on a settled card, or below an answer."""
    menus = [block.get("accessory", {}) for block in message.get("blocks", [])]
    return [one for menu in menus for one in menu.get("options", []) if "|option|" in one["value"]]


@dataclass
class Parrot:
    """A model that repeats what it is given: passages, and of a vague question the readings and the conversation."""

    chance: random.Random
    repeated: int = 0

    def __call__(self, request: dict[str, Any]) -> Reply:
        said = request["messages"][-1]["content"]
        match request.get("response_format"):
            case {"json_schema": {"name": "understand"}}:
                return self._read(request, said)
            case {"json_schema": {"name": "validate"}}:
                return judged(*["supported"] * 40)
            case _:
                repeated = [f"{text.strip()} [{number}]" for number, _, text in _PASSAGE.findall(said)]
                asked = _TOPIC.search(said.rpartition("The question:")[2])
                knows = asked is None or any(asked[1] in one.lower() for one in repeated)
                return Says("EVIDENCE: full\n" + "\n\n".join(repeated) if knows else "EVIDENCE: none")

    def _read(self, request: dict[str, Any], said: str) -> Reply:
        if VAGUE not in said.rpartition("The message:")[2]:
            return reading()
        does, told, readings = self.chance.random(), _SAID.search(said), _READINGS.search(said)
        labels = [line.rpartition(" (")[0] for line in readings[2].split("\n")] if readings else []
        if does < 0.7 and may_ask_back(request) and len(labels) > 1:
            return reading(route="clarify", clarification={"question": "Which?", "options": labels[:4]})
        if told:
            self.repeated += 1
            return reading(route="answer_from_conversation", reply=told[2])
        return reading()


@dataclass(kw_only=True)
class Talks:
    """All threads, and what was counted."""

    harness: Harness
    world: SlackWorld
    parrot: Parrot
    groq: GroqServer
    searches: KeptSearches
    chance: random.Random
    threads: list[tuple[ChannelId, str]] = field(default_factory=list[tuple[ChannelId, str]])
    chosen: set[str] = field(default_factory=set[str])
    """Titles on buttons that people pressed: their own words from then on."""
    leaked: list[str] = field(default_factory=list[str])
    denied: list[str] = field(default_factory=list[str])
    told: int = 0
    clicks: int = 0
    follow_ups: int = 0
    pressed: set[tuple[ChannelId, str, str]] = field(default_factory=set[tuple[ChannelId, str, str]])
    told_alone: int = 0
    reviewed: int = 0
    shared: int = 0

    async def case(self) -> None:
        """Let somebody ask, ask on or click; keep what leaked, and what was withheld needlessly."""
        person, channel = self.world.place()
        least, most = self.world.bounds(person, channel)
        elsewhere = self._elsewhere(person, channel)
        if elsewhere and self.chance.random() < 0.5:
            await self._tell_elsewhere(person, self.chance.choice(elsewhere))
            return
        playground, before = self.harness.playground, len(self.groq.requests)
        stood, made = self._standing(channel), len(playground.calls())
        asked_for = await self._act(person, channel, least)
        await self.harness.settled()
        calls = [one.arguments for one in playground.calls()[made:]]
        news = [self._news(one, stood) for one in calls]
        self._look_at_reviews(news)
        told = self._told(self.groq.requests[before:], *map(_to_people, news))
        self.leaked += [f"{word} to {person} in {channel}" for word in sorted(told - most)]
        if asked_for in least:
            is_told = asked_for in secrets_in(repr(calls), BODY)
            self.told += is_told
            self.denied += [] if is_told else [f"{asked_for} to {person} in {channel}"]

    async def _tell_elsewhere(self, person: PersonId, button: tuple[ChannelId, str, str]) -> None:
        """Let somebody get an answer alone, or share one in the channel of its question, as one who reads alone."""
        channel, ts, label = button
        playground = self.harness.playground
        _, most = self.world.bounds(person, ChannelId(self._direct(person)))
        before, made, stood = len(self.groq.requests), len(playground.calls()), self._standing(channel)
        await playground.person(person).click(channel, ts, label=label)
        self.pressed.add(button)
        await self.harness.settled()
        # A message that stood there, and now also says that a colleague was asked, tells nothing new.
        made_calls = [one.arguments for one in playground.calls()[made:]]
        calls = [self._news(one, stood) for one in made_calls if label == ALONE or one.get("ts") not in stood]
        self._look_at_reviews(calls)
        told = self._told(self.groq.requests[before:], *map(_to_people, calls))
        self.leaked += [f"{word} to {person} by {label}" for word in sorted(told - most)]
        for copy in (one for one in calls if "Shared by" in repr(one)):
            self.shared += 1
            if not self.world.slack_is_up or copy["channel"] not in self.world.channels[person]:
                self.leaked.append(f"shared in {copy['channel']} by {person}, who is not there")
        self.told_alone += label == ALONE and bool(told)

    def _look_at_reviews(self, calls: list[Message]) -> None:
        sent = self._told([one for one in calls if one.get("channel") == REVIEWS])
        self.reviewed += bool(sent)
        self.leaked += [f"{word} to reviewers" for word in sent if not self.world.is_for_everyone(word)]

    def _elsewhere(self, person: PersonId, channel: ChannelId) -> list[tuple[ChannelId, str, str]]:
        """Return the buttons there, by channel, message and label, that tell an answer elsewhere."""
        shown = [
            *self.harness.playground.person(person).ephemerals(channel),
            *self.harness.playground.messages(channel),
        ]
        found = [(channel, one["ts"], label) for one in shown for label in labels_of(one) if label in ELSEWHERE]
        return [button for button in found if button not in self.pressed]

    def _direct(self, person: PersonId) -> str:
        return self.harness.playground.workspace.direct_channel(person).id

    def _standing(self, channel: ChannelId) -> dict[str, str]:
        there = self.harness.playground.messages
        return {one["ts"]: repr(one) for one in (*there(channel), *there(REVIEWS))}

    def _told(self, *shown: object) -> set[str]:
        return (secrets_in(repr(shown), TITLE) - self.chosen) | secrets_in(repr(shown), BODY)

    def _news(self, call: Message, stood: dict[str, str]) -> Message:
        """Return what a call tells: a settled card or review, and a menu, keep what stood there before."""
        blocks = call.get("blocks") or []
        is_an_answer = any(one["type"] == "markdown" for one in blocks)
        if call.get("ts") in stood and not (is_an_answer and call["channel"] != REVIEWS):
            return {"channel": call["channel"], "new": self._told(call) - secrets_in(stood[call["ts"]])}
        bare = [{name: value for name, value in one.items() if name != "accessory"} for one in blocks]
        return {**call, "blocks": bare, "menu": secrets_in(repr(menu_of(call))) - secrets_in(repr(stood))}

    async def _act(self, person: PersonId, channel: ChannelId, readable: set[str]) -> str:
        """Do one thing there; return the secret word of the document that was asked for, if any."""
        does, cards = self.chance.random(), self._cards(channel)
        if does < 0.4 and cards:
            await self._click(person, channel, self.chance.choice(cards))
            return ""
        documents = [*self.world.documents.values()]
        # Most are asked for by somebody who may read them: else, nearly all would be in vain.
        alone, _ = self.world.bounds(person, ChannelId(self._direct(person)))
        wanted = self.chance.choice((readable, alone - readable, set[str]()))
        known = [one for one in documents if one.secret in wanted]
        document = self.chance.choice(known or documents)
        is_vague = self.chance.random() < 0.5
        question = VAGUE if is_vague else f"What does {document.topic} hold?"
        roots = [root for there, root in self.threads if there == channel]
        root = self.chance.choice(roots) if does < 0.6 and roots else None
        self.follow_ups += root is not None
        ts = await self.harness.ask(question, person=person, channel=channel, root=root)
        if root is None:
            self.threads.append((channel, ts))
        return "" if is_vague else document.secret

    async def _click(self, person: PersonId, channel: ChannelId, card: Message) -> None:
        labels = [one for one in labels_of(card) if one != "Something else…"] if is_open_card(card) else []
        pressed = self.chance.choice([*({"label": one} for one in labels), *menu_of(card)])
        self.clicks += 1
        self.chosen |= secrets_in(repr(pressed))
        named = {name: value for name, value in pressed.items() if name != "text"}
        await self.harness.playground.person(person).click(channel, card["ts"], **named)

    def _cards(self, channel: ChannelId) -> list[Message]:
        there = self.harness.playground.messages(channel)
        return [one for one in there if is_open_card(one) or menu_of(one)]


def _to_people(call: Message) -> Message:
    return {} if call.get("channel") == REVIEWS else call


@pytest.fixture
async def talks(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Talks]:
    """A bot with a model that repeats everything, in a world in which everything is shared with somebody."""
    be_patient(monkeypatch)
    chance, parrot = random.Random(SEED), Parrot(random.Random(SEED + 1))
    async with (
        GroqServer.serve(parrot) as groq,
        Playground.open(empty_workspace(), ack_seconds=10.0) as playground,
        Database.open(as_app(database_url), size=2, workspace=WORKSPACE) as database,
    ):
        with psycopg.connect(database_url, autocommit=True) as owner:
            # The vectors of the bot's own embedding, for it weighs by them what to offer.
            embedder = load_embedding("english")
            world = SlackWorld(database=database, owner=owner, chance=chance, playground=playground, embedder=embedder)
            await world.begin()
            harness = Harness(playground, database_url)
            given = {**harness.settings, "workspace": WORKSPACE, "answer_guests": True, "review_channel": REVIEWS}
            settings = Settings(**given, groq_api_key=SecretStr(KEY), groq_base_url=groq.url)
            async with open_bot(settings, harness.app_url) as bot, serving_slack(bot, pace=Pace(speed=10_000.0)):
                yield Talks(
                    harness=harness, world=world, parrot=parrot, groq=groq, searches=bot.searches, chance=chance
                )


async def talk(talks: Talks, cases: int) -> None:
    """Let people do so many things while everything changes."""
    for _ in range(cases):
        if talks.chance.random() < 0.5:
            await talks.world.change()
            await talks.harness.settled()
        await talks.case()
    print(  # noqa: T201
        f"{cases} cases: {len(talks.leaked)} leaks; {talks.told} told what they asked for, {len(talks.denied)} not;"
        f" {talks.clicks} clicks, {talks.follow_ups} follow-ups, {talks.parrot.repeated} memories,"
        f" {talks.searches.hits} reused searches, {talks.told_alone} answers alone, {talks.shared} shared,"
        f" {talks.reviewed} for reviewers."
    )


async def test_a_model_that_repeats_everything_tells_nobody_what_they_may_not_read(talks: Talks) -> None:
    with capture_logs() as logged:
        await talk(talks, CASES)

    assert [] == talks.leaked
    assert set() == secrets_in(repr(logged))
    assert len(talks.denied) <= talks.told / 100
    assert min(talks.clicks, talks.follow_ups, talks.parrot.repeated, talks.told) >= CASES / 40
    assert min(talks.told_alone, talks.shared) >= CASES // 1000


async def test_with_a_condition_missing_from_a_statement_the_policies_hold(talks: Talks) -> None:
    await asyncio.to_thread(forget_a_condition, talks.world.owner)

    with capture_logs() as logged:
        await talk(talks, 20)

    assert [] == talks.leaked
    assert set() == secrets_in(repr(logged))
    assert talks.told > 0


async def test_without_the_policies_it_would_tell_more(talks: Talks) -> None:
    # Without this check, the tests above could pass for another reason.
    await asyncio.to_thread(let_everybody_read, talks.world.owner)

    await talk(talks, 10)

    assert len(talks.leaked) > 10
