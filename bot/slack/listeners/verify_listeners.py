"""Listeners that make verified answers: of a reviewers' card, and of people's own words in a thread.

What happens to them later: `bot.slack.listeners.maintain_listeners`.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeAlias

from bot.contributions.verify import AnswerToVerify, OwnWords, VerifiedUntil, VerifyIntake, VerifyRefused, may_answer
from bot.conversation.address import Address, PersonId, Ts
from bot.conversation.asks.review import Review
from bot.conversation.inputs import Click, Message, Rating
from bot.markup import readable
from bot.slack.blocks.contributed import verified_cards
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.review_listeners import beside_the_card
from bot.slack.payloads import buttons
from bot.slack.payloads.actions import Pressed
from bot.slack.people.reviewers import Reviewers
from graph.verified import confirmed

Liked: TypeAlias = Callable[[Rating, Callable[[], Awaitable[str]]], Awaitable[bool]]
"""Takes in that a person liked an answer; see `bot.contributions.maintain.MaintainIntake.liked`."""
MOST_OFFERS: Final = 3
"""How often a process asks one person about one question."""
_MOST_COUNTED: Final = 10_000


class VerifyListeners:
    """The listeners for the buttons that keep an answer."""

    def __init__(self, intake: VerifyIntake, access_check: AccessCheck, reviewers: Reviewers, *, liked: Liked) -> None:
        """Without a channel of `reviewers`, nobody keeps anything."""
        self._intake = intake
        self._liked = liked
        self._access_check = access_check
        self._reviewers = reviewers
        self._offers: Counter[tuple[str, str]] = Counter()

    async def act(self, body: dict[str, Any]) -> None:
        """Take in a click that keeps an answer."""
        await self._access_check.take(body, {buttons.KEEP: self._verify_answer, buttons.KEEP_WORDS: self._verify_words})

    async def overhear(self, message: Message) -> None:
        """Ask a colleague whether to keep what they said, if a person was asked to look at a question there."""
        if self._reviewers.channel is None or not may_answer(message):
            return
        address = message.address
        review = await self._intake.answering(address.thread_id, address.person)
        if review is None or self._offers[review.token, address.person] >= MOST_OFFERS:
            return
        if len(self._offers) > _MOST_COUNTED:
            self._offers.clear()
        self._offers[review.token, address.person] += 1
        blocks = verified_cards.offer(review, address.message_ts)
        self._access_check.tell(address, "Is this the answer?", blocks)

    async def confirm(self, click: Click, place: Address) -> None:
        """Let a verified answer also hold for a question, if it is a reviewer who says so on the card."""
        if self._reviewers.channel is None or confirmed(click.choice.value) is None:
            return
        audience = await self._access_check.audience_of(place.channel)
        may = await self._reviewers.include_anywhere(place.person)
        if not may or not await self._intake.widen(click.token, click.choice.value, place.person, place=audience):
            self._access_check.tell(place, verified_cards.NOT_CONFIRMED)

    async def rate(self, rating: Rating) -> None:
        """Let a verified answer also hold for the words of a question, if a person says that it answered them."""
        if self._reviewers.channel is not None and rating.verdict == "good":
            await self._liked(rating, partial(self._access_check.audience_of, rating.channel))

    async def _verify_answer(self, pressed: Pressed) -> None:
        place = beside_the_card(pressed.place)
        if barred := await self._reviewers.bar(place):
            self._access_check.tell(place, verified_cards.refusal(VerifyRefused(reason=barred)))
            return
        kept = await self._verify(pressed.value, place.person)
        if isinstance(kept, VerifyRefused):
            self._access_check.tell(place, verified_cards.refusal(kept))
        else:
            self._access_check.update(pressed, verified_cards.verified_card(pressed.blocks, place.person, kept))

    async def _verify_words(self, pressed: Pressed) -> None:
        place, (token, ts) = pressed.place, buttons.token_and_named(pressed.value)
        kept = await self._verify(token, place.person, Ts(ts))
        if isinstance(kept, VerifyRefused):
            self._access_check.tell(place, verified_cards.refusal(kept))
        else:
            self._access_check.tell(place, "Kept.", verified_cards.verified_words(kept))

    async def _verify(self, token: str, person: PersonId, ts: Ts | None = None) -> VerifiedUntil | VerifyRefused:
        """Keep the answer of a review, or the words of a person's message."""
        review = await self._intake.look(token, person, own_words=ts is not None)
        if isinstance(review, VerifyRefused):
            return review
        words = await self._words(review, person, ts) if ts else None
        if isinstance(words, VerifyRefused):
            return words
        name, audience = await asyncio.gather(
            self._access_check.name_of(person), self._access_check.audience_of(review.channel)
        )
        return await self._intake.verify(
            AnswerToVerify(token=token, person=person, name=name, place=audience, words=words)
        )

    async def _words(self, review: Review, person: PersonId, ts: Ts) -> OwnWords | VerifyRefused:
        """Read what the person's message says now: nothing of it was kept."""
        thread_ts = review.thread_id.rpartition(":")[2]
        found = await self._access_check.message(review.channel, thread_ts, ts)
        text = readable(found.text or "") if found else ""
        if not found or not text:
            return VerifyRefused(reason="unknown")
        return OwnWords(ts=ts, text=text) if found.user == person else VerifyRefused(reason="not_yours")
