"""Judges untagged questions when people have had their time to answer, and shows the channels' cards."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

import structlog

from bot.conversation.address import Ts
from bot.conversation.inputs import Message
from bot.conversation.intake import Intake
from bot.errors import PostRefusedError
from bot.runtime import looking
from bot.slack.api.messenger import Messenger, read_message
from bot.slack.blocks.elements import Block
from bot.slack.channel_modes import mode_store
from bot.slack.channel_modes.mode_cards import LABELS, mode_card, next_showing
from bot.slack.channel_modes.mode_store import Storing, WaitingQuestion
from bot.slack.channel_modes.modes import TOO_LATE, ChannelMode, UntaggedVerdict
from bot.slack.channel_modes.vetoes import (
    is_covered,
    is_promising,
    is_same_answer,
    likeliest_choices,
    verdict,
    veto,
    veto_of_replies,
)
from bot.slack.payloads.messages import read_found
from bot.slack.people.people import People
from graph.context import Clock, Context
from graph.run import ending_of

Judge: TypeAlias = Callable[[Message], Awaitable[UntaggedVerdict | None]]
"""Tells what the documents are good for, from what the writer of a message may read there. Posts and stores nothing."""

MOST_LATER: Final = 30
"""Messages of the channel since the question. If there are more, people have gone on."""

_logger = structlog.stdlib.get_logger(__name__)


class ModeWatcher:
    """Watches the channels of one workspace whose mode is another than mentions."""

    def __init__(
        self, storing: Storing, intake: Intake, judge: Judge, clock: Clock, *, messenger: Messenger, people: People
    ) -> None:
        self._storing = storing
        self._intake = intake
        self._judge = judge
        self._clock = clock
        self._messenger = messenger
        self._people = people

    @asynccontextmanager
    async def running(self, *, look_seconds: float) -> AsyncGenerator[None]:
        """Watch until the context ends. What is begun then is done by another process, or the next one."""
        # What a failure stopped is taken again after its lease.
        async with looking(
            self._judge_next,
            self._show_next_card,
            name="channel modes",
            every_seconds=look_seconds,
            failure="channel_modes_failed",
        ):
            yield

    async def _judge_next(self) -> bool:
        async with self._storing() as connection:
            waiting = await mode_store.take_next(connection, now=self._clock.now())
            mode = await mode_store.mode_of(connection, waiting.channel, now=self._clock.now()) if waiting else None
        if waiting is None:
            return False
        found = await self._still_asked(waiting) if mode and self._may_answer(waiting, mode) else None
        judged = await self._judge(found) if found else None
        # People may have answered while it was judged.
        found = await self._still_asked(waiting) if judged else None
        if mode and judged and found:
            await self._conclude(waiting, mode, judged, found)
        else:
            async with self._storing() as connection:
                await mode_store.drop(connection, waiting)
        _logger.info("untagged_question_judged", message=waiting.message_key, verdict=judged and judged.kind)
        return True

    def _may_answer(self, waiting: WaitingQuestion, mode: ChannelMode) -> bool:
        now = self._clock.now()
        is_late = now.timestamp() - float(waiting.ts) > TOO_LATE.total_seconds()
        return mode.has_room and mode.phase(now) != "off" and not is_late

    async def _still_asked(self, waiting: WaitingQuestion) -> Message | None:
        """Read the question from Slack; `None` if it is gone, vetoed, or answered by people."""
        later = await self._messenger.since(waiting.channel, waiting.ts, limit=MOST_LATER)
        root = next((one for one in later if one["ts"] == waiting.ts), None)
        if root is None or veto_of_replies(later, root):
            return None
        is_shared = await self._messenger.is_shared(waiting.channel)
        said = read_message(root)
        message = read_found(said, waiting.channel, self._people.me, is_shared=is_shared) if said else None
        if message is None or veto(message):
            return None
        return message if await self._people.access(message.address.person) == "granted" else None

    async def _conclude(
        self, waiting: WaitingQuestion, mode: ChannelMode, judged: UntaggedVerdict, message: Message
    ) -> None:
        link = await self._messenger.permalink(waiting.channel, waiting.ts)
        privately = mode.mode == "privately" or judged.kind == "ask"
        concluded = partial(
            mode_store.conclude, waiting=waiting, mode=mode, verdict=judged, link=link, now=self._clock.now()
        )
        address = replace(message.address, untagged=True, privately=privately)
        await self._intake.receive_untagged(replace(message, address=address), concluded=concluded)

    async def _show_next_card(self) -> bool:
        now = self._clock.now()
        async with self._storing() as connection:
            mode = await mode_store.take_card(connection, now=now)
            noted = await mode_store.noted(connection, mode) if mode else []
        if mode is None:
            return False
        try:
            ts = await self._put_card(mode, mode_card(mode, noted, now=now))
        except PostRefusedError:
            # Nobody can see a card there any more.
            ts = None
        async with self._storing() as connection:
            await mode_store.card_shown(connection, mode, ts, again_at=next_showing(mode, now=now) if ts else None)
        return True

    async def _put_card(self, mode: ChannelMode, blocks: list[Block]) -> Ts:
        text = LABELS[mode.mode]
        if mode.card_ts:
            await self._messenger.update(mode.channel, mode.card_ts, text=text, blocks=blocks)
            return mode.card_ts
        key = f"mode:{mode.channel}:{mode.card_key}"
        return await self._messenger.post_once(mode.channel, text=text, blocks=blocks, key=key, oldest=mode.card_key)


async def verdict_on(message: Message, context: Context, rules: Context) -> UntaggedVerdict | None:
    """Return what to do with an untagged question; `None` if the documents do not answer it wholly.

    These are dry runs, of which nothing is shown or stored: first with `rules`, a context in which rules do the models'
    work, then with the model of `context`, if there is one.
    """
    question = message.turn.question
    by_rules = ended = await ending_of(rules, message.turn)
    if context.has_model and is_promising(by_rules):
        ended = await ending_of(context, message.turn)
    if is_same_answer(ended, by_rules) and not is_covered(question, ended):
        return None
    # People who talk to each other are asked nothing, unless the documents answer the likeliest readings wholly.
    for choice in likeliest_choices(ended):
        chosen = await ending_of(rules, message.turn, choice)
        if verdict(chosen) is None or not is_covered(question, chosen):
            return None
    return verdict(ended)
