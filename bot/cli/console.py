"""What commands print: a safe terminal, progress bars and tables."""

import asyncio
import json
import signal
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.markup import escape as escaped
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text
from typer.core import TyperGroup

from bot.errors import SettingsError
from bot.knowledge.readers.formats import NAMED
from bot.knowledge.syncing.tally import Ingested
from bot.knowledge.syncing.tally import Progress as Advance
from bot.links import ANY_HOST, unvouched
from graph import patterns
from graph.text.invisible import in_one_line, visible
from graph.text.markdown import Fences

_HEADING: Final = patterns.compile(r"#{1,6} +")
_MARKS: Final = patterns.compile(r"(?P<code>``[^\n]+?``|`[^`\n]+`)|\\(?P<sign>[!-/:-@\[-`{-~])|(?P<stars>\*+)")
"""Code, which stays as it is; a sign that means itself; what may begin or end bold text."""
_BOLD: Final = "**"
SKIPPED_NAMES: Final = 5
"""Skipped files that are named."""


class Terminal(Console):
    """A console that documents, models and people cannot control with escape sequences."""

    def print(self, *objects: Any, **how: Any) -> None:
        """Print strings without invisible characters and colours: `:x:` in a path is no emoji."""
        shown = (visible(one) if isinstance(one, str) else one for one in objects)
        how.setdefault("emoji", False)
        how.setdefault("highlight", False)
        super().print(*shown, **how)


def say_at_once(console: Console, what: str) -> None:
    """Say in a terminal what goes on, before libraries, the database and models take their seconds."""
    if console.is_terminal:
        console.print(f"[dim]· {what}[/dim]")


class Commands(TyperGroup):
    """A group of commands. Its help wraps their descriptions; Typer cuts them at the end of the line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Typer's own types are private.
        """List the commands with the first sentences of their descriptions."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(limit=sys.maxsize)) for name, command in self.commands.items()]
            )


def inert(text: str) -> str:
    """Return rich's markup that shows a text as it is, without invisible characters.

    They are left out first: `[` and `/x]` with one between them are no markup, and are a closing tag without it.
    """
    shown = visible(text)
    body = shown.rstrip("\\")
    # A backslash at the end would take away the meaning of the tag that follows.
    return escaped(body) + "\\\\" * (len(shown) - len(body))


def laid_out(markdown: str) -> Text:
    """Return Markdown as a terminal shows it: headings and bold text bold, all else as it is written.

    Addresses stay: a label must not hide where it leads to.
    """
    shown, fences = Text(), Fences()
    # A sign that nobody sees may part the ticks of code that are no fence.
    for line in markdown.splitlines(keepends=True):
        seen, is_code = visible(line), fences.kind_of(line) != "text"
        heading = None if is_code else _HEADING.match(seen)
        if is_code:
            shown.append(seen)
        else:
            shown.append(_without_marks(seen[heading.end() :] if heading else seen, style="bold" if heading else ""))
    return shown


def _without_marks(line: str, *, style: str) -> Text:
    shown, end, depth = Text(style=style), 0, 0
    marks = [*_MARKS.finditer(line)]
    pairs = _pairs(line, marks)
    for number, mark in enumerate(marks):
        shown.append(line[end : mark.start()], style="bold" if depth else "")
        if number in pairs:
            depth += pairs[number]
        else:
            shown.append(mark["sign"] if mark.has("sign") else mark[0], style="bold" if depth else "")
        end = mark.end()
    return shown.append(line[end:])


def _pairs(line: str, marks: Sequence[patterns.Match]) -> dict[int, int]:
    """Return the marks that begin bold text, as 1, and those that end it, as -1, by CommonMark's rule."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for number, mark in enumerate(marks):
        if mark["stars"] != _BOLD:
            continue
        before, behind = line[: mark.start()][-1:], line[mark.end() :][:1]
        if opened and _ends_word(before, behind):
            pairs |= {opened.pop(): 1, number: -1}
        elif _ends_word(behind, before):
            opened.append(number)
    return pairs


def _ends_word(inner: str, outer: str) -> bool:
    """Tell whether signs between these two stand at the edge of a word, the inner one's: `10**-3` is no bold text."""
    if not inner.strip():
        return False
    return not _is_punctuation(inner) or not outer.strip() or _is_punctuation(outer)


def _is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS"


@contextmanager
def progress_bar(console: Console, doing: str) -> Generator[Advance]:
    """Show a progress bar with a rate and the time left; yield the function that advances it."""
    with progress_bars(console) as bar_of, bar_of(doing) as advance:
        yield advance


