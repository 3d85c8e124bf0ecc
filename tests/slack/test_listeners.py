"""Slack's payloads are stored, or logged without their words."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any
from unittest.mock import AsyncMock

import pytest
from slack_sdk.web.async_client import AsyncWebClient
from structlog.testing import capture_logs

from bot.audience import Names
from bot.clock import SystemClock
from bot.contributions.maintain import MaintainIntake
from bot.contributions.verify import VerifyRefused
from bot.conversation import message_store, store, transitions
from bot.conversation.address import Address, ChannelId, PersonId, Placed, Ts
from bot.conversation.inputs import QueueLimits
from bot.conversation.intake import Intake
from bot.conversation.items import Item
from bot.errors import PersonLookupError
from bot.postgres.pool import Connection, Database
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import Pace
from bot.slack.blocks.cards import BUTTON_OUT_OF_DATE
from bot.slack.blocks.elements import Block
from bot.slack.blocks.share_cards import NOT_TAKEN, TOLD_ALONE, TOO_LONG
from bot.slack.channel_modes import mode_store
from bot.slack.channel_modes.mode_cards import OUT_OF_DATE
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.event_listeners import EventListeners
from bot.slack.listeners.maintain_listeners import MaintainListeners
from bot.slack.listeners.mode_listeners import ModeListeners
from bot.slack.listeners.share_listeners import ShareListeners
from bot.slack.payloads.actions import Pressed
from bot.slack.payloads.buttons import HOLDS, HOLDS_NOT, MODE, NOT_FOR_YOU, SHARE, TELL_ALONE, AskedHere
from bot.slack.people.people import AccountType
from bot.slack.people.reviewers import Reviewers
from bot.slack.sharing.copies import SharedCopies
from playground import Playground
from tests.conversation.test_intake import message
from tests.slack.payloads import US, action, event
from tests.slack.recording import Acquainted, RecordingIntake
from tests.support.listening import bare_listeners


def listening(intake: Intake, tasks: BackgroundTasks, **account_types: AccountType | None) -> EventListeners:
    """Return listeners whose Slack does not answer."""
    return bare_listeners(intake, access_check(tasks, **account_types))


def access_check(tasks: BackgroundTasks, **account_types: AccountType | None) -> AccessCheck:
    """Return an access check whose Slack does not answer."""
    messenger = Messenger(AsyncWebClient(base_url="http://127.0.0.1:9/"), pace=Pace())
    return AccessCheck(Acquainted(messenger, US, **account_types), messenger, tasks, SystemClock())


async def stored(database: Database) -> int:
    """Return how many items are in the inbox."""
    async with database.transaction("one") as connection:
        (row,) = await (await connection.execute("SELECT count(*) AS items FROM inbox")).fetchall()
    return row["items"]


@pytest.mark.parametrize("text", ["<@UBOT> What is the \0 limit", "<@UBOT> thanks \ud83d"])
async def test_what_the_database_would_refuse_does_not_keep_a_message_out(database: Database, text: str) -> None:
    async with BackgroundTasks() as tasks:
        intake = Intake(database, SystemClock(), workspace="one", surface="slack")
        listeners = listening(intake, tasks)
        await listeners.hear(event(text, files=[{"name": "a\0.pdf"}]))

    assert 1 == await stored(database)


async def test_a_message_of_another_company_leaves_a_line_without_its_words() -> None:
    intake = RecordingIntake()
    async with BackgroundTasks() as tasks:
        listeners = listening(intake, tasks)
        with capture_logs() as lines:
            await listeners.hear(event(user_team="T9"))

    assert [] == intake.messages
    assert [{"event": "foreign_message_ignored", "event_key": "Ev1", "log_level": "info"}] == lines


@pytest.mark.parametrize("action_id", ["option:0", "something_else", "just_answer", "change", "ask_again", "feedback"])
async def test_a_click_of_another_company_counts_nothing(action_id: str) -> None:
    intake = RecordingIntake()

    async with BackgroundTasks() as tasks:
        listeners = listening(intake, tasks)
        with capture_logs() as lines:
            await listeners.buttons.act(action(action_id, "good", user={"id": "UEVE", "team_id": "T9"}))

    assert RecordingIntake() == intake
    assert {"event": "click_refused", "channel": "C1", "why": "stranger", "log_level": "info"} in lines


async def test_a_press_reaches_its_buttons_listener_and_of_an_unknown_button_its_person_is_told(
    messenger: Messenger, playground: Playground
) -> None:
    taken: list[str] = []

    async def take(pressed: Pressed) -> None:
        taken.append(pressed.id)

    ada = playground.person("U0ADA")
    ts = await ada.post("C0SUPPORT", "How long?")
    card = {"channel": {"id": "C0SUPPORT"}, "message": {"ts": ts, "thread_ts": ts}}
    async with BackgroundTasks() as tasks:
        check = AccessCheck(Acquainted(messenger, US), messenger, tasks, SystemClock())
        with capture_logs() as lines:
            for action_id in ("kept_nothing:1", HOLDS, f"{HOLDS}:1"):
                await check.take(action(action_id, "x", person="U0ADA", **card), {HOLDS: take})

    assert [HOLDS, f"{HOLDS}:1"] == taken
    assert [BUTTON_OUT_OF_DATE] == [told["text"] for told in ada.ephemerals("C0SUPPORT")]
    assert [{"event": "unknown_button_pressed", "kind": "kept_nothing", "log_level": "info"}] == lines


@pytest.mark.parametrize(("action_id", "judged"), [(f"{HOLDS}:1", "renew"), (f"{HOLDS_NOT}:1", "doubt")])
async def test_a_number_behind_a_buttons_id_changes_nothing(action_id: str, judged: str) -> None:
    intake = AsyncMock(spec=MaintainIntake)
    getattr(intake, judged).return_value = VerifyRefused(reason="not_yours")
    async with BackgroundTasks() as tasks:
        check = access_check(tasks)
        listeners = MaintainListeners(intake, check, Reviewers("", check.messenger))
        await listeners.act(action(action_id, "token", channel={"id": "D1"}))

    assert [judged] == [call[0] for call in intake.method_calls]


@pytest.mark.parametrize("account_type", ["foreign", "unknown", "deactivated", "machine"])
@pytest.mark.parametrize("kind", ["message", "app_mention"])
async def test_nothing_of_a_stranger_is_stored_and_nothing_said(kind: str, account_type: AccountType) -> None:
    """The event need not name their company: a mention does not."""
    intake = RecordingIntake()
    async with BackgroundTasks() as tasks:
        listeners = listening(intake, tasks, UADA=account_type)
        with capture_logs() as lines:
            await listeners.hear(event(type=kind))
            await listeners.hear(edit())
            await listeners.stop(event(type="reaction_added", reaction="x", event_ts="1.1", item=ITEM))

    assert RecordingIntake() == intake
    assert {"stranger"} == {line["why"] for line in lines}
    assert "parental" not in repr(lines)


async def test_a_stop_comes_again_if_its_person_cannot_be_checked() -> None:
    """Slack sends an event again that is not acknowledged."""
    async with BackgroundTasks() as tasks:
        with pytest.raises(PersonLookupError):
            await listening(RecordingIntake(), tasks, UADA=None).stop(
                event(type="reaction_added", reaction="x", event_ts="1.1", item=ITEM)
            )


async def test_a_guest_is_told_and_nothing_of_theirs_is_stored() -> None:
    intake = RecordingIntake()
    async with BackgroundTasks() as tasks:
        await listening(intake, tasks, UADA="guest").hear(event())

    assert RecordingIntake(declined=[("C1:1700000000.000100", "guest")]) == intake


async def test_who_is_not_served_is_told_only_of_what_they_said_to_the_bot() -> None:
    intake = RecordingIntake()
    async with BackgroundTasks() as tasks:
        listeners = listening(intake, tasks, UADA="guest")
        await listeners.hear(event("And parental leave?", thread_ts="1600000000.000100"))
        await listeners.hear(event("And parental leave?", channel="D1", channel_type="im", ts="1700000000.000200"))

    assert RecordingIntake(declined=[("D1:1700000000.000200", "guest")]) == intake


async def test_the_words_of_a_stranger_who_deletes_them_are_not_stored_either() -> None:
    intake = RecordingIntake()
    async with BackgroundTasks() as tasks:
        gone = event(subtype="message_deleted", hidden=True, previous_message=event()["event"])
        await listening(intake, tasks, UADA="foreign").hear(gone)

    assert [("removal", True)] == [(change.kind, change.of_known_only) for change in intake.changes]


@pytest.mark.parametrize("account_type", ["guest", "unknown"])
async def test_a_deletion_by_somebody_who_is_not_served_leaves_no_row(
    database: Database, account_type: AccountType
) -> None:
    async with BackgroundTasks() as tasks:
        intake = Intake(database, SystemClock(), workspace="one", surface="slack")
        gone = event(subtype="message_deleted", hidden=True, previous_message=event()["event"])
        await listening(intake, tasks, UADA=account_type).hear(gone)

    assert 0 == await stored(database)


async def test_an_edit_of_what_people_say_to_one_another_in_a_shared_channel_begins_nothing(database: Database) -> None:
    root = "1700000000.000100"
    async with BackgroundTasks() as tasks:
        intake = Intake(database, SystemClock(), workspace="one", surface="slack")
        listeners = listening(intake, tasks)
        await listeners.hear(shared(event()))
        aside = event("What do you think, Eve?", ts="1700000001.000100", thread_ts=root)
        await listeners.hear(shared(aside))
        await listeners.hear(shared(edit(aside["event"], "What do you think of it, Eve?")))
        assert 1 == await stored(database)
        await listeners.hear(shared(edit(aside["event"], "<@UBOT> What do you think?")))

    assert 2 == await stored(database)


async def test_who_cannot_be_checked_is_told_also_without_a_mention_if_they_asked_in_the_thread(
    database: Database,
) -> None:
    later = {"thread_ts": "1700000000.000100"}
    async with BackgroundTasks() as tasks:
        intake = Intake(database, SystemClock(), workspace="one", surface="slack")
        await listening(intake, tasks).hear(event())
        unchecked = listening(intake, tasks, UADA=None, UBOB=None)
        await unchecked.hear(one_of(event("And for me?", **later, user="UBOB", ts="1700000001.000100")))
        assert 1 == await stored(database)
        await unchecked.hear(one_of(event("And in Porto?", **later, ts="1700000002.000100")))

    assert 2 == await stored(database)


class Telling(Messenger):
    """A messenger that notes what people are told, and does not reach Slack otherwise."""

    told: tuple[str, ...] = ()

    async def post_ephemeral(self, address: Address, text: str, blocks: Sequence[Block] = ()) -> None:
        self.told = (*self.told, text)

    async def channels_of(self, person: PersonId) -> frozenset[str]:
        return frozenset({"C0"})


async def test_what_will_not_be_answered_alone_is_not_promised_and_the_button_works_later(database: Database) -> None:
    messenger = Telling(AsyncWebClient(base_url="http://127.0.0.1:9/"), pace=Pace())
    narrow = QueueLimits(per_person=1, altogether=9)
    intake = Intake(database, SystemClock(), workspace="one", surface="slack", limits=narrow)
    asked = AskedHere(thread_ts="1.000001", ts="1.000001", question="What is my bonus?").as_text()
    await intake.receive(message(ts="3.000001", person="UADA"))

    async with BackgroundTasks() as tasks:
        shares = share_listeners(database, intake, messenger, tasks)
        await shares.act(action(TELL_ALONE, asked, channel={"id": "D1"}))
        async with database.transaction("one") as connection:
            await connection.execute("UPDATE inbox SET status = 'finished' WHERE message_key = 'C0:3.000001'")
        await shares.act(action(TELL_ALONE, asked, channel={"id": "D1"}))

    assert (NOT_TAKEN, TOLD_ALONE) == messenger.told


def share_listeners(database: Database, intake: Intake, messenger: Messenger, tasks: BackgroundTasks) -> ShareListeners:
    """Return the listeners for shared answers of a workspace in which everybody may read everything."""
    storing = partial(database.transaction, "one")
    check = AccessCheck(Acquainted(messenger, US), messenger, tasks, SystemClock())
    copies = SharedCopies(storing, messenger, tasks, SystemClock(), names_of=as_anybody, may_read=may_read)
    return ShareListeners(storing, intake, check, copies)


async def test_an_answer_of_several_messages_is_not_shared_and_its_asker_is_told(database: Database) -> None:
    messenger = Telling(AsyncWebClient(base_url="http://127.0.0.1:9/"), pace=Pace())
    await answered(database, "1.000001", "2.5", "2.6")

    async with BackgroundTasks() as tasks:
        shares = share_listeners(database, RecordingIntake(), messenger, tasks)
        clicked: dict[str, Any] = {"channel": {"id": "D1"}, "container": {"message_ts": "2.6"}}
        await shares.act(action(SHARE, "answer", **clicked))

    assert (TOO_LONG,) == messenger.told


async def may_read(_connection: Connection, _names: Names, _passages: Collection[int]) -> bool:
    return True


async def as_anybody(_address: Address) -> Names:
    return Names()


async def not_shared(_message_key: str) -> None:
    pass


def mode_listeners(database: Database, intake: Intake, check: AccessCheck) -> ModeListeners:
    """Return the listeners for the modes of channels."""
    storing = partial(database.transaction, "one")
    return ModeListeners(storing, intake, check, SystemClock(), take_back=not_shared, patience=timedelta())


async def test_a_card_of_a_channel_that_was_forgotten_says_so(database: Database) -> None:
    messenger = Telling(AsyncWebClient(base_url="http://127.0.0.1:9/"), pace=Pace())

    async with BackgroundTasks() as tasks:
        check = AccessCheck(Acquainted(messenger, US), messenger, tasks, SystemClock())
        modes = mode_listeners(database, RecordingIntake(), check)
        await modes.act(action(f"{MODE}:questions", "questions", channel={"id": "D1"}))

    assert (OUT_OF_DATE,) == messenger.told


async def test_buttons_below_an_answer_that_nobody_asked_for_concern_no_other_answer(database: Database) -> None:
    intake = RecordingIntake()
    await answered(database, "1.000001", "2.5")
    await answered(database, "3.000001", "4.5")

    async with BackgroundTasks() as tasks:
        modes = mode_listeners(database, intake, access_check(tasks))
        for clicked in ("4.5", "2.5"):
            assert [] == intake.changes
            place: dict[str, Any] = {"channel": {"id": "D1"}, "container": {"message_ts": clicked}}
            await modes.act(action(NOT_FOR_YOU, "C0:1.000001", **place))

    assert ["C0:1.000001"] == [change.message.message_key for change in intake.changes]


async def answered(database: Database, ts: str, *parts: str) -> None:
    """Store an untagged question of a channel, and where its answer is in a direct message."""
    now = SystemClock().now()
    await Intake(database, SystemClock(), workspace="one", surface="slack").receive(message(ts=ts, person="UADA"))
    async with database.transaction("one") as connection:
        await mode_store.want_card(connection, "C0", key=Ts("1.1"), now=now)
        await connection.execute(
            """
            INSERT INTO untagged_questions (workspace, message_key, channel, ts, person, state, due_at, decided_at)
            VALUES ('one', 'C0:' || %(ts)s, 'C0', %(ts)s, 'UADA', 'handed', now(), now())
            """,
            {"ts": ts},
        )
        (row,) = await (await connection.execute("SELECT * FROM inbox ORDER BY id DESC LIMIT 1")).fetchall()
        item = Item.from_row(**row)
        meeting = replace(item.address, channel=ChannelId("D1"), asked_at=item.address)
        await store.change(connection, [item.id], transitions.moved, address=meeting)
        placed = [Placed(channel=ChannelId("D1"), ts=Ts(part)) for part in parts]
        await message_store.record_message(connection, item, kind="answer", parts=placed, now=now)


ITEM = {"type": "message", "channel": "C1", "ts": "1700000000.000100"}


def edit(before: dict[str, Any] | None = None, text: str = "<@UBOT> Parental leave?") -> dict[str, Any]:
    """Return the event of an edit by the author."""
    before = before or dict(event()["event"])
    after = {**before, "text": text, "edited": {"user": "UADA", "ts": "1.1"}}
    ts = f"{before['ts'][:-1]}{len(text)}"
    return event(subtype="message_changed", message=after, previous_message=before, ts=ts) | {"event_id": f"Ev{ts}"}


def one_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return an event under a key of its own."""
    return body | {"event_id": f"{body['event_id']}:{body['event']['ts']}"}


def shared(body: dict[str, Any]) -> dict[str, Any]:
    """Return an event from a channel that another company reads."""
    return one_of(body) | {"is_ext_shared_channel": True}
