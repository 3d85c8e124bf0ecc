"""`askback ask`: the same inbox, worker and graph, with a terminal as the stage."""

import asyncio
import time
import uuid

from rich.console import Console
from rich.markup import escape

from bot.app import Bot
from bot.cli.terminal import Ending, TerminalOutput, as_json, print_answer
from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.conversation.inputs import Click, Message
from bot.conversation.intake import Inbox
from bot.knowledge.search import everything
from bot.slack.blocks.markup import storable
from graph.asking.replies import read_reply
from graph.events import AnswerCompleted, ClarificationRequested, SilenceKept
from graph.turn import Choice, Turn

PERSON = PersonId("you")


async def ask(bot: Bot, question: str, console: Console, *, thread: str, is_json: bool) -> bool:
    """Ask in a thread of the terminal and print what comes; return whether there was an answer."""
    stage = TerminalOutput(console, streams=not is_json)
    surface = f"terminal:{thread}"
    inbox = bot.inbox(surface)
    async with bot.worker(stage, surface, 1, lambda _address: everything()).running():
        ended = stage.renew().ended
        message = _message(question, thread)
        await inbox.receive(message)
        ending = await ended
        while isinstance(ending, tuple) and not is_json:
            ended = stage.renew().ended
            await _choose(inbox, console, *ending, thread_id=message.address.thread_id)
            ending = await ended
    _print(console, ending, thread, is_json=is_json)
    return not isinstance(ending, str)


def _message(question: str, thread: str) -> Message:
    now = Ts(f"{time.time():.6f}")
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


async def _choose(inbox: Inbox, console: Console, token: str, asked: ClarificationRequested, *, thread_id: str) -> None:
    console.print(f"\n[bold]{escape(asked.question)}[/bold]")
    for number, option in enumerate(asked.options, 1):
        console.print(f"  {number}. {escape(option.label)}")
    typed = await asyncio.to_thread(console.input, "A number, your own words, or Enter to just get an answer: ")
    await inbox.choose(
        Click(
            event_key=uuid.uuid4().hex,
            token=token,
            choice=_choice(storable(typed), asked),
            thread_id=thread_id,
            person=PERSON,
            clicked_at=Ts(f"{time.time():.6f}"),
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
            print_answer(console, ending, streamed=True)
        case SilenceKept():
            console.print(f"[dim]Nothing to say: {escape(ending.reason)}[/dim]")
        case str():
            console.print(f"[red]{escape(ending)}[/red]")
        case _:
            pass
    console.print(f"[dim]Go on with: askback ask --thread {escape(thread)} …[/dim]")
