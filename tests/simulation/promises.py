"""What must hold whenever nothing is under way: each promise is a function that returns what breaks it."""

from collections import Counter
from collections.abc import Iterator

from bot.markup import readable
from bot.postgres.checkpoints import saver_on
from bot.slack.presenter.multipart import WITHDRAWN
from graph.memory import EXCHANGES
from graph.state import Memory, RemarkState
from playground.wire import Json
from tests.journeys.harness import is_answer, is_open_card, labels_of, text_of
from tests.simulation.excuses import Excuses, excuses
from tests.simulation.harness import Simulation
from tests.simulation.models import tags_in
from tests.simulation.wholeness import calls_broken, parts_broken, reviews_broken

QUESTIONS = "aclut"
"""The tags of what has to be answered."""


async def broken(simulation: Simulation) -> list[str]:
    """Return everything that does not hold, in words."""
    asked_again, excused = await _asked_again(simulation), await excuses(simulation)
    return [
        *_answers(simulation, asked_again, excused),
        *_ghosts(simulation, asked_again, await _said_instead(simulation), excused),
        *_leftovers(simulation),
        *await _stored(simulation),
        *await _memories(simulation, excused),
        *await reviews_broken(simulation),
        *await parts_broken(simulation),
        *await calls_broken(simulation),
    ]


def _answers(simulation: Simulation, asked_again: Counter[str], excused: Excuses) -> Iterator[str]:
    """Every question said to the bot has exactly one current answer or card, or it is said why there is none."""
    shown = Counter(tag for one in simulation.ours if _is_current(one, excused) for tag in tags_in(text_of(one)))
    for message in simulation.messages.values():
        if not _is_persons(simulation, message):
            continue
        is_addressed = f"<@{simulation.slack.workspace.bot_user_id}>" in message["text"]
        for tag in tags_in(message["text"]):
            count = shown[tag] - min(shown[tag], asked_again[tag])
            must = is_addressed and tag[0] in QUESTIONS and tag not in excused.shown and not asked_again[tag]
            if count > 1 or (must and count < 1):
                yield f"{tag} is answered {count} times"


def _ghosts(
    simulation: Simulation, asked_again: Counter[str], said_instead: set[str], excused: Excuses
) -> Iterator[str]:
    """Nothing current answers what nobody asks any more."""
    written = {
        tag for one in simulation.messages.values() if _is_persons(simulation, one) for tag in tags_in(one["text"])
    }
    asked = written | said_instead
    for one in simulation.ours:
        if (is_answer(one) and one["ts"] not in excused.earlier) or is_open_card(one):
            for tag in tags_in(text_of(one)):
                if tag not in asked and not asked_again[tag]:
                    yield f"{tag} is answered, but nobody asks it any more"


def _leftovers(simulation: Simulation) -> Iterator[str]:
    if simulation.slack.kept_up:
        yield f"a status is left: {simulation.slack.statuses}"
    for one in simulation.ours:
        if one.get("streaming_state") == "in_progress":
            yield f"a stream is left open: {text_of(one)}"


async def _stored(simulation: Simulation) -> list[str]:
    """What is stored and what is shown agree; everything is done, and once."""
    questions = await simulation.rows(
        "SELECT *, payload ->> 'question' AS question FROM asks"
        " WHERE workspace = %(workspace)s AND kind = 'clarification'"
    )
    messages = await simulation.rows("SELECT * FROM messages WHERE workspace = %(workspace)s")
    twice = await simulation.rows(
        "SELECT content ->> 'ask_id' AS asked, count(*) FROM inbox"
        " WHERE workspace = %(workspace)s AND kind = 'reply' GROUP BY 1 HAVING count(*) > 1"
    )
    known = {row["ts"] for row in messages}
    return [
        *_cards(simulation, questions, messages),
        *(
            f"a message of ours is unknown: {text_of(one)}"
            for one in simulation.ours
            if one["ts"] not in known and one["text"] != WITHDRAWN
        ),
        *(f"a question was resumed {row['count']} times" for row in twice),
        *(f"item {row['id']} waits for ever" for row in await simulation.waiting()),
    ]


def _cards(simulation: Simulation, questions: list[Json], messages: list[Json]) -> Iterator[str]:
    shown = [one for one in simulation.ours if is_open_card(one)]
    placed = {row["inbox_id"]: row["ts"] for row in messages if row["kind"] == "card"}
    waiting = [question for question in questions if question["status"] == "open"]
    for question in waiting:
        at = placed.get(question["inbox_id"])
        if at not in {one["ts"] for one in shown}:
            yield f"a question is open and has no card: {question['question']}"
    for one in shown:
        if not any(question["token"] in str(one["blocks"]) for question in waiting):
            yield f"a card is shown as open, and its question is not: {text_of(one)}"


