"""`askback ask`: the same inbox, worker and graph as in Slack, with a terminal as the output."""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from typing import Any, Literal, TypeAlias, cast

from rich.console import Console

from bot.bot import Bot, SurfacePorts
from bot.cli.administration import PERSON
from bot.cli.console import inert, laid_out
from bot.conversation.address import Address, ChannelId, PersonId, Placed, TeamId, Ts, ts_at
from bot.conversation.inputs import Click, Message
from bot.conversation.intake import Intake
from bot.conversation.items import Item
from bot.conversation.message_kinds import (
    AssumptionBanner,
    CardOutcome,
    MessageRefused,
    PartialAnswer,
    Parts,
    Record,
    Shown,
)
from bot.knowledge.search import everything
from bot.markup import storable
from bot.runtime import abandonable
from bot.slack.blocks.markdown import safe, safe_blocks
from bot.slack.blocks.view import View, fold
from graph import patterns
from graph.answer.evidence import doubts_of
from graph.asking.replies import read_reply
from graph.context import Clock
from graph.events import (
    AnswerCompleted,
    AnswerEvent,
    ClarificationRequested,
    DraftWithdrawn,
    SilenceKept,
    SourcesFound,
    StepStarted,
    TextWritten,
)
from graph.passages import Source
from graph.text.credentials import redacted
from graph.text.invisible import visible
from graph.turn import Choice, Remark, Turn

Ending: TypeAlias = AnswerCompleted | SilenceKept | tuple[str, ClarificationRequested] | str
"""How a run ended: an answer, silence, a question back with its token, or the reason of a failure."""

_MARKER = patterns.compile(r"\s*(?:\d{1,9}[.)]?|[-+*])?\s*")
_FOR_REVIEW = frozenset({"packet", "reviewer", "links"})
"""Fields that only reviewers need; nobody reviews in a terminal."""


async def ask(bot: Bot, question: str, console: Console, *, thread: str, is_json: bool) -> bool:
    """Ask in a thread of the terminal and print the events. Return whether there was an answer.

    If nobody can type an answer to a question back, it stays open for the next command.
    """
    output = TerminalOutput(console, streams=not is_json)
    surface = f"terminal:{thread}"
    intake = bot.intake(surface)
    ports = SurfacePorts(surface=surface, output=output, names_of=lambda _address: everything())
    async with bot.worker(ports, 1).running():
        ended = output.renew().ended
        message = _message(question, thread, ts_at(bot.clock.now()))
        await intake.receive(message)
        ending = await ended
        while isinstance(ending, tuple) and not is_json:
            ended = output.renew().ended
            try:
                await _choose(intake, console, bot.clock, *ending, thread_id=message.address.thread_id)
            except EOFError:
                console.print()
                _print(console, ending, thread, is_json=False)
                return False
            ending = await ended
    _print(console, ending, thread, is_json=is_json)
    return not isinstance(ending, str)


async def is_known(bot: Bot, thread: str) -> bool:
    """Tell whether somebody has asked in this thread of the terminal."""
    message = _message("", thread, ts_at(bot.clock.now()))
    unaddressed = replace(message, turn=replace(message.turn, addressed=False))
    return await bot.intake(f"terminal:{thread}").concerns(unaddressed, earlier_too=True)


def _message(question: str, thread: str, now: Ts) -> Message:
    address = Address(
        team=TeamId("cli"),
        channel=ChannelId(thread),
        thread_ts=Ts("0"),
        message_ts=now,
        person=PERSON,
        person_team=TeamId("cli"),
    )
    turn = Turn(question=storable(question), asker=PERSON, addressed=True)
    return Message(event_key=uuid.uuid4().hex, message_key=f"cli:{thread}:{now}", address=address, turn=turn)


async def _choose(
    intake: Intake, console: Console, clock: Clock, token: str, asked: ClarificationRequested, *, thread_id: str
) -> None:
    print_question(console, asked)
    # A thread that waits for a line has no end, and Ctrl-C must not wait for it.
    typed = await abandonable(partial(console.input, "A number, your own words, or Enter to just get an answer: "))
    await intake.choose(
        Click(
            event_key=uuid.uuid4().hex,
            token=token,
            choice=_choice(storable(typed), asked),
            thread_id=thread_id,
            person=PERSON,
            clicked_at=ts_at(clock.now()),
        )
    )