@contextmanager
def progress_bars(console: Console) -> Generator[Callable[[str], AbstractContextManager[Advance]]]:
    """Yield a function that shows a bar for as long as something is done, below the bars of what else is done."""
    columns = (
        TextColumn("{task.fields[doing]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[passages]}"),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as progress:

        @contextmanager
        def bar_of(doing: str) -> Generator[Advance]:
            task = progress.add_task("", total=None, passages="", doing=inert(doing))
            began = progress.get_time()

            def advance(done: float, of: int, at: str, passages: int) -> None:
                seconds = max(progress.get_time() - began, 0.001)
                told = f"{passages:,} passages, {passages / seconds:.0f}/s" if passages else ""
                progress.update(task, completed=done, total=of, description=inert(at), passages=told)

            yield advance
            # Its last state is shown before it makes room.
            progress.refresh()
            progress.remove_task(task)

        yield bar_of


@contextmanager
def resumable(console: Console) -> Generator[None]:
    """Say, if the work is interrupted, that nothing of it is lost."""
    try:
        yield
    except asyncio.CancelledError:
        console.print("Stopped. Documents that were read whole are stored; the next run goes on from there.")
        raise


def print_ingested(console: Console, outcome: Ingested, link_hosts: Collection[str] = (ANY_HOST,)) -> None:
    """Print what an ingest did, which files it could not read, and to which hosts answers will not link."""
    console.print(
        f"{outcome.added} added, {outcome.changed} changed, {outcome.removed} removed, {outcome.unchanged} unchanged."
    )
    for what, count in (("added", outcome.added), ("changed", outcome.changed), ("removed", outcome.removed)):
        _print_named(console, what, outcome.named.get(what, []), count)
    if outcome.skipped:
        told = told_skipped(outcome.skipped, outcome.named.get("skipped", []))
        console.print(f"{inert(told)}{_what_is_read(outcome.skipped)}", soft_wrap=True)
    if hosts := unvouched(sorted(outcome.hosts), link_hosts):
        named = inert(", ".join(hosts))
        console.print(f"Documents name addresses at {named}. Add it to ASKBACK_LINK_HOSTS, and sources become links.")
    for location in outcome.busy:
        console.print(f"Another process is reading {inert(location)}.", soft_wrap=True)
    for failure in (*outcome.warned, *outcome.failed):
        console.print(f"[yellow]{inert(failure.path)}: {inert(failure.reason)}[/yellow]")


def told_skipped(skipped: Mapping[str, int], named: Sequence[str]) -> str:
    """Return what was skipped: how many by kind, and the first by name."""
    kinds = ", ".join(f"{count} {kind or 'without an ending'}" for kind, count in Counter(skipped).most_common())
    total = sum(skipped.values())
    names = f" ({named_first(named, total)})" if named else ""
    return f"{total} skipped: {kinds}{names}."


def named_first(names: Sequence[str], total: int = 0) -> str:
    """Return the first names, with an ellipsis if there are more, or more in `total`."""
    shown = [*names[:SKIPPED_NAMES]]
    more = ["…"] if max(total, len(names)) > len(shown) else []
    return ", ".join([*shown, *more])


def told_refused(paths: Sequence[str]) -> str:
    """Return which documents hold passages that the embedding model refuses."""
    return (
        f"{len(paths)} with passages that the embedding model refuses; these are found by their words only:"
        f" {named_first(paths)}."
    )


def _print_named(console: Console, what: str, named: Sequence[str], count: int) -> None:
    for path in named:
        console.print(f"  {what}: {inert(path)}", soft_wrap=True)
    if named and (more := count - len(named)):
        console.print(f"  … and {more} more {what}.")


def print_table(console: Console, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns wide enough for every cell, so that piped output is complete; a cell makes no other row."""
    shown = [[in_one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *shown, strict=True)]
    for style, cells in [("bold", heads), *(("none", cells) for cells in shown)]:
        line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        console.print(line, style=style, markup=False, soft_wrap=True)


def agrees(console: Console, question: str) -> bool:
    """Ask a person a question, and return whether they say yes."""
    return typed(console, f"{question} (y/n) ").strip().lower() in ("y", "yes")


def typed(console: Console, prompt: str, *, is_secret: bool = False) -> str:
    """Ask a person for a line. Ctrl-C ends the wait at once: the event loop, which would end it, waits too."""
    of_the_loop = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return console.input(prompt, password=is_secret)
    finally:
        signal.signal(signal.SIGINT, of_the_loop)


async def write(file: Path, text: str) -> None:
    """Write a file that a person named. Raises `SettingsError` if that is not possible."""
    try:
        await asyncio.to_thread(file.write_text, text, "utf-8")
    except OSError as error:
        raise SettingsError(f"{file} cannot be written: {error.strerror}.") from error


def as_json(told: object) -> str:
    """Return plain data, and moments in it, as JSON for people."""
    return json.dumps(told, ensure_ascii=False, indent=2, default=datetime.isoformat)


async def until_interrupted() -> None:
    """Wait for Ctrl-C, SIGTERM, or the end of the terminal's session."""
    interrupted = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, interrupted.set)
    await interrupted.wait()


def _what_is_read(skipped: Collection[str]) -> str:
    """Return a sentence on formats, if something was skipped because of its format."""
    is_by_format = any(kind.startswith(".") or "/" in kind or not kind for kind in skipped)
    return f" {NAMED} are read." if is_by_format else ""
