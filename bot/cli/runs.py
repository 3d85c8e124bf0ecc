"""`askback runs`: shows what runs searched, found and wrote, and what they cost."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Final

import typer
from rich.text import Text
from rich.tree import Tree

from bot.cli.administration import MOST_LISTED, Administration, administered
from bot.cli.console import as_json
from bot.conversation.traces import trace_store
from bot.conversation.traces.kept_run import KeptRun, call_text, cost_text, facts_text, why_again
from bot.postgres.pool import Connection
from graph.text.invisible import visible
from graph.trace import TracedStep

LONGEST_ID: Final = 18
"""Digits; PostgreSQL's largest bigint has 19."""
MOST_OF_ONE: Final = 100
HEADS: Final = ("run", "when", "reference", "where", "outcome", "rated", "calls", "tokens", "cost", "ms")

commands = typer.Typer(help="Show step by step how answers came about.", no_args_is_help=True)


@administered(commands, "list")
async def list_runs(
    here: Administration,
    *,
    limit: Annotated[int, typer.Option(min=1, max=MOST_LISTED, help="At most this many, the newest first.")] = 20,
    is_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """List the latest runs: when, where, how they ended, how people rated them, and what they cost."""
    async with here.transaction() as connection:
        found = await trace_store.runs(connection, limit=limit)
    if is_json:
        here.say(runs_as_json([run.without_words() for run in found]))
    else:
        here.show(HEADS, [row(run) for run in found], or_else="No run is kept.")


@administered(commands, "show")
async def show_runs(
    here: Administration,
    name: Annotated[str, typer.Argument(help="A run's number; or a reference, for all runs of this item.")],
    *,
    with_text: Annotated[bool, typer.Option("--text", help="Also what people, documents and models said.")] = False,
    is_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> bool:
    """Show a run as a tree: what each step found, graded and wrote, and why a step ran again."""
    async with here.transaction() as connection:
        found = await _named(connection, name)
    shown = [run if with_text else run.without_words() for run in reversed(found)]
    if not found:
        here.say(f"No run {name} is kept.", style="red")
    elif is_json:
        here.say(runs_as_json(shown))
    else:
        for run in shown:
            here.console.print(tree(run))
    return bool(found)


async def _named(connection: Connection, name: str) -> list[KeptRun]:
    found = await trace_store.runs(connection, limit=MOST_OF_ONE, reference=name.upper())
    if not found and name.isascii() and name.isdecimal() and len(name) <= LONGEST_ID:
        found = await trace_store.runs(connection, limit=1, run_id=int(name))
    return found


def row(run: KeptRun) -> list[str]:
    """Return a run as a row of the table `HEADS`."""
    when = f"{run.ended_at.astimezone():%Y-%m-%d %H:%M:%S}"
    tokens = run.tokens_in + run.tokens_out
    numbers = [str(run.calls), str(tokens), cost_text(run.cost), str(run.ms)]
    return [str(run.id), when, run.reference, run.thread_id, run.outcome, ", ".join(run.ratings), *numbers]


def runs_as_json(runs: Sequence[KeptRun]) -> str:
    """Return runs as a JSON array."""
    return as_json([{**asdict(run), "cost": run.cost} for run in runs])


def tree(run: KeptRun) -> Tree:
    """Return a run with its steps, and with words if they were not removed."""
    shown = Tree(Text(f"run {run.id}: {run.outcome}", style="bold"), guide_style="dim")
    shown.add(_dim(f"{run.kind} {run.reference} of {run.person} in {run.thread_id}"))
    shown.add(_dim(run.effort))
    if run.question:
        shown.add(Text(f"asked: {visible(run.question)}"))
    if run.ratings:
        shown.add(Text(f"rated: {', '.join(run.ratings)}"))
    for said in run.objections:
        shown.add(Text(f"objected: {visible(said)}"))
    for step in run.steps:
        _add(shown, step)
    return shown


def _add(shown: Tree, step: TracedStep) -> None:
    if again := why_again(step):
        shown.add(Text(f"↻ {again}", style="yellow"))
    title = Text(step["node"], style="bold")
    title.append(f"  {facts_text(step)}", style="not bold dim")
    if step.get("unfinished"):
        title.append("  unfinished", style="not bold yellow")
    branch = shown.add(title)
    for call in step["calls"]:
        branch.add(_dim(call_text(call)))
    for name, said in step["words"].items():
        _add_words(branch, name, said)


def _add_words(branch: Tree, name: str, said: Sequence[str]) -> None:
    if len(said) == 1:
        branch.add(Text(f"{name}: {visible(said[0])}"))
        return
    several = branch.add(Text(f"{name}:"))
    for one in said:
        several.add(Text(visible(one)))


def _dim(text: str) -> Text:
    return Text(visible(text), style="dim")