def _choice(typed: str, asked: ClarificationRequested) -> Choice:
    if not typed.strip():
        return Choice(kind="just_answer")
    options = [(option.id, option.label) for option in asked.options]
    return read_reply(typed, question=asked.question, options=options) or Choice(kind="text", value=typed, label=typed)


def _print(console: Console, ending: Ending, thread: str, *, is_json: bool) -> None:
    if is_json:
        console.print(as_json(ending, thread), soft_wrap=True, markup=False)
        return
    match ending:
        case AnswerCompleted():
            print_answer(console, ending)
        case SilenceKept():
            console.print(f"[dim]No answer: {inert(ending.reason)}[/dim]")
        case str():
            console.print(f"[red]{inert(ending)}[/red]")
        case _:
            pass
    console.print(f"[dim]Continue with: askback ask --thread {inert(thread)} …[/dim]")


class TerminalPresenter:
    """Prints the events of a run, and keeps its ending."""

    def __init__(self, console: Console, *, streams: bool) -> None:
        self._console = console
        self._streams = streams
        self._view = View()
        self._draft = ""
        self._printed = 0
        """The blocks of the draft that are printed. The last one waits, because it may go on."""
        self._last: Literal["nothing", "a note", "text"] = "nothing"
        """What was printed last."""
        self.ended: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()

    async def begin(self) -> None:
        """Do nothing: the first step is the first output."""

    async def show(self, event: AnswerEvent) -> None:
        """Print the event."""
        match event:
            case StepStarted():
                self._write_rest()
                self._note(event.title)
            case TextWritten():
                self._draft += event.text
                self._write(*self._blocks(_without_marker(self._draft))[:-1])
            case SourcesFound():
                self._view = fold(self._view, event)
            case DraftWithdrawn():
                self._forget()
                self._note(f"Taken back: {event.reason}")
            case AnswerCompleted() | SilenceKept():
                self._end(event)
            case _:
                pass

    async def ask(self, token: str, event: ClarificationRequested) -> None:
        """End with the question back; `ask` prints it."""
        self._end((token, event))

    async def show_outcome(self, card: Placed, token: str, asked: ClarificationRequested, outcome: CardOutcome) -> None:
        """Do nothing: the choice is on the screen."""

    def set_banner(self, banner: AssumptionBanner) -> None:
        """Do nothing: nobody changes a choice in a terminal."""

    async def remind(self, asker: PersonId, question: str, *, until: datetime) -> None:
        """Do nothing: the asker sits at the terminal."""

    async def remove(self, message: Placed) -> None:
        """Do nothing: printed text stays."""

    async def stop(self, said: PartialAnswer, *, by: PersonId | None) -> None:
        """End; the partial answer is on the screen."""
        del said, by
        self._end("Stopped.")

    async def refuse(self, refused: MessageRefused) -> None:
        """End with the limit of waiting questions."""
        self._end(f"{refused.limit} questions wait already. Please ask again later.")

    async def tell(self, text: str) -> None:
        """Do nothing: in a terminal nothing happens behind a question."""

    async def dismiss(self, reason: str) -> None:
        """End with the reason."""
        self._end(reason)

    async def fail(self, reason: str) -> None:
        """End with the reason."""
        self._end(reason)

    async def close(self) -> None:
        """Do nothing: everything is printed at once."""

    def _end(self, ending: Ending) -> None:
        self._write_rest()
        if not self.ended.done():
            self.ended.set_result(ending)

    def _blocks(self, draft: str) -> Sequence[str]:
        """Return a draft by the same rules as in Slack, as a whole: its parts may mean something else alone."""
        return safe_blocks(draft, links=self._view.links) if self._streams else ()

    def _write_rest(self) -> None:
        self._write(*self._blocks(self._draft))
        self._forget()

    def _forget(self) -> None:
        self._draft, self._printed = "", 0

    def _write(self, *blocks: str) -> None:
        """Print the blocks that are not printed yet, each below an empty line."""
        for block in blocks[self._printed :]:
            if self._last != "nothing":
                self._console.print()
            self._console.print(laid_out(block.rstrip()), soft_wrap=True)
            self._last = "text"
        self._printed = max(self._printed, len(blocks))

    def _note(self, said: str) -> None:
        """Print what goes on, dimmed; below text, after an empty line."""
        if self._streams:
            if self._last == "text":
                self._console.print()
            self._console.print(f"[dim]· {inert(said)}[/dim]", soft_wrap=True)
            self._last = "a note"


