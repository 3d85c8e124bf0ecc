"""What people added from a conversation in Slack, as a source: threads, single messages, and shared files.

`slack:C0123ABCD/added` names it. Which documents there are stands in the database: this only reads them.
"""

from bot.audience import is_direct
from bot.knowledge.connectors.connector import Changes, MissingError, NoTextError
from bot.knowledge.connectors.slack.channel import SlackChannel
from bot.knowledge.connectors.slack.paths import ADDED, SlackPart
from bot.knowledge.connectors.slack.thread import Payload, file_in, message_in
from bot.knowledge.sandbox.limits import Limits


class AddedMessages(SlackChannel):
    """What people added from one channel, or one person from their direct messages with the bot."""

    ending = ADDED
    begins_with = "CGD"

    async def described(self) -> Payload:
        """Return the channel as Slack describes it. Raises `KnowledgeError` if nothing of it may be read."""
        return {} if is_direct(self._channel) else await super().described()

    async def changes(self, cursor: str) -> Changes:
        """Return all that was added: only each message itself tells whether it changed."""
        return Changes(paths=[], gone=[], cursor=cursor, known_too=True)

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a thread or a message as Markdown, or a file as it is."""
        part = SlackPart.of_path(path)
        if not part.ts:
            return await super().content(path, limits)
        us = await self._enter()
        message = message_in(await self._thread(part.thread_ts), part.ts, us)
        if message is None or not await self._named([message["user"]], us):
            raise NoTextError
        if part.file:
            return await self._downloaded(path, file_in(message, part.file), limits)
        return await self._written(path, [message], us, limits)

    def url_of(self, path: str) -> str | None:
        """Return the permalink of the thread, or of the message that a document is or belongs to."""
        url, part = super().url_of(path), SlackPart.of_path(path)
        if url is None or part.ts in ("", part.thread_ts):
            return url
        thread, ts = part.thread_ts.replace(".", ""), part.ts.replace(".", "")
        return f"{url.removesuffix(f'p{thread}')}p{ts}?thread_ts={part.thread_ts}&cid={self._channel}"

    async def _downloaded(self, path: str, file: Payload | None, limits: Limits) -> bytes:
        if file is None:
            raise NoTextError
        try:
            content = await self._client.download(file["url_private_download"], largest=limits.largest_bytes(path))
        except MissingError as error:
            raise NoTextError from error
        return limits.fitting(content, path)