async def _memories(simulation: Simulation, excused: Excuses) -> list[str]:
    """A thread remembers what was answered, once, as it reads now, in the order of the thread."""
    faults: list[str] = []
    roots = {one.get("thread_ts", ts) for ts, one in simulation.messages.items() if _is_persons(simulation, one)}
    for root in roots:
        faults += [f"thread {root}: {fault}" for fault in await _memory(simulation, root, excused)]
    return faults


async def memory_of(simulation: Simulation, root: str) -> Memory:
    """Return what a thread remembers."""
    thread = f"{simulation.workspace}:C0SUPPORT:{root}"
    kept = await saver_on(simulation.owner).aget_tuple({"configurable": {"thread_id": thread}})
    nothing = Memory(exchanges=[], overheard=[], people=[])
    return kept.checkpoint["channel_values"].get("memory", nothing) if kept else nothing


async def _memory(simulation: Simulation, root: str, excused: Excuses) -> list[str]:
    memory = await memory_of(simulation, root)
    exchanges = memory["exchanges"]
    faults = await _overheard(simulation, memory["overheard"])
    keys = [exchange.get("key", "") for exchange in exchanges]
    if keys != sorted(keys, key=float):
        faults.append(f"the memory is out of order: {keys}")
    if len(keys) != len(set(keys)):
        faults.append(f"the memory holds something twice: {keys}")
    remembered = Counter(tag for exchange in exchanges for tag in tags_in(exchange["standalone"]))
    answered = {
        tag
        for one in simulation.ours
        if is_answer(one) and one["ts"] not in excused.earlier and one.get("thread_ts") == root
        for tag in tags_in(text_of(one))
        if tag[0] in QUESTIONS
    }
    again = await _asked_again(simulation)
    faults += [f"the memory holds {tag} {times} times" for tag, times in remembered.items() if times > 1 + again[tag]]
    faults += [
        f"the memory holds {tag}, which is not answered"
        for tag in remembered
        if tag not in answered and tag[0] in QUESTIONS and tag not in excused.stopped
    ]
    if len(exchanges) < EXCHANGES:
        faults += [f"{tag} is answered and not remembered" for tag in answered if not remembered[tag]]
    return faults


async def _overheard(simulation: Simulation, remarks: list[RemarkState]) -> list[str]:
    """What was overheard reads as it does now, and goes with its message; of what never came in nobody can tell."""
    rows = await simulation.rows(
        "SELECT address ->> 'message_ts' AS ts FROM inbox WHERE workspace = %(workspace)s AND kind = 'turn'"
    )
    came = {row["ts"] for row in rows}
    bot = simulation.slack.workspace.bot_user_id
    lines = {said(one, bot) for one in simulation.messages.values() if _is_persons(simulation, one)}
    assert all("key" in remark for remark in remarks)
    heard = [line for remark in remarks if remark.get("key") in came for line in remark["text"].splitlines()]
    return [f"the memory still holds {line!r}" for line in heard if line not in lines]


async def _asked_again(simulation: Simulation) -> Counter[str]:
    """Return what was asked again by the button of a closed card; it may be answered, or remembered, twice."""
    rows = await simulation.rows(
        "SELECT content ->> 'question' AS question FROM inbox"
        " WHERE workspace = %(workspace)s AND message_key LIKE '%%:again'"
    )
    return Counter(tag for row in rows for tag in tags_in(row["question"]))


async def _said_instead(simulation: Simulation) -> set[str]:
    """Return what was answered in people's own words to a question that still counts, which a modal may hold alone."""
    rows = await simulation.rows(
        "SELECT decision ->> 'label' AS said FROM asks"
        " WHERE workspace = %(workspace)s AND kind = 'clarification' AND status = 'decided'"
        " AND decision ->> 'kind' = 'text'"
    )
    return {tag for row in rows for tag in tags_in(row["said"])}


def _is_current(message: Json, excused: Excuses) -> bool:
    is_closed = is_superseded(message) and message["ts"] not in excused.outdone
    return is_answer(message) or is_open_card(message) or is_closed


def is_superseded(message: Json) -> bool:
    """Tell whether a message is a card that a newer message closed, also one by which nobody needs it any more."""
    return "Ask this again" in labels_of(message) or "needs no answer any more." in text_of(message)


def _is_persons(simulation: Simulation, message: Json) -> bool:
    return message.get("user", "") in simulation.slack.workspace.members and message["user"] not in (
        simulation.slack.workspace.bot_user_id,
        "USLACKBOT",
    )


def said(message: Json, bot: str) -> str:
    """Return the words of a message."""
    return readable(message["text"], without=bot)
