"""A scripted bot on the real Bolt that behaves like ours: asks back, streams, cites, follows up."""

import asyncio
from typing import Any

from slack_sdk.models.messages.chunk import TaskUpdateChunk

from playground import Playground
from tests.playground.bots import WebApi, bolt

Payload = dict[str, Any]
OFFICES = ("Oslo", "Turin", "Porto")
RULES = {
    "Oslo": ["In Oslo it is **30 days** a year [1]. ", "They are yours from the first day [2]. "],
    "Turin": ["In Turin it is **26 days** a year [1]. ", "Days that are left end in March [2]. "],
    "Porto": ["In Porto it is **25 days** a year [1]. ", "A birthday is free on top [2]. "],
}
LONG = [f"{number}. Paragraph {number} says {'something of weight, ' * 4}and ends.\n\n" for number in range(1, 271)]


class Storyteller:
    """The bot. A closed `gate` stops it in the middle of every answer, a closed `choice_gate` before every choice."""

    def __init__(self, playground: Playground) -> None:
        self.app = bolt(playground)
        self.gate, self.choice_gate = asyncio.Event(), asyncio.Event()
        self.gate.set()
        self.choice_gate.set()
        self.ratings: list[str] = []
        self.stopped: list[str] = []
        self._team = playground.team_id
        self._settled: set[str] = set()
        self._cards: dict[str, str] = {}
        self._writing: set[asyncio.Task[None]] = set()
        self._register()

    def _register(self) -> None:
        self.app.event("app_mention")(self._asked)
        self.app.event("message")(self._told)
        self.app.event("agent_session_stopped")(self._stopped)
        self.app.action("office")(self._chosen)
        self.app.action("other")(self._other)
        self.app.action("rate")(self._rated)
        self.app.view("words")(self._worded)

    async def _asked(self, event: Payload, client: WebApi) -> None:
        root = event.get("thread_ts", event["ts"])
        await client.assistant_threads_setStatus(
            channel_id=event["channel"], thread_ts=root, status="is searching the handbook…"
        )
        if "everything" in event["text"]:
            self._answer(client, event["channel"], root, event["user"], LONG)
        else:
            await self._ask_back(client, event["channel"], root)

    async def _told(self, event: Payload, client: WebApi) -> None:
        root = event.get("thread_ts")
        if root is None or "<@" in event["text"] or event.get("bot_id"):
            return
        office = next((one for one in OFFICES if one in event["text"]), "Porto")
        if root in self._cards and self._cards[root] not in self._settled:
            await self._settle(client, event["channel"], self._cards[root], event["user"], office)
        self._answer(client, event["channel"], root, event["user"], RULES[office])

    async def _stopped(self, event: Payload) -> None:
        self.stopped.append(event["thread_ts"])
        self.gate.set()

    async def _chosen(self, ack: Any, body: Payload, client: WebApi) -> None:
        await ack()
        await self.choice_gate.wait()
        office, card, channel = body["actions"][0]["value"], body["message"], body["channel"]["id"]
        if card["ts"] in self._settled:
            late = f"Somebody was faster; you chose {office}."
            await client.chat_postEphemeral(
                channel=channel, user=body["user"]["id"], thread_ts=card["thread_ts"], text=late
            )
            return
        await self._settle(client, channel, card["ts"], body["user"]["id"], office)
        self._answer(client, channel, card["thread_ts"], body["user"]["id"], RULES[office])

    async def _other(self, ack: Any, body: Payload, client: WebApi) -> None:
        place = "/".join((body["channel"]["id"], body["message"]["ts"], body["message"]["thread_ts"]))
        await client.views_open(trigger_id=body["trigger_id"], view=modal(place))
        await ack()

    async def _worded(self, ack: Any, body: Payload, view: Payload, client: WebApi) -> None:
        words = view["state"]["values"]["words"]["text"]["value"]
        if words not in OFFICES:
            await ack(response_action="errors", errors={"words": "There is no such office."})
            return
        await ack()
        channel, card, root = view["private_metadata"].split("/")
        await self._settle(client, channel, card, body["user"]["id"], words)
        self._answer(client, channel, root, body["user"]["id"], RULES[words])

    async def _rated(self, ack: Any, body: Payload, client: WebApi) -> None:
        await ack()
        self.ratings.append(body["actions"][0]["value"])
        place = {"channel": body["channel"]["id"], "thread_ts": body["message"]["thread_ts"]}
        await client.chat_postEphemeral(**place, user=body["user"]["id"], text="Thank you for telling us.")

    async def _ask_back(self, client: WebApi, channel: str, root: str) -> None:
        offices = [button("office", office, office) for office in OFFICES]
        question = {"type": "section", "text": {"type": "mrkdwn", "text": "*Which office do you mean?*"}}
        blocks = [question, {"type": "actions", "elements": [*offices, button("other", "Something else…", "-")]}]
        posted = await client.chat_postMessage(channel=channel, thread_ts=root, text="Which office?", blocks=blocks)
        self._cards[root] = posted["ts"]

    async def _settle(self, client: WebApi, channel: str, card: str, person: str, office: str) -> None:
        self._settled.add(card)
        text = f"<@{person}> chose *{office}*."
        blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": text}}]
        await client.chat_update(channel=channel, ts=card, text=text, blocks=blocks)

    def _answer(self, client: WebApi, channel: str, root: str, person: str, sentences: list[str]) -> None:
        task = asyncio.create_task(self._write(client, channel, root, person, sentences))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _write(self, client: WebApi, channel: str, root: str, person: str, sentences: list[str]) -> None:
        recipient = {"recipient_user_id": person, "recipient_team_id": self._team}
        stream = await client.chat_stream(channel=channel, thread_ts=root, buffer_size=3000, **recipient)
        searched = task("search", "Searched the handbook", "complete")
        await stream.append(chunks=[searched, task("read", "Reading 6 passages", "pending")])
        half = len(sentences) // 2
        for sentence in sentences[:half]:
            await stream.append(markdown_text=sentence)
        await stream.append(chunks=[task("read", "Reading 6 passages", "in_progress")])
        await self.gate.wait()
        if root in self.stopped:
            return
        await stream.append(chunks=[task("read", "Read 6 passages", "complete")])
        for sentence in sentences[half:]:
            await stream.append(markdown_text=sentence)
        await stream.stop(blocks=[sources(), rating()])


def task(name: str, title: str, status: str) -> TaskUpdateChunk:
    return TaskUpdateChunk(id=name, title=title, status=status)


def plain(text: str) -> Payload:
    return {"type": "plain_text", "text": text}


def button(action_id: str, label: str, value: str) -> Payload:
    return {"type": "button", "action_id": f"{action_id}", "text": plain(label), "value": value}


def modal(place: str) -> Payload:
    element = {"type": "plain_text_input", "action_id": "text"}
    words = {"type": "input", "block_id": "words", "label": plain("What did you mean?"), "element": element}
    named = {"title": plain("Something else"), "submit": plain("Answer")}
    return {"type": "modal", "callback_id": "words", "private_metadata": place, **named, "blocks": [words]}


def sources() -> Payload:
    links = "[1] <https://handbook.example/leave|Leave> · [2] <https://handbook.example/joining|Joining>"
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": links}]}


def rating() -> Payload:
    buttons = {
        "positive_button": {"text": plain("Good answer"), "value": "good"},
        "negative_button": {"text": plain("Bad answer"), "value": "bad"},
    }
    return {"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": "rate", **buttons}]}
