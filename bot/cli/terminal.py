"""The terminal as the stage where answers are shown: `askback ask`."""

import asyncio
import json
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from typing import Any, TypeAlias

from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape

from bot.conversation.address import Address, PersonId, Placed, Ts
from bot.conversation.message_kinds import AssumptionBanner, NotTaken, Parts, Record, Shown
from bot.conversation.partial_answer import PartialAnswer
from graph.events import (
    AnswerCompleted,
    AnswerEvent,
    ClarificationRequested,
    DraftWithdrawn,
    SilenceKept,
    StepStarted,
    TextWritten,
)
from graph.passages import Source
from graph.turn import Remark
from graph.unseen import seen

Ending: TypeAlias = AnswerCompleted | SilenceKept | tuple[str, ClarificationRequested] | str
"""How a run ended: with an answer, in silence, with a question and its token, or with why it failed."""

_FOR_REVIEW = frozenset({"dossier", "reviewer", "links"})
"""What only reviewers need, and nobody reviews in a terminal."""


class TerminalPresenter:
    """Prints a run as it goes on, and keeps how it ended."""

    def __init__(self, console: Console, *, streams: bool) -> None:
        self._console = console
        self._streams = streams
        self._break = ""
        self.ended: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()

    async def begin(self) -> None:
        """Nothing is said before the first step."""

    async def show(self, event: AnswerEvent) -> None:
        """Print the event."""
        match event:
            case StepStarted():
                self._print(f"{self._break}[dim]· {escape(event.title)}[/dim]")
                self._break = ""
            case TextWritten():
                self._write(event.text)
            case DraftWithdrawn():
                self._print(f"\n[dim]· Taken back: {escape(event.reason)}[/dim]")
                self._break = ""
            case AnswerCompleted() | SilenceKept():
                self._end(event)
            case _:
                pass

    async def ask(self, token: str, event: ClarificationRequested) -> None:
        """Leave the question to whoever waits for the end, who prints it."""
        self._end((token, event))

    async def settle(self, card: Placed, **_what: Any) -> None:
        """Nothing: what was chosen stands in the terminal already."""

    def stand_on(self, standing: AssumptionBanner) -> None:
        """Nothing: no choice is changed in a terminal."""

    async def remind(self, asker: PersonId, question: str, *, until: datetime) -> None:
        """Nothing: whoever asks in a terminal sits before it."""

    async def remove(self, message: Placed) -> None:
        """Nothing: what was printed stays."""

    async def stop(self, said: PartialAnswer, *, by: PersonId | None) -> None:
        """End; what was said stands in the terminal already."""
        del said, by
        self._end("Stopped.")

    async def turn_away(self, crowd: NotTaken) -> None:
        """End with how many questions wait already."""
        self._end(f"{crowd.limit} questions wait already. Please ask again later.")

    async def dismiss(self, reason: str) -> None:
        """End with the reason."""
        self._end(reason)

    async def fail(self, reason: str) -> None:
        """End with the reason."""
        self._end(reason)

    async def close(self) -> None:
        """Nothing: all is printed at once."""

    def _end(self, ending: Ending) -> None:
        if not self.ended.done():
            self.ended.set_result(ending)

    def _write(self, text: str) -> None:
        # Empty lines wait for what follows them: an answer does not end in any.
        whole = self._break + text
        shown = whole.rstrip()
        self._break = whole[len(shown) :]
        self._print(shown, end="", markup=False)

    def _print(self, text: str, **how: Any) -> None:
        if self._streams:
            self._console.print(text, soft_wrap=True, **how)


class TerminalOutput:
    """One terminal, in which one run goes on at a time."""

    def __init__(self, console: Console, *, streams: bool) -> None:
        self._console = console
        self._streams = streams
        self.current = TerminalPresenter(console, streams=streams)

    def renew(self) -> TerminalPresenter:
        """Return the presenter that the next run will use."""
        self.current = TerminalPresenter(self._console, streams=self._streams)
        return self.current

    @asynccontextmanager
    async def presenter(
        self,
        address: Address,
        *,
        reference: str,
        posted: Mapping[Shown, Parts],
        record: Record,
        is_discreet: bool,
    ) -> AsyncGenerator[TerminalPresenter]:
        """Open the terminal's presenter; a run that asked and one that was taken over use the same."""
        del address, reference, posted, record, is_discreet
        yield self.current

    async def meet(self, address: Address, key: str) -> Address:
        """Return where it is: nobody else reads along."""
        del key
        return address

    async def unrecorded(self, address: Address, known: Collection[Ts]) -> Placed | None:
        """Return nothing: what a terminal showed is gone with it."""
        del address, known

    async def said(self, address: Address, message: Parts) -> str:
        """Nothing: what was printed cannot be read back."""
        del address, message
        return ""

    async def earlier(self, address: Address) -> tuple[Remark, ...]:
        """Return nothing: a terminal's thread has no one else in it."""
        del address
        return ()


def print_answer(console: Console, answer: AnswerCompleted, *, streamed: bool) -> None:
    """Print what follows a streamed text, or all of an answer that had none."""
    is_shown = answer.outcome == "answered" and streamed
    console.print("" if is_shown else Markdown(seen(answer.text.rstrip())))
    console.print()
    for source in answer.sources:
        console.print(f"[dim]{escape(source_line(source))}[/dim]", soft_wrap=True, highlight=False)
    for note in filter(None, (answer.recalled, *answer.notes)):
        console.print(f"[dim italic]{escape(note)}[/dim italic]")


def source_line(source: Source) -> str:
    """Return a source as one line."""
    dated = source["dated"], source.get("stale")
    parts = [f"[{source['number']}] {source['title']}", source["heading"], *dated, source["url"]]
    return " · ".join(part for part in parts if part)


def as_json(ending: Ending, thread: str) -> str:
    """Return how a run ended as one JSON object, whose `response_type` tells its shape."""
    match ending:
        case AnswerCompleted():
            said = {name: value for name, value in asdict(ending).items() if name not in _FOR_REVIEW}
            body: dict[str, Any] = {"response_type": "answer", **said, "text": ending.text.rstrip()}
        case SilenceKept():
            body = {"response_type": "silence", "reason": ending.reason}
        case (_, asked):
            options = [asdict(option) for option in asked.options]
            body = {"response_type": "clarification_needed", "question": asked.question, "options": options}
        case _:
            body = {"response_type": "error", "message": ending}
    return json.dumps({**body, "thread": thread}, ensure_ascii=False, indent=2)
