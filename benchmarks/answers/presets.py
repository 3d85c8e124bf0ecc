"""Compares presets, and the graph with one pass, on the same questions in turn: `python -m benchmarks.answers.presets`.

The questions are the strangers' 150. The model is that of the settings (`GROQ_API_KEY`, or ASKBACK_MODEL_URL with its
models); without one, rules answer, and all presets answer alike, so that only "linear" and "balanced" are compared.
"Linear" is what most bots do: search once, write once.

`--kind multi_hop` asks one kind of question only, and may be given several times; `--half dev` one half of them.
`--scripted` asks a local model that quotes the first passage and finds no fault: for calls and tokens alone.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, TypeAlias

from benchmarks.arena.model import serving_model
from benchmarks.fitting.sets import OWN
from benchmarks.project import EVALS
from bot.app import open_bot
from bot.bot import Bot
from bot.cli.evaluation import WORKSPACE
from bot.evals.measures import wilson
from bot.evals.metering import metered
from bot.evals.outcomes import Expectation, read_expectations, verdict
from bot.evals.rehearsal import Rehearsal
from bot.evals.tasks import Effort, Told
from bot.knowledge.ingest import ingest
from bot.knowledge.reuse import KeptSearches
from bot.knowledge.search import everything
from bot.logs import configure_logs
from bot.models.llm.servers import models_of
from bot.postgres.addresses import addresses
from bot.postgres.migrations import make_ready
from bot.settings import Settings
from graph.answer.draft import Draft
from graph.answer.evidence import band_of, relevant, weighed
from graph.answer.selection import selected
from graph.context import Brief, Context
from graph.routing import PRESETS
from graph.search import best_grades, find, weighed_for
from graph.state import Memory, PresetName
from graph.sufficiency import Opening
from graph.text.grounding import citations

SEVERAL: Final = ("multi_hop", "comparison", "two_in_one", "conflict")
"""Kinds of questions whose answer stands in several places."""

Contestant: TypeAlias = Callable[[Sequence[str]], Awaitable[Told]]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a contestant made of a question."""

    by: str
    expected: Expectation
    told: Told
    verdict: str
    effort: Effort


class Fixed:
    """The same preset for every question (`graph.context.Presets`)."""

    def __init__(self, preset: PresetName) -> None:
        self._preset: PresetName = preset

    async def usual(self) -> PresetName:
        """Return it."""
        return self._preset


def contestants(bot: Bot) -> dict[str, Contestant]:
    """Return what answers, by name, each with a memory of its own for searches. Without a model all presets are one."""
    presets: Iterable[PresetName] = PRESETS if _context(bot).has_model else ["balanced"]
    linear = _context(bot)
    return {
        "linear": lambda messages: _in_one_pass(linear, messages[-1]),
        **{name: Rehearsal(replace(_context(bot), presets=Fixed(name))).converse for name in presets},
    }


def _context(bot: Bot) -> Context:
    return replace(bot, searches=KeptSearches(size=1)).context_of(WORKSPACE, everything)


async def _in_one_pass(context: Context, question: str) -> Told:
    """Search once with the question as it is, and write once from the best passages. Nothing checks the draft."""
    found = await find(context, [question])
    if context.has_model:
        passages = selected(weighed(found, await best_grades(context.grader, [question], found)))
    else:
        read = await weighed_for(context, [question], found)
        passages = relevant(read) if band_of(read) == "sure" else []
    if not passages:
        return Told(outcome="admitted", text="")
    today = context.clock.now().date().isoformat()
    memory = Memory(exchanges=[], overheard=[], people=[])
    brief = Brief(question=question, passages=passages, memory=memory, issues=[], today=today)
    opening, draft = Opening(), Draft(passages)
    async for piece in context.writers[0].write(brief):
        draft.feed(opening.feed(piece))
    draft.feed(opening.rest())
    draft.rest()
    cited = {passages[number - 1]["path"] for number in citations(draft.text) if number <= len(passages)}
    return Told(outcome="answered" if draft.text.strip() else "admitted", text=draft.text, documents=tuple(cited))


