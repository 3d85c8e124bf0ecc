"""`askback verified`: the answers that people kept: listed, retired, exported."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from bot.cli.administration import Administration, administered
from bot.cli.console import as_json, write
from bot.knowledge.verified import store
from bot.knowledge.verified.store import StoredVerified
from graph.answer.draft import CITATION
from graph.text.invisible import visible
from graph.text.values import values
from graph.text.words import language_of

ADMINISTRATOR: Final = "administrator"
"""Who retires an answer in the terminal."""
HEADS: Final = ("ID", "STATE", "QUESTION", "BY", "FOR", "KEPT", "UNTIL", "USED")
FIELDS: Final = (
    "id", "question", "text", "writer", "writer_name", "place", "kept_at", "valid_until", "retired_at", "used", "paths"
)  # fmt: skip
"""What `--json` prints of each answer. Programs read it, so it does not follow the columns of the table."""
LONGEST_QUESTION: Final = 60

commands = typer.Typer(help="List, retire and export the answers that people kept.", no_args_is_help=True)


@administered(commands, "list")
async def list_verified(
    here: Administration,
    *,
    is_json: Annotated[bool, typer.Option("--json", help="Print a JSON array, with the answers.")] = False,
) -> None:
    """List the verified answers: who kept them, for whom they are, until when, and how often they were told."""
    found = await _all(here)
    if is_json:
        here.say(as_json([{name: getattr(one, name) for name in FIELDS} for one in found]))
    else:
        now = here.clock.now()
        here.show(HEADS, [_row(one, now) for one in found], or_else="No answer is kept.")


@administered(commands, "retire")
async def retire_verified(
    here: Administration, number: Annotated[int, typer.Argument(help="The answer's number in the list.")]
) -> bool:
    """Retire a verified answer: Askback no longer gives it."""
    async with here.reading_all() as connection:
        is_retired = await store.retire(connection, number, by=ADMINISTRATOR, now=here.clock.now())
    if is_retired:
        here.say(f"Answer {number} is retired.")
    else:
        here.say(f"There is no verified answer {number}.", style="red")
    return is_retired


@administered(commands, "export")
async def export_verified(
    here: Administration,
    file: Annotated[Path, typer.Argument(help="The file to write, one case a line.")],
    *,
    folder: Annotated[str, typer.Option(help="The folder of the documents, as the cases name it.")] = "documents",
) -> None:
    """Write the verified answers as cases for `askback eval outcomes`: what an answer must hold, and cite."""
    now = here.clock.now()
    told = [one for one in await _all(here) if _state(one, now) == "told"]
    lines = [json.dumps(case_of(one, folder), ensure_ascii=False) for one in told]
    await write(file, "".join(f"{line}\n" for line in lines))
    here.say(f"{len(lines)} written to {file}.")


def case_of(kept: StoredVerified, folder: str) -> dict[str, Any]:
    """Return an answer as a case: its answer holds the same numbers, and cites the same documents."""
    language = language_of(kept.question)
    said = values(CITATION.sub("", kept.text), language)
    return {
        "id": f"verified-{kept.id}",
        "set": "held",
        "folder": folder,
        "language": language,
        "kind": "clear",
        "earlier": [],
        "question": kept.question,
        "expect": "answer",
        "needs": list(dict.fromkeys(number.text for number in said.numbers)),
        "sources": list(dict.fromkeys(kept.paths)),
        "readings": [],
        "never": [],
        "why": f"Kept by {kept.writer_name} on {kept.kept_at.date()}: {kept.text}",
    }


async def _all(here: Administration) -> Sequence[StoredVerified]:
    async with here.reading_all() as connection:
        return await store.all_answers(connection)


def _row(one: StoredVerified, now: datetime) -> list[str]:
    question = visible(" ".join(one.question.split()))
    shown = question if len(question) <= LONGEST_QUESTION else f"{question[: LONGEST_QUESTION - 1]}…"
    kept, until = (f"{moment.astimezone():%Y-%m-%d}" for moment in (one.kept_at, one.valid_until))
    return [str(one.id), _state(one, now), shown, visible(one.writer_name), one.place, kept, until, str(one.used)]


def _state(one: StoredVerified, now: datetime) -> str:
    if one.retired_at:
        return "retired"
    return "told" if one.valid_until > now else "expired"
