"""The plain bot's side of Slack: listeners that run the graph and post its results, as in Bolt's guides."""

import re
from typing import Any, Literal, cast

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from benchmarks.plain.state import State, text_of
from bot.markup import readable
from graph.context import Context

Durability = Literal["async", "exit"]
Json = dict[str, Any]


class Listeners:
    """The listeners for a mention, a direct message and a click."""

    def __init__(
        self, client: AsyncWebClient, graph: CompiledStateGraph[Any, Context, Any, Any], context: Context,
        durability: Durability,
    ) -> None:  # fmt: skip
        self._client = client
        self._graph = graph
        self._context = context
        self._durability: Durability = durability

    async def mentioned(self, event: Json, context: Json) -> None:
        """Answer a mention in its thread."""
        question = readable(event["text"], without=context["bot_user_id"])
        given = {"messages": [HumanMessage(question)], "asker": event["user"]}
        await self._run(given, event["channel"], event.get("thread_ts") or event["ts"])

    async def told(self, event: Json, context: Json) -> None:
        """Answer a direct message. In channels, the bot answers mentions only."""
        if event.get("channel_type") == "im" and "subtype" not in event:
            await self.mentioned(event, context)

    async def clicked(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """Resume the run that asked."""
        await ack()
        channel, message, label = body["channel"]["id"], body["message"], action["text"]["text"]
        kind = "just_answer" if action["value"] == "-" else "option"
        chose = {"kind": kind, "value": action["value"], "label": label}
        note = f"{message['text']} <@{body['user']['id']}> chose *{label}*."
        await self._client.chat_update(channel=channel, ts=message["ts"], text=note, blocks=[_section(note)])
        await self._run(Command(resume=chose), channel, message["thread_ts"])

    async def _run(self, given: Json | Command[Any], channel: str, thread_ts: str) -> None:
        posted: Any = await self._client.chat_postMessage(channel=channel, thread_ts=thread_ts, text="Thinking…")
        config = RunnableConfig(configurable={"thread_id": f"{channel}:{thread_ts}"})
        result = await self._graph.ainvoke(given, config, context=self._context, durability=self._durability)
        asked = result.get("__interrupt__")
        text, blocks = _card(asked[0].value) if asked else _answer(cast("State", result))
        await self._client.chat_update(channel=channel, ts=posted["ts"], text=text, blocks=blocks)


def build_app(
    client: AsyncWebClient, graph: CompiledStateGraph[Any, Context, Any, Any], context: Context, durability: Durability
) -> AsyncApp:
    """Return the app with its listeners."""
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=2))
    app = AsyncApp(name="plain", client=client)
    listeners = Listeners(client, graph, context, durability)
    app.event("app_mention")(listeners.mentioned)
    app.event("message")(listeners.told)
    app.action(re.compile("^choose:"))(listeners.clicked)
    return app


def _card(asked: Json) -> tuple[str, list[Json]]:
    options = [*asked["options"], {"id": "-", "label": "Just answer"}]
    buttons = [
        {
            "type": "button",
            "action_id": f"choose:{number}",
            "value": option["id"],
            "text": {"type": "plain_text", "text": option["label"]},
        }
        for number, option in enumerate(options)
    ]
    return asked["question"], [_section(asked["question"]), {"type": "actions", "elements": buttons}]


def _answer(result: State) -> tuple[str, list[Json]]:
    text = text_of(result["messages"][-1])
    titles = [f"[{number}] {passage['title']}" for number, passage in enumerate(result["passages"], 1)]
    sources = [{"type": "context", "elements": [{"type": "mrkdwn", "text": "\n".join(titles)}]}] if titles else []
    return text[:300], [{"type": "markdown", "text": text}, *sources]


def _section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}
