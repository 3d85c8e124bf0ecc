"""How runs read in a terminal (pure)."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Final

from rich.text import Text
from rich.tree import Tree

from bot.conversation.traces.traces import KeptRun
from graph.trace import Call, Fact, Step
from graph.unseen import seen

HEADS: Final = ("run", "when", "reference", "where", "outcome", "calls", "tokens", "ms")


def row(run: KeptRun) -> list[str]:
    """Return a run as a row below `HEADS`."""
    when = f"{run.ended_at.astimezone():%Y-%m-%d %H:%M:%S}"
    tokens = run.tokens_in + run.tokens_out
    return [str(run.id), when, run.reference, run.thread_id, run.outcome, str(run.calls), str(tokens), str(run.ms)]


def as_json(runs: Sequence[KeptRun]) -> str:
    """Return runs as a JSON array."""
    return json.dumps([asdict(run) for run in runs], ensure_ascii=False, indent=2, default=datetime.isoformat)


def tree(run: KeptRun) -> Tree:
    """Return a run with its steps; what was said, where it was not taken out."""
    shown = Tree(Text(f"run {run.id}: {run.outcome}", style="bold"), guide_style="dim")
    shown.add(_dim(f"{run.kind} {run.reference} of {run.person} in {run.thread_id}"))
    shown.add(_dim(f"{_count(run.calls, 'call')}, {run.tokens_in} + {run.tokens_out} tokens, {run.ms} ms"))
    if run.question:
        shown.add(Text(f"asked: {seen(run.question)}"))
    for step in run.steps:
        _add(shown, step)
    return shown


def _add(shown: Tree, step: Step) -> None:
    facts = dict(step["facts"])
    if again := facts.pop("again", None):
        shown.add(Text(f"↻ {again}", style="yellow"))
    numbers = [f"{step['ms']} ms", *(_fact(*one) for one in facts.items())]
    title = Text(step["node"], style="bold")
    title.append(f"  {', '.join(numbers)}", style="not bold dim")
    if step.get("unfinished"):
        title.append("  came to no end", style="not bold yellow")
    branch = shown.add(title)
    for call in step["calls"]:
        branch.add(_dim(_call(call)))
    for name, said in step["words"].items():
        _add_words(branch, name, said)


def _add_words(branch: Tree, name: str, said: Sequence[str]) -> None:
    if len(said) == 1:
        branch.add(Text(f"{name}: {seen(said[0])}"))
        return
    several = branch.add(Text(f"{name}:"))
    for one in said:
        several.add(Text(seen(one)))


def _call(call: Call) -> str:
    return f"{call['model']}: {call['tokens_in']} + {call['tokens_out']} tokens, {call['ms']} ms"


def _fact(name: str, value: Fact) -> str:
    told = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{name.replace('_', ' ')} {'yes' if value is True else 'no' if value is False else told}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _dim(text: str) -> Text:
    return Text(seen(text), style="dim")
