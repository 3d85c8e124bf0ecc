"""Counts which untagged channel messages would be answered over the handbook: `python -m benchmarks.answers.untagged`.

Talk is from `tests/evals/channel_talk.jsonl` and, if it is there, a sample of CLINC150 (people to an assistant, nothing
of it in the handbook). Answerable questions are the clear ones of the evaluation sets, in the words of their writers.
Without a model, the rules decide alone.
"""

import asyncio
import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.fitting.sets import OWN
from benchmarks.project import EVALS
from bot.app import open_bot
from bot.audience import ALL
from bot.bot import Bot, judge_of
from bot.cli.evaluation import WORKSPACE
from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.conversation.inputs import Message
from bot.evals.answers import plain
from bot.evals.measures import wilson
from bot.evals.outcomes import holds
from bot.knowledge.ingest import ingest
from bot.knowledge.search import everything
from bot.logs import configure_logs
from bot.postgres.addresses import addresses
from bot.postgres.migrations import make_ready
from bot.settings import Settings
from bot.slack.channel_modes.vetoes import veto
from graph.events import AnswerCompleted
from graph.run import ending_of
from graph.turn import Turn

CLINC = 600


def messages() -> Iterator[tuple[str, str, list[list[str]]]]:
    """Yield kind, text, and what a right answer holds: one of each list."""
    yield from _of_channels()
    for row in _rows(EVALS / "unanswerable.jsonl"):
        yield "unanswerable", row["question"], []
    for name in ("questions", "languages"):
        for row in _rows(EVALS / f"{name}.jsonl"):
            if row["kind"] == "clear" and row["folder"] == "handbook":
                yield "answerable", row["question"], [[row["answer"]]]
    for row in _rows(EVALS / "strangers.jsonl"):
        if row["expect"] == "answer" and row["folder"] == "handbook" and not row["earlier"]:
            yield "strangers", row["question"], [need.split("|") for need in row["needs"]]
    public = Path(os.environ.get("ASKBACK_EVALS", "../shared/evals")) / "routing/clinc_val.jsonl"
    if public.exists():
        for row in random.Random(7).sample(list(_rows(public)), CLINC):
            yield "clinc", row["text"], []


def _of_channels() -> Iterator[tuple[str, str, list[list[str]]]]:
    """Yield what people say in a channel: to each other, and to nobody in particular."""
    for row in _rows(EVALS / "channel_talk.jsonl"):
        yield f"talk, {row['set']}", row["question"], []
    for row in _rows(EVALS / "channel_strangers.jsonl"):
        kind = "answerable" if "needs" in row else "talk"
        yield f"strangers' {kind}, {row['set']}", row["question"], [need.split("|") for need in row.get("needs", [])]


def message_of(text: str) -> Message:
    """Return a top-level message of a channel."""
    place = Address(
        team=TeamId("T1"),
        channel=ChannelId("C1"),
        thread_ts=Ts("1.0"),
        message_ts=Ts("1.0"),
        person=PersonId("U1"),
        person_team=TeamId("T1"),
    )
    return Message(
        event_key="Ev1", message_key="C1:1.0", address=place, turn=Turn(question=text, asker="U1", addressed=False)
    )


async def measure(bot: Bot) -> None:
    """Print, for each kind, how many were vetoed, judged, answered, asked back, and answered rightly."""
    judge = judge_of(bot, lambda _: _everything())
    counted: dict[str, Counter[str]] = {}
    for kind, text, needs in messages():
        count = counted.setdefault(kind, Counter())
        count["all"] += 1
        message = message_of(text)
        if why := veto(message):
            count[f"veto: {why}"] += 1
            continue
        count["judged"] += 1
        verdict = await judge(message)
        if verdict is None:
            continue
        count[verdict.kind] += 1
        is_right = await _is_right(bot, message.turn, needs) if verdict.kind == "answer" else None
        count["right"] += bool(is_right)
        if (not needs or is_right is False) and "held" not in kind:
            print(f"{kind}\t{verdict.kind}\t{text}\t{verdict.document}", flush=True)
    for kind, count in counted.items():
        low, high = wilson(count["answer"], count["all"])
        print(f"{kind}: {dict(count)}; answered {count['answer'] / count['all']:.1%} ({low:.1%}-{high:.1%})")


async def _everything() -> frozenset[str]:
    return ALL


async def _is_right(bot: Bot, turn: Turn, needs: list[list[str]]) -> bool:
    ended = await ending_of(bot.context_of(WORKSPACE, everything), turn)
    said = ended.text if isinstance(ended, AnswerCompleted) else ""
    return all(any(plain(need) in plain(said) or holds(said, need) for need in either) for either in needs)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in file.read_text("utf-8").splitlines())


async def main() -> None:
    """Measure in a database of its own."""
    configure_logs("console", "error")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_folder=Path(folder), workspace=WORKSPACE)
        with addresses(settings) as found:
            make_ready(found)
            async with open_bot(settings, found.serving) as bot:
                await ingest(bot.database, bot.embedder, WORKSPACE, [OWN["handbook"]])
                await measure(bot)


if __name__ == "__main__":
    asyncio.run(main())