async def asked(name: str, contestant: Contestant, expected: Expectation) -> Asked:
    """Ask a contestant a question in a new thread."""
    told, effort = await metered(contestant([*expected.earlier, expected.question]), _failed)
    return Asked(by=name, expected=expected, told=told, verdict=verdict(expected, told), effort=effort)


def _failed(why: str) -> Told:
    return Told(outcome="failed", text=why)


def table(title: str, every: Sequence[Asked]) -> str:
    """Return the contestants' results as Markdown, a row for each."""
    names = list(dict.fromkeys(one.by for one in every))
    head = "| right | right, 95 % | or nearest | wrong or guessed | calls | tokens | searches | seconds, median |"
    rows = [_row(name, [one for one in every if one.by == name]) for name in names]
    return "\n".join([f"| {title} {head}", f"|---|{'---:|' * 8}", *rows])


def _row(name: str, own: Sequence[Asked]) -> str:
    verdicts = [one.verdict for one in own]
    right, of = verdicts.count("right"), len(own)
    low, high = wilson(right, of)
    efforts = [one.effort for one in own]
    calls, tokens, searches = (
        sum(values) / of for values in zip(*((one.calls, one.tokens, one.searches) for one in efforts), strict=True)
    )
    cells = [
        f"{right} of {of}",
        f"{low:.0%}–{high:.0%}",
        right + verdicts.count("nearest"),
        verdicts.count("wrong") + verdicts.count("guessed"),
        f"{calls:.1f}",
        f"{tokens:,.0f}",
        f"{searches:.1f}",
        f"{median(one.seconds for one in efforts):.2f}",
    ]
    return f"| {name} | {' | '.join(map(str, cells))} |"


async def measure(bot: Bot, questions: Sequence[Expectation]) -> list[Asked]:
    """Ask all contestants the same questions in turn."""
    every: list[Asked] = []
    for folder in dict.fromkeys(one.folder for one in questions):
        async with bot.database.transaction(WORKSPACE) as connection:
            await connection.execute("DELETE FROM sources")
        await ingest(bot.database, bot.embedder, WORKSPACE, [OWN[folder]])
        racing = contestants(bot)
        for place, expected in enumerate(one for one in questions if one.folder == folder):
            # The first contestant fills the cache of vectors for the others.
            order = list(racing)[place % len(racing) :] + list(racing)[: place % len(racing)]
            asking = {name: await asked(name, racing[name], expected) for name in order}
            every += [asking[name] for name in racing]
    return every


def chosen(kinds: Sequence[str], half: str) -> list[Expectation]:
    """Return the questions of the kinds and the half; all of them if none is named."""
    every = read_expectations(EVALS / "strangers.jsonl")
    return [one for one in every if (not kinds or one.kind in kinds) and half in ("", one.half)]


async def main(questions: Sequence[Expectation], *, is_scripted: bool) -> None:
    """Measure in a database of its own, and print the tables."""
    configure_logs("console", "error")
    with tempfile.TemporaryDirectory() as folder:
        async with serving_model() as model:
            scripted = {name.lower(): value for name, value in model.environment.items()} if is_scripted else {}
            settings = Settings.model_validate({"data_folder": folder, "workspace": WORKSPACE, **scripted})
            with addresses(settings) as found:
                make_ready(found)
                async with open_bot(settings, found.serving) as bot:
                    every = await measure(bot, questions)
    named = "scripted" if is_scripted else [one.name for one in models_of(settings) or ()] or "none, rules answer"
    print(f"model: {named}\n")
    for title, names in (("all", ()), ("in several places", SEVERAL), ("ambiguous", ("ambiguous",))):
        if own := [one for one in every if not names or one.expected.kind in names]:
            print(table(title, own), end="\n\n")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--kind", action="append", default=[])
    arguments.add_argument("--half", default="", choices=["", "dev", "held"])
    arguments.add_argument("--scripted", action="store_true")
    given = arguments.parse_args()
    asyncio.run(main(chosen(given.kind, given.half), is_scripted=given.scripted))
