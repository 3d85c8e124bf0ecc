"""What people do while a bot works: edit, delete, type, write more, stop. The same scripts for every bot."""

import json
from collections.abc import Mapping, Sequence

from benchmarks.arena.contestants import CHANNEL, PEOPLE, Contestant
from benchmarks.arena.questions import AMBIGUOUS, HAMBURG, HOTEL, PORTO, Asked
from benchmarks.comparison.faults import THREADS, Script
from benchmarks.comparison.holding import begun, held_back
from benchmarks.comparison.outcome import Outcome, at_rest, counted, outcome_of, state_of, text_of


async def question_is_edited(bot: Contestant) -> Outcome:
    """Let people ask about Hamburg, and edit that to Porto during the answer."""
    async with held_back(bot):
        roots = await _ask_each(bot, HAMBURG)
        for root in roots:
            await _asker(bot).edit(CHANNEL, root, f"<@{bot.playground.bot_user_id}> {PORTO.question}")
        await _told(bot)
    return await outcome_of(bot, roots, holding=PORTO.fact)


async def question_is_deleted(bot: Contestant) -> Outcome:
    """Let people delete their questions during the answer."""
    async with held_back(bot):
        roots = await _ask_each(bot, HOTEL)
        for root in roots:
            await _asker(bot).delete(CHANNEL, root)
        await _told(bot)
    return await outcome_of(bot, roots, wanted=0)


async def answer_is_typed(bot: Contestant) -> Outcome:
    """Let people type their choice instead of clicking."""
    roots = [await bot.ask(AMBIGUOUS) for _ in range(THREADS)]
    for root in roots:
        await bot.card(root)
    for root in roots:
        await bot.ask("Porto", root=root)
    return await outcome_of(bot, roots, holding=PORTO.fact)


async def people_write_on(bot: Contestant) -> Outcome:
    """Let people ask two more questions in the thread during the first answer."""
    async with held_back(bot):
        roots = await _ask_each(bot, HOTEL)
        for root in roots:
            for more in (PORTO, HAMBURG):
                await bot.ask(more.question, root=root)
        await _told(bot)
    return await _all_heard(bot, roots, (HOTEL, PORTO, HAMBURG))


async def answer_is_stopped(bot: Contestant) -> Outcome:
    """Let people press Slack's Stop during the answer, and ask something else afterwards."""
    async with held_back(bot):
        roots = await _ask_each(bot, HOTEL)
        for root in roots:
            await _asker(bot).stop(CHANNEL, root)
        await _told(bot)
    await at_rest(bot)
    for root in roots:
        await bot.ask(PORTO.question, root=root)
    return await outcome_of(bot, roots, holding=PORTO.fact)


SCRIPTS: Mapping[str, Script] = {
    "the question is edited while it is answered": question_is_edited,
    "the question is deleted while it is answered": question_is_deleted,
    "the choice is typed instead of clicked": answer_is_typed,
    "two more questions while the first is answered": people_write_on,
    "the answer is stopped, then another question": answer_is_stopped,
}


async def _ask_each(bot: Contestant, asked: Asked) -> list[str]:
    """Ask in each thread, and wait until the bot is in the middle of all answers."""
    roots = [await bot.ask(asked.question) for _ in range(THREADS)]
    await begun(bot, THREADS)
    return roots


def _asker(bot: Contestant):  # noqa: ANN202
    return bot.playground.person(PEOPLE[0])


async def _told(bot: Contestant) -> None:
    await bot.playground.until(lambda: all(one.settled for one in bot.playground.deliveries()), 60.0)


async def _all_heard(bot: Contestant, roots: Sequence[str], asked: Sequence[Asked]) -> Outcome:
    """Return the outcome of several questions of a thread, in any number of answers up to that of the questions."""

    def answered(root: str) -> set[Asked]:
        said = "\n".join(map(text_of, bot.answered(root)))
        return {one for one in asked if one.fact in said}

    await at_rest(bot, lambda: all(len(answered(root)) == len(asked) for root in roots))
    remembered = [json.dumps(await state_of(bot, root), default=str) for root in roots]
    fewer = [
        sum(one not in answered(root) or one.question not in memory for one in asked)
        for root, memory in zip(roots, remembered, strict=True)
    ]
    return counted(fewer, [max(0, len(bot.answered(root)) - len(asked)) for root in roots])