def _without_marker(draft: str) -> str:
    """Return a draft without the beginning of a line that may go on with the list above it."""
    whole, _, line = draft.rpartition("\n")
    return whole if _MARKER.fullmatch(line) else draft


class TerminalOutput:
    """One terminal, with one run at a time."""

    def __init__(self, console: Console, *, streams: bool) -> None:
        self._console = console
        self._streams = streams
        self.current = TerminalPresenter(console, streams=streams)

    def renew(self) -> TerminalPresenter:
        """Return the presenter for the next run."""
        self.current = TerminalPresenter(self._console, streams=self._streams)
        return self.current

    @asynccontextmanager
    async def presenter(
        self, item: Item, *, posted: Mapping[Shown, Parts], record: Record
    ) -> AsyncGenerator[TerminalPresenter]:
        """Return the terminal's presenter. A run that asked back and its resumed run use the same one."""
        del item, posted, record
        yield self.current

    async def meet(self, address: Address, key: str) -> Address:
        """Return the same address: nobody else reads a terminal."""
        del key
        return address

    async def unrecorded(self, address: Address, known: Collection[Ts]) -> Placed | None:
        """Return nothing: a terminal keeps no messages."""
        del address, known

    async def posted_text(self, address: Address, message: Parts) -> str:
        """Return nothing: printed text cannot be read back."""
        del address, message
        return ""

    async def earlier(self, address: Address) -> tuple[Remark, ...]:
        """Return nothing: nobody else writes in a terminal's thread."""
        del address
        return ()


def print_question(console: Console, asked: ClarificationRequested) -> None:
    """Print a question back with its options."""
    console.print(f"\n[bold]{inert(redacted(asked.question))}[/bold]", highlight=False)
    for number, option in enumerate(asked.options, 1):
        console.print(f"  {number}. {inert(redacted(option.label))}", highlight=False)


def print_answer(console: Console, answer: AnswerCompleted) -> None:
    """Print what stands below an answer, whose text was streamed, or the whole of what else was said."""
    if answer.outcome != "answered":
        console.print()
        console.print(laid_out(_safe_text(answer)), soft_wrap=True)
    console.print()
    for source in answer.sources:
        console.print(f"[dim]{inert(redacted(source_line(source)))}[/dim]", soft_wrap=True, highlight=False)
    for note in filter(None, (*doubts_of(answer.sources), answer.recalled, *answer.notes)):
        console.print(f"[dim italic]{inert(redacted(note))}[/dim italic]", highlight=False)


def _safe_text(answer: AnswerCompleted) -> str:
    return safe(answer.text, links=View(ending=answer).links).rstrip()


def source_line(source: Source) -> str:
    """Return a source as one line."""
    about = source["dated"], source.get("stale"), source.get("recognised")
    parts = [f"[{source['number']}] {source['title']}", source["heading"], *about, source["url"]]
    return " · ".join(part for part in parts if part)


def as_json(ending: Ending, thread: str) -> str:
    """Return the ending as one JSON object; `response_type` names its shape.

    Its text is Markdown by the same rules as in Slack, because programs show it to people.
    """
    match ending:
        case AnswerCompleted():
            said = {name: value for name, value in asdict(ending).items() if name not in _FOR_REVIEW}
            body: dict[str, Any] = {"response_type": "answer", **said, "text": _safe_text(ending)}
        case SilenceKept():
            body = {"response_type": "silence", "reason": ending.reason}
        case (_, asked):
            options = [asdict(option) for option in asked.options]
            body = {"response_type": "clarification_needed", "question": asked.question, "options": options}
        case _:
            body = {"response_type": "error", "message": ending}
    return json.dumps(_without_credentials({**body, "thread": thread}), ensure_ascii=False, indent=2)


def _without_credentials(value: object) -> object:
    match value:
        case str():
            return redacted(visible(value))
        case dict():
            return {name: _without_credentials(one) for name, one in cast("dict[str, object]", value).items()}
        case list() | tuple():
            return [_without_credentials(one) for one in cast("Sequence[object]", value)]
        case _:
            return value
