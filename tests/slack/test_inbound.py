"""Message events become inputs, or nothing."""

from dataclasses import replace
from typing import Any

import pytest

from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.conversation.inputs import Message
from bot.slack.payloads.identity import is_foreign, names_us
from bot.slack.payloads.messages import read_change, read_event, read_found, read_thread_change
from bot.slack.payloads.shapes import SlackMessage, event_in
from graph.turn import Turn
from tests.slack.payloads import US, action, event, submission


def read(**fields: Any) -> Message:
    message = read_event(event_in(event(**fields)), US)
    assert message is not None
    return message


def said(**fields: Any) -> SlackMessage:
    """Return the message that `event` posts."""
    return SlackMessage.model_validate(event(**fields)["event"])


def changed(before: dict[str, Any], after: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return the event of an edit of the message that `event` posts."""
    posted = event()["event"]
    inner = {"user": None, "text": None, "ts": "1700000005.000100", "subtype": "message_changed", "hidden": True}
    return event(
        **inner, message=posted | {"edited": {"user": "UADA"}} | after, previous_message=posted | before, **fields
    )


def deleted(**fields: Any) -> dict[str, Any]:
    """Return the event of the deletion of the message that `event` posts."""
    inner = {"user": None, "text": None, "ts": "1700000005.000100", "subtype": "message_deleted", "hidden": True}
    return event(**inner, previous_message=event(**fields)["event"])


def test_a_mention_is_read_whole() -> None:
    expected = Message(
        event_key="Ev1",
        message_key="C1:1700000000.000100",
        address=Address(
            team=TeamId("T1"),
            channel=ChannelId("C1"),
            thread_ts=Ts("1700000000.000100"),
            message_ts=Ts("1700000000.000100"),
            person=PersonId("UADA"),
            person_team=TeamId("T1"),
        ),
        turn=Turn(question="How long is parental leave?", asker="UADA", addressed=True),
    )

    assert expected == read()


def test_the_two_events_of_one_mention_read_alike() -> None:
    mention = event(type="app_mention")
    del mention["event"]["channel_type"]

    assert read() == read_event(event_in(mention), US)


@pytest.mark.parametrize(
    ("fields", "addressed"),
    [
        ({"text": "and for twins?"}, False),
        ({"text": "<@UBOT> and for twins?"}, True),
        ({"text": "a rich mention", "type": "app_mention"}, True),
        ({"text": "and for twins?", "channel_type": "im"}, True),
        ({"text": "and for twins?", "channel": "D1", "channel_type": None}, True),
        ({"text": "<@UBEN> and for twins?"}, False),
    ],
)
def test_it_is_known_whether_the_bot_is_addressed(fields: dict[str, Any], addressed: bool) -> None:
    assert addressed == read(**fields).turn.addressed


def test_a_reply_belongs_to_its_thread() -> None:
    assert read(thread_ts="1600000000.000100").address.thread_id == "T1:C1:1600000000.000100"


@pytest.mark.parametrize("team", [{"user_team": "T9"}, {"source_team": "T9"}, {"user_team": "T1", "source_team": "T9"}])
def test_somebody_of_another_company_gets_no_answer(team: dict[str, Any]) -> None:
    edit = changed({"text": "one"}, team)

    assert (None, None) == (read_event(event_in(event(**team)), US), read_change(event_in(edit), US))
    assert (True, False) == (is_foreign(said(**team), US), is_foreign(said(), US))


@pytest.mark.parametrize(
    ("fields", "is_ours"),
    [
        ({}, True),
        ({"api_app_id": "A9"}, False),
        ({"api_app_id": None}, False),
        ({"team_id": "T9"}, False),
        ({"team_id": None}, False),
        ({"team_id": "T9", "context_team_id": "T1"}, True),
        ({"team_id": "T9", "authorizations": [{"team_id": "T1", "enterprise_id": None}]}, True),
        ({"team_id": "T9", "authorizations": [{"team_id": "T9", "enterprise_id": None}]}, False),
        ({"enterprise_id": "E9"}, False),
        ({"enterprise_id": "E1"}, True),
    ],
)
def test_what_is_for_another_installation_is_known(fields: dict[str, Any], is_ours: bool) -> None:
    me = replace(US, app="A1", enterprise="E1")

    assert is_ours == names_us({**event(), "api_app_id": "A1", **fields}, me)


@pytest.mark.parametrize(("team", "is_ours"), [("T1", True), ("T9", False)])
def test_a_click_for_another_installation_is_known(team: str, is_ours: bool) -> None:
    assert is_ours == names_us(action("retry", "REF1", team={"id": team}), US)


def test_within_an_organization_who_wrote_is_told_by_slack_not_by_the_events_team() -> None:
    assert not is_foreign(said(user_team="T9"), replace(US, enterprise="E1"))


def test_one_of_ours_in_a_shared_channel_is_heard() -> None:
    assert read(user_team="T1", source_team="T1").address.person_team == "T1"


def test_a_person_of_an_unknown_team_is_taken_for_one_of_ours() -> None:
    assert read(team=None).address.person_team == "T1"


def test_mentions_of_others_stay_readable_and_are_noted() -> None:
    turn = read(text="<@UBOT> ask <@UBEN|ben>").turn

    assert (turn.question, turn.mentions_others) == ("ask @ben", True)


def test_attachments_are_named_as_unread() -> None:
    files = [{"name": "plan.pdf"}, {"title": "Untitled"}, {}]

    assert read(subtype="file_share", files=files).turn.unread == ("plan.pdf", "Untitled", "a file")


@pytest.mark.parametrize("fields", [{"text": "<@UBOT>"}, {"text": "", "channel": "D1"}, {"type": "app_mention"}])
def test_who_calls_the_bot_without_a_word_is_heard(fields: dict[str, Any]) -> None:
    turn = read(**{"text": "<@UBOT> ", "files": [{"name": "plan.pdf"}], **fields}).turn

    assert ("", True, ("plan.pdf",)) == (turn.question, turn.addressed, turn.unread)


def test_what_the_database_would_refuse_is_left_out() -> None:
    turn = read(text="<@UBOT|ask\0back> What is the \0limit \ud83d?", files=[{"name": "a\0\udc00.pdf"}]).turn

    assert ("What is the limit ??", ("a?.pdf",)) == (turn.question, turn.unread)


def test_a_reply_shown_in_the_channel_too_is_a_message() -> None:
    assert read(subtype="thread_broadcast").turn.question == "How long is parental leave?"


@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"text": "", "subtype": "file_share", "files": [{"name": "plan.pdf"}]},
        {"text": None},
        {"text": "  \n "},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
        {"subtype": "bot_message", "bot_id": "B2", "user": None},
        {"bot_id": "B2"},
        {"bot_id": "BBOT"},
        {"user": "UBOT"},
        {"user": None},
        {"user": "USLACKBOT"},
        {"hidden": True},
    ],
)
def test_what_no_person_said_is_nothing(fields: dict[str, Any]) -> None:
    assert read_event(event_in(event(**fields)), US) is None


@pytest.mark.parametrize("body", [changed({"text": "one"}, {}), deleted()])
def test_what_happens_to_a_message_is_no_new_one(body: dict[str, Any]) -> None:
    assert read_event(event_in(body), US) is None


def test_an_edit_is_the_message_as_it_reads_now_under_its_own_key() -> None:
    change = read_change(event_in(changed({"text": "<@UBOT> How long?"}, {})), US)

    assert change is not None
    assert ("edit", "1700000005.000100") == (change.kind, change.changed_at)
    assert read() == change.message


@pytest.mark.parametrize("after", [{"text": "<@UBOT> "}, {"text": ""}, {"subtype": "tombstone", "user": "USLACKBOT"}])
def test_an_edit_that_leaves_nothing_is_a_deletion(after: dict[str, Any]) -> None:
    change = read_change(event_in(changed({"text": "<@UBOT> How long?"}, {"text": "gone", **after})), US)

    assert change is not None
    assert "removal" == change.kind


def test_each_edit_that_is_looked_up_has_a_key_of_its_own() -> None:
    edits = [said(), *(said(edited={"user": "UADA", "ts": ts}) for ts in ("1.1", "1.2"))]
    keys = [message.event_key for one in edits if (message := read_found(one, "C1", US, is_shared=False))]

    assert [f"again:C1:1700000000.000100{edited}" for edited in ("", ":1.1", ":1.2")] == keys


def test_a_deletion_names_the_message_that_is_gone() -> None:
    change = read_change(event_in(deleted()), US)

    assert change is not None
    assert ("removal", read().message_key) == (change.kind, change.message.message_key)


@pytest.mark.parametrize(
    "body",
    [
        event(),
        changed({}, {"attachments": [{"title": "an unfurl"}]}),
        changed({"text": "one"}, {"user": "UBOT"}),
        changed({"text": "one"}, {"bot_id": "B2"}),
        changed({"text": "one"}, {"edited": {"user": "UBEN"}}),
        changed({"text": "one"}, {"edited": None}),
        deleted(user="UBOT"),
        deleted(subtype="bot_message", bot_id="B2", user=None),
        event(subtype="message_deleted", hidden=True),
    ],
)
def test_what_changes_no_persons_words_is_no_change(body: dict[str, Any]) -> None:
    assert read_change(event_in(body), US) is None


def test_a_modal_of_an_organizations_installation_names_the_team_in_its_view() -> None:
    me = replace(US, enterprise="E1")
    body = submission("Hm", "", app_installed_team_id="T1") | {"team": None, "enterprise": {"id": "E1"}}

    assert names_us(body, me)
    assert not names_us(body, replace(me, team=TeamId("T2")))


def gone(**deleted_by: Any) -> dict[str, Any]:
    """Return the event of a deletion of which Slack does not say what it was."""
    return event(user=None, text=None, ts="1700000005.000100", subtype="message_deleted", **deleted_by)


@pytest.mark.parametrize(
    ("body", "thread_ts", "is_outdated"),
    [
        (event("So it is."), "1700000000.000100", False),
        (event("So it is.", thread_ts="1600000000.000100"), "1600000000.000100", False),
        (event("", subtype="file_share", files=[{"name": "plan.pdf"}]), "1700000000.000100", False),
        (changed({"text": "8"}, {"text": "9"}), "1700000000.000100", True),
        (changed({"thread_ts": "1600000000.000100"}, {"text": ""}), "1600000000.000100", True),
        (changed({}, {"subtype": "tombstone", "user": "USLACKBOT", "text": "Gone."}), "1700000000.000100", True),
        (changed({"files": [{"id": "F1"}]}, {"files": []}), "1700000000.000100", True),
        (changed({"files": [{"id": "F1"}]}, {"files": [{"id": "F1", "mode": "tombstone"}]}), "1700000000.000100", True),
        (deleted(thread_ts="1600000000.000100"), "1600000000.000100", True),
        (gone(deleted_ts="1700000000.000100"), "1700000000.000100", True),
    ],
)
def test_a_thread_changes_with_what_people_write_edit_and_delete(
    body: dict[str, Any], thread_ts: str, is_outdated: bool
) -> None:
    change = read_thread_change(event_in(body), US)

    assert change is not None
    assert ("C1", thread_ts, is_outdated) == (change.channel, change.thread_ts, change.is_outdated)


@pytest.mark.parametrize(
    "body",
    [
        event(),
        event(type="app_mention"),
        event("Built.", user=None, bot_id="BCI", subtype="bot_message"),
        event("Ada joined.", subtype="channel_join"),
        event("It is 9.", user="UBOT", bot_id="BBOT"),
        changed({}, {}),
        changed({"user": "UBOT", "bot_id": "BBOT", "text": "8"}, {"user": "UBOT", "bot_id": "BBOT", "text": "9"}),
        deleted(user="UBOT", bot_id="BBOT"),
    ],
)
def test_no_thread_changes_with_anything_else(body: dict[str, Any]) -> None:
    assert read_thread_change(event_in(body), US) is None
