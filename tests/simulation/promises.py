"""What must hold whenever nothing is under way: each promise is a function that returns what breaks it."""

from collections import Counter
from collections.abc import Iterator

from bot.postgres.checkpoints import saver_on
from bot.slack.blocks.markup import readable
from bot.slack.presenter.multipart import WITHDRAWN
from graph.memory import EXCHANGES
from graph.state import Memory, Remembered
from playground.wire import Json
from tests.journeys.town import is_answer, is_open_card, labels_of, text_of
from tests.simulation.excuses import Excuses, excuses
from tests.simulation.harness import Village
from tests.simulation.mind import tags_in
from tests.simulation.wholeness import parts_broken, reviews_broken

QUESTIONS = "aclu"
"""The tags of what has to be answered."""


async def broken(village: Village) -> list[str]:
    """Return everything that does not hold, in words."""
    asked_again, excused = await _asked_again(village), await excuses(village)
    return [
        *_answers(village, asked_again, excused),
        *_ghosts(village, asked_again, await _said_instead(village), excused),
        *_leftovers(village),
        *await _stored(village),
        *await _memories(village, excused),
        *await reviews_broken(village),
        *await parts_broken(village),
    ]


def _answers(village: Village, asked_again: Counter[str], excused: Excuses) -> Iterator[str]:
    """Every question said to the bot has exactly one current answer or card, or it is said why there is none."""
    shown = Counter(tag for one in village.ours if _is_current(one, excused) for tag in tags_in(text_of(one)))
    for message in village.messages.values():
        if not _is_persons(village, message):
            continue
        is_addressed = f"<@{village.slack.workspace.bot_user_id}>" in message["text"]
        for tag in tags_in(message["text"]):
            count = shown[tag] - min(shown[tag], asked_again[tag])
            must = is_addressed and tag[0] in QUESTIONS and tag not in excused.shown and not asked_again[tag]
            if count > 1 or (must and count < 1):
                yield f"{tag} is answered {count} times"


def _ghosts(village: Village, asked_again: Counter[str], said_instead: set[str], excused: Excuses) -> Iterator[str]:
    """Nothing current answers what nobody asks any more."""
    written = {tag for one in village.messages.values() if _is_persons(village, one) for tag in tags_in(one["text"])}
    asked = written | said_instead
    for one in village.ours:
        if (is_answer(one) and one["ts"] not in excused.earlier) or is_open_card(one):
            for tag in tags_in(text_of(one)):
                if tag not in asked and not asked_again[tag]:
                    yield f"{tag} is answered, but nobody asks it any more"


def _leftovers(village: Village) -> Iterator[str]:
    if village.slack.kept_up:
        yield f"a status is left: {village.slack.statuses}"
    for one in village.ours:
        if one.get("streaming_state") == "in_progress":
            yield f"a stream is left open: {text_of(one)}"


async def _stored(village: Village) -> list[str]:
    """What is stored and what is shown agree; everything is done, and once."""
    questions = await village.rows(
        "SELECT *, payload ->> 'question' AS question FROM asks"
        " WHERE workspace = %(workspace)s AND kind = 'clarification'"
    )
    messages = await village.rows("SELECT * FROM messages WHERE workspace = %(workspace)s")
    twice = await village.rows(
        "SELECT content ->> 'ask_id' AS asked, count(*) FROM inbox"
        " WHERE workspace = %(workspace)s AND kind = 'reply' GROUP BY 1 HAVING count(*) > 1"
    )
    known = {row["ts"] for row in messages}
    return [
        *_cards(village, questions, messages),
        *(
            f"a message of ours is unknown: {text_of(one)}"
            for one in village.ours
            if one["ts"] not in known and one["text"] != WITHDRAWN
        ),
        *(f"a question was resumed {row['count']} times" for row in twice),
        *(f"item {row['id']} waits for ever" for row in await village.waiting()),
    ]


