"""Access to our buttons: only people whom the bot serves. Others get an ephemeral message."""

import structlog

from bot.conversation.address import Address
from bot.slack.api.messenger import Messenger
from bot.slack.background_tasks import BackgroundTasks
from bot.slack.blocks.cards import NOT_SERVED
from bot.slack.listeners.events import Payload, acts_from_elsewhere
from bot.slack.people import People


class AccessCheck:
    """The access check before the listeners of one workspace."""

    def __init__(self, people: People, messenger: Messenger, tasks: BackgroundTasks) -> None:
        self.people = people
        self.messenger = messenger
        self._tasks = tasks

    async def refuses(self, body: Payload, place: Address) -> bool:
        """Return whether the bot does not serve the person who clicked or filled in a modal; tell that person."""
        is_away = acts_from_elsewhere(body, self.people.me)
        why = "stranger" if is_away else await self.people.access(place.person)
        if why == "granted":
            return False
        structlog.get_logger().info("click_refused", channel=place.channel, why=why)
        self.post_ephemeral(place, NOT_SERVED[why])
        return True

    def post_ephemeral(self, place: Address, text: str) -> None:
        """Post an ephemeral message in the background; an empty text posts nothing."""
        if text:
            self._tasks.run(self.messenger.post_ephemeral(place, text))
