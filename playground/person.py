"""A person of the workspace, who writes, edits, clicks and fills in modals."""

import html
import re
import secrets

from playground.errors import SlackError
from playground.methods.views import keep_modal
from playground.protocol import events, interactions
from playground.state.shared_files import SharedFile, described
from playground.state.slack import Slack
from playground.state.workspace import Channel, Member
from playground.wire import Delivery, Json

MARKUP = re.compile(
    r"<@(?P<user>[A-Z0-9]+)(\|[^>]*)?>|<#(?P<channel>[A-Z0-9]+)(\|[^>]*)?>|<(?P<url>https?://[^>|]+)[^>]*>"
)


class Person:
    """A person of the workspace."""

    def __init__(self, slack: Slack, member: Member) -> None:
        self._slack = slack
        self._member = member

    @property
    def id(self) -> str:
        """The person's user id."""
        return self._member.id

    async def post(self, channel: str, text: str, *, thread_ts: str | None = None, mention_bot: bool = False) -> str:
        """Write a message, in Slack's mrkdwn; return its ts."""
        return self._write(channel, text, {}, thread_ts=thread_ts, mention_bot=mention_bot)

    async def share(
        self,
        channel: str,
        name: str,
        content: str,
        *,
        text: str = "",
        thread_ts: str | None = None,
        mention_bot: bool = False,
    ) -> str:
        """Write a message with a text file; return its ts."""
        slack, file_id = self._slack, "F0" + secrets.token_hex(4).upper()
        place, created = self._channel(channel).id, int(slack.clock.now())
        file = SharedFile(id=file_id, name=name, content=content, user=self.id, channel=place, created=created)
        slack.workspace.files[file_id] = file
        shown = described(file, team_id=slack.workspace.team_id, url=slack.url)
        sharing = {"subtype": "file_share", "files": [shown], "upload": False, "display_as_bot": False}
        return self._write(channel, text, sharing, thread_ts=thread_ts, mention_bot=mention_bot)

    async def edit(self, channel: str, ts: str, text: str) -> None:
        """Edit one's own message."""
        place = self._own(channel, ts)
        self._slack.change(place, ts, {"text": text, "blocks": [rich_text(text)]}, editor=self.id)

    async def delete(self, channel: str, ts: str) -> None:
        """Delete one's own message."""
        self._slack.remove(self._own(channel, ts), ts)

    async def react(self, channel: str, ts: str, name: str) -> None:
        """Add a reaction."""
        self._slack.react(self._place_of(channel, ts), ts, name, person=self.id)

    async def unreact(self, channel: str, ts: str, name: str) -> None:
        """Remove a reaction."""
        self._slack.unreact(self._place_of(channel, ts), ts, name, person=self.id)

    async def invite(self, channel: str, member: str) -> None:
        """Invite a person or the bot to a channel."""
        if member not in self._slack.workspace.members:
            raise SlackError("user_not_found")
        self._slack.join(self._channel(channel), member, inviter=self.id)

    async def leave(self, channel: str) -> None:
        """Leave a channel."""
        self._slack.leave(self._channel(channel), self.id)

    async def click(
        self, channel: str, ts: str, *, action_id: str | None = None, label: str | None = None, value: str | None = None
    ) -> Delivery:
        """Press a button or choose a menu's option by one of its names. Raises `NotThereError` if there is none.

        Returns at once. The delivery shows when the bot acknowledges.
        """
        place = self._channel(channel)
        message = place.messages.get(ts) or place.ephemerals.get(ts)
        if message is None or message.get("visible_to", self.id) != self.id:
            raise SlackError("message_not_found")
        pressed = interactions.find(message.get("blocks", []), action_id=action_id, label=label, value=value)
        url = self._slack.response_url(person=self.id, channel=channel, message_ts=ts)
        return self._press(pressed, interactions.message_place(place, message, response_url=url))

    async def choose(self, channel: str, ts: str, callback_id: str) -> Delivery:
        """Choose a shortcut of the app on a message. The delivery shows when the bot acknowledges."""
        place = self._channel(channel)
        if ts not in place.messages or self.id not in place.members:
            raise SlackError("message_not_found")
        given = {
            "trigger_id": self._slack.triggers.give_trigger(self.id),
            "response_url": self._slack.response_url(person=self.id, channel=channel, message_ts=ts),
            "action_ts": self._slack.next_ts(),
        }
        payload = interactions.message_action(
            self._slack.workspace, self._member, place, place.messages[ts], callback_id=callback_id, given=given
        )
        return self._slack.deliver(payload)

    async def click_in_view(
        self, view_id: str, *, action_id: str | None = None, label: str | None = None, value: str | None = None
    ) -> Delivery:
        """Press a button of an open modal or of the Home tab."""
        view = self._view(view_id)
        pressed = interactions.find(view["blocks"], action_id=action_id, label=label, value=value)
        return self._press(pressed, interactions.view_place(view))

    async def submit(self, view: Json | str, values: Json) -> Json:
        """Submit a modal with values by action id or block id; return the bot's response, `{}` if it just closes.

        Raises `TimeoutError` if the bot does not acknowledge. The modal then stays open, as in Slack.
        """
        shown = self._view(view if isinstance(view, str) else view["id"])
        entered = interactions.state_values(shown, values)
        trigger_id = self._slack.triggers.give_trigger(self.id)
        payload = interactions.view_submission(
            self._slack.workspace, self._member, shown, values=entered, trigger_id=trigger_id
        )
        answer = await self._settled(self._slack.deliver(payload))
        self._follow(shown, answer)
        return answer

    async def close_view(self, view: Json | str) -> None:
        """Close a modal without submitting. The bot gets an event if the view has `notify_on_close`."""
        shown = self._view(view if isinstance(view, str) else view["id"])
        self._take_away(shown)
        if shown["notify_on_close"]:
            self._slack.deliver(interactions.view_closed(self._slack.workspace, self._member, shown))

    async def open_home(self, tab: str = "home") -> None:
        """Open the app's Home tab or its messages."""
        channel = self._slack.workspace.direct_channel(self.id)
        ts, view = self._slack.next_ts(), self._slack.homes.get(self.id)
        self._slack.send_event(events.app_home_opened(channel, person=self.id, tab=tab, view=view, event_ts=ts))

    async def stop(self, channel: str, thread_ts: str) -> None:
        """Press Stop while the bot writes in a thread."""
        place = self._channel(channel)
        streams = [
            ts for (at, ts) in self._slack.streams if at == channel and place.messages[ts].get("thread_ts") == thread_ts
        ]
        for ts in streams:
            self._slack.streams[channel, ts].is_stopped_by_person = True
        event = events.session_stopped(
            place, thread_ts=thread_ts, person=self.id, streams=streams, event_ts=self._slack.next_ts()
        )
        self._slack.send_event(event)

    @property
    def open_view(self) -> Json | None:
        """The latest modal that this person sees."""
        shown = [view for view in self._slack.views.values() if view["shown_to"] == self.id]
        return shown[-1] if shown else None

    @property
    def home(self) -> Json | None:
        """The person's Home tab."""
        return self._slack.homes.get(self.id)

    def ephemerals(self, channel: str | None = None) -> list[Json]:
        """Return this person's ephemeral messages, in order."""
        channels = [self._channel(channel)] if channel else list(self._slack.workspace.channels.values())
        shown = [message for place in channels for message in place.ephemerals.values()]
        return sorted((one for one in shown if one["visible_to"] == self.id), key=lambda one: str(one["ts"]))

    def _write(self, channel: str, text: str, more: Json, *, thread_ts: str | None, mention_bot: bool) -> str:
        place = self._channel(channel)
        if self.id not in place.members:
            raise SlackError("not_in_channel")
        said = f"<@{self._slack.workspace.bot_user_id}> {text}" if mention_bot else text
        thread = {"thread_ts": thread_ts} if thread_ts else {}
        if thread_ts and thread_ts not in place.messages:
            raise SlackError("thread_not_found")
        away = self._member.team_id
        shared = {"user_team": away, "source_team": away} if away else {}
        message = {"user": self.id, "text": said, "blocks": [rich_text(said)], **shared, **thread, **more}
        return str(self._slack.post(place, message)["ts"])

    def _press(self, pressed: interactions.Pressed, place: Json) -> Delivery:
        trigger_id = self._slack.triggers.give_trigger(self.id)
        payload = interactions.block_actions(
            self._slack.workspace,
            self._member,
            pressed,
            place=place,
            trigger_id=trigger_id,
            action_ts=self._slack.next_ts(),
        )
        return self._slack.deliver(payload)

    async def _settled(self, delivery: Delivery) -> Json:
        await self._slack.changes.until(lambda: delivery.settled, seconds=3600)
        if delivery.state != "acknowledged":
            raise TimeoutError("the bot did not acknowledge the submission")
        return delivery.answer or {}

    def _follow(self, view: Json, answer: Json) -> None:
        match answer.get("response_action"):
            case "errors":
                return
            case "update":
                keep_modal(self._slack, answer["view"], person=self.id, view_id=view["id"])
            case "push":
                keep_modal(self._slack, answer["view"], person=self.id)
            case _:
                self._take_away(view)

    def _take_away(self, view: Json) -> None:
        self._slack.views.pop(view["id"], None)
        self._slack.changes.publish({"type": "view_closed", "view_id": view["id"], "person": self.id})

    def _view(self, view_id: str) -> Json:
        view = self._slack.views.get(view_id) or self._slack.homes.get(self.id, {})
        if view.get("id") != view_id or view["shown_to"] != self.id:
            raise SlackError("view_not_found")
        return view

    def _place_of(self, channel: str, ts: str) -> Channel:
        place = self._channel(channel)
        if ts not in place.messages:
            raise SlackError("message_not_found")
        return place

    def _own(self, channel: str, ts: str) -> Channel:
        place = self._channel(channel)
        if place.messages.get(ts, {}).get("user") != self.id:
            raise SlackError("message_not_found")
        return place

    def _channel(self, channel: str) -> Channel:
        if channel not in self._slack.workspace.channels:
            raise SlackError("channel_not_found")
        return self._slack.workspace.channels[channel]


def rich_text(text: str) -> Json:
    """Return the block that Slack's composer sends with a text."""
    elements: list[Json] = []
    end = 0
    for match in MARKUP.finditer(text):
        elements += _plain(text[end : match.start()])
        elements.append(_linked(match))
        end = match.end()
    elements += _plain(text[end:])
    section = {"type": "rich_text_section", "elements": elements}
    return {"type": "rich_text", "block_id": "typed", "elements": [section]}


def _plain(text: str) -> list[Json]:
    return [{"type": "text", "text": html.unescape(text)}] if text else []


def _linked(match: re.Match[str]) -> Json:
    if match["user"]:
        return {"type": "user", "user_id": match["user"]}
    if match["channel"]:
        return {"type": "channel", "channel_id": match["channel"]}
    return {"type": "link", "url": match["url"]}
