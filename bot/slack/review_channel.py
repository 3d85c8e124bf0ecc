"""The review channel: the card of each review is posted there once, and shows its outcome."""

from bot.contributions.verify import is_keepable
from bot.conversation.address import ChannelId, Placed
from bot.conversation.asks.review import Review
from bot.errors import SlackError
from bot.slack.api.messenger import Messenger
from bot.slack.blocks.contributed.verified_cards import keep_button
from bot.slack.blocks.elements import Block, notification
from bot.slack.blocks.review_cards import decided_card, open_card


class SlackReviewChannel:
    """One channel in the workspace of one installation; implements `bot.conversation.asks.review.ReviewChannel`."""

    def __init__(self, messenger: Messenger, channel: ChannelId, *, keeps: bool = False) -> None:
        """With `keeps`, cards offer to keep answers."""
        self._messenger = messenger
        self._channel = channel
        self._keeps = keeps

    async def find(self, review: Review) -> Placed | None:
        """Find the review's card by its key: cards of other threads may be posted in the same moment."""
        ts = await self._messenger.find(self._channel, _key(review), oldest=review.packet["key"])
        return Placed(channel=self._channel, ts=ts) if ts else None

    async def post(self, review: Review) -> Placed:
        """Post the card; raise `PostRefusedError` if we may not post in the channel."""
        blocks = open_card(review, await self._link(review))
        ts = await self._messenger.post(self._channel, text=_summary(review), blocks=blocks, key=_key(review))
        return Placed(channel=self._channel, ts=ts)

    async def show_outcome(self, review: Review, card: Placed) -> None:
        """Show the review's outcome on its card."""
        blocks: list[Block] = decided_card(review, await self._link(review))
        if self._keeps and is_keepable(review):
            blocks.append(keep_button(review.token))
        await self._messenger.update(card.channel, card.ts, text=_summary(review), blocks=blocks)

    async def _link(self, review: Review) -> str:
        try:
            return await self._messenger.permalink(review.channel, review.packet["key"])
        except SlackError:
            # A question that was deleted has no address any more.
            return ""


def _key(review: Review) -> str:
    return f"review-{review.id}"


def _summary(review: Review) -> str:
    return notification(f"For review: {review.packet['question']}")
