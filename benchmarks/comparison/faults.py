"""The same faults for every bot, and the outcome of the questions, as people see it in the threads."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from benchmarks.arena.contestants import CHANNEL, PEOPLE, Contestant
from benchmarks.arena.questions import AMBIGUOUS, READINGS, plain
from benchmarks.comparison.holding import begun, held_back
from benchmarks.comparison.outcome import Outcome, outcome_of

THREADS = 5
CLICKS = 20

Script: TypeAlias = Callable[[Contestant], Awaitable[Outcome]]


async def events_come_four_times(bot: Contestant) -> Outcome:
    """Deliver each event twice. A mention is two events."""
    bot.playground.faults.duplicate(2 * THREADS)
    return await outcome_of(bot, await _ask_all(bot))


async def messages_of_a_thread_come_at_once(bot: Contestant) -> Outcome:
    """Ask two questions in a thread at the same moment."""
    roots = await _ask_all(bot)
    for number, root in enumerate(roots):
        await bot.ask(plain(number + 1), root=root, person=PEOPLE[1])
    return await outcome_of(bot, roots, wanted=2)


async def people_click_at_once(bot: Contestant) -> Outcome:
    """Let two people press the buttons of each card ten times each."""
    cards = await _cards(bot)
    for card in cards:
        for number in range(CLICKS):
            person = bot.playground.person(PEOPLE[number % 2])
            await person.click(CHANNEL, card["ts"], label=READINGS[number // 2 % 2])
    return await outcome_of(bot, [card["thread_ts"] for card in cards])


async def killed_in_the_middle(bot: Contestant) -> Outcome:
    """Kill the process while it works on the questions, and start it again."""
    async with _killed_in(bot, THREADS):
        roots = await _ask_all(bot)
    return await outcome_of(bot, roots)


async def restarted_with_open_questions(bot: Contestant) -> Outcome:
    """Kill the process while its cards are open. People click when it is back."""
    cards = await _cards(bot)
    await bot.kill()
    await bot.start()
    return await _click_each(bot, cards)


async def killed_after_the_click(bot: Contestant) -> Outcome:
    """Kill the process after it has acknowledged the clicks, and start it again."""
    cards = await _cards(bot)
    # Askback's runs share one search for the same words, so only one of them is blocked.
    async with _killed_in(bot, 1):
        await _click_all(bot, cards)
    return await outcome_of(bot, [card["thread_ts"] for card in cards])


async def slack_says_slow_down(bot: Contestant) -> Outcome:
    """Ask twelve questions at once in a channel, where Slack accepts about one message a second."""
    return await outcome_of(bot, [await bot.ask(plain(number)) for number in range(12)])


QUICK: Mapping[str, Script] = {
    "each event comes four times": events_come_four_times,
    "two questions at once in a thread": messages_of_a_thread_come_at_once,
    "twenty clicks on a card at once": people_click_at_once,
}
WITH_RESTARTS: Mapping[str, Script] = {
    "killed in the middle of an answer": killed_in_the_middle,
    "killed while its question waits, then a click": restarted_with_open_questions,
    "killed right after a click": killed_after_the_click,
}


async def _ask_all(bot: Contestant) -> list[str]:
    return [await bot.ask(plain(number)) for number in range(THREADS)]


async def _cards(bot: Contestant) -> list[dict[str, Any]]:
    roots = [await bot.ask(AMBIGUOUS) for _ in range(THREADS)]
    return [await bot.card(root) for root in roots]


async def _click_all(bot: Contestant, cards: Sequence[dict[str, Any]]) -> None:
    clicked = [await bot.playground.person(PEOPLE[0]).click(CHANNEL, card["ts"], label=READINGS[0]) for card in cards]
    await bot.playground.until(lambda: all(delivery.settled for delivery in clicked), 60.0)


async def _click_each(bot: Contestant, cards: Sequence[dict[str, Any]]) -> Outcome:
    await _click_all(bot, cards)
    return await outcome_of(bot, [card["thread_ts"] for card in cards])


@asynccontextmanager
async def _killed_in(bot: Contestant, runs: int) -> AsyncGenerator[None]:
    """Kill the process in the middle of this many runs, which the context starts, and restart it."""
    async with held_back(bot):
        yield
        await begun(bot, runs)
        await bot.kill()
    await bot.start()