def _cards(village: Village, questions: list[Json], messages: list[Json]) -> Iterator[str]:
    shown = [one for one in village.ours if is_open_card(one)]
    placed = {row["inbox_id"]: row["ts"] for row in messages if row["kind"] == "card"}
    waiting = [question for question in questions if question["status"] == "open"]
    for question in waiting:
        at = placed.get(question["inbox_id"])
        if at not in {one["ts"] for one in shown}:
            yield f"a question is open and has no card: {question['question']}"
    for one in shown:
        if not any(question["token"] in str(one["blocks"]) for question in waiting):
            yield f"a card is shown as open, and its question is not: {text_of(one)}"


async def _memories(village: Village, excused: Excuses) -> list[str]:
    """A thread remembers what was answered, once, as it reads now, in the order of the thread."""
    faults: list[str] = []
    roots = {one.get("thread_ts", ts) for ts, one in village.messages.items() if _is_persons(village, one)}
    for root in roots:
        faults += [f"thread {root}: {fault}" for fault in await _memory(village, root, excused)]
    return faults


async def memory_of(village: Village, root: str) -> Memory:
    """Return what a thread remembers."""
    thread = f"{village.workspace}:C0SUPPORT:{root}"
    kept = await saver_on(village.owner).aget_tuple({"configurable": {"thread_id": thread}})
    nothing = Memory(exchanges=[], overheard=[], people=[])
    return kept.checkpoint["channel_values"].get("memory", nothing) if kept else nothing


async def _memory(village: Village, root: str, excused: Excuses) -> list[str]:
    memory = await memory_of(village, root)
    exchanges = memory["exchanges"]
    faults = await _overheard(village, memory["overheard"])
    keys = [exchange["key"] for exchange in exchanges]
    if keys != sorted(keys, key=float):
        faults.append(f"the memory is out of order: {keys}")
    if len(keys) != len(set(keys)):
        faults.append(f"the memory holds something twice: {keys}")
    remembered = Counter(tag for exchange in exchanges for tag in tags_in(exchange["standalone"]))
    answered = {
        tag
        for one in village.ours
        if is_answer(one) and one["ts"] not in excused.earlier and one.get("thread_ts") == root
        for tag in tags_in(text_of(one))
        if tag[0] in QUESTIONS
    }
    again = await _asked_again(village)
    faults += [f"the memory holds {tag} {times} times" for tag, times in remembered.items() if times > 1 + again[tag]]
    faults += [
        f"the memory holds {tag}, which is not answered"
        for tag in remembered
        if tag not in answered and tag[0] in QUESTIONS and tag not in excused.stopped
    ]
    if len(exchanges) < EXCHANGES:
        faults += [f"{tag} is answered and not remembered" for tag in answered if not remembered[tag]]
    return faults


async def _overheard(village: Village, remarks: list[Remembered]) -> list[str]:
    """What was overheard reads as it does now, and goes with its message; of what never came in nobody can tell."""
    rows = await village.rows(
        "SELECT address ->> 'message_ts' AS ts FROM inbox WHERE workspace = %(workspace)s AND kind = 'turn'"
    )
    came = {row["ts"] for row in rows}
    bot = village.slack.workspace.bot_user_id
    lines = {said(one, bot) for one in village.messages.values() if _is_persons(village, one)}
    heard = [line for remark in remarks if remark["key"] in came for line in remark["text"].splitlines()]
    return [f"the memory still holds {line!r}" for line in heard if line not in lines]


async def _asked_again(village: Village) -> Counter[str]:
    """Return what was asked again by the button of a closed card; it may be answered, or remembered, twice."""
    rows = await village.rows(
        "SELECT content ->> 'question' AS question FROM inbox"
        " WHERE workspace = %(workspace)s AND message_key LIKE '%%:again'"
    )
    return Counter(tag for row in rows for tag in tags_in(row["question"]))


async def _said_instead(village: Village) -> set[str]:
    """Return what was answered in people's own words to a question that still counts, which a modal may hold alone."""
    rows = await village.rows(
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


def _is_persons(village: Village, message: Json) -> bool:
    return message.get("user", "") in village.slack.workspace.members and message["user"] not in (
        village.slack.workspace.bot_user_id, "USLACKBOT",
    )  # fmt: skip


def said(message: Json, bot: str) -> str:
    """Return the words of a message."""
    return readable(message["text"], without=bot)
