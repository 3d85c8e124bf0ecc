"""Saving a playground between runs."""

import asyncio
import json
from pathlib import Path

import pytest

from playground import Playground, StateInUseError, StateUnreadableError, Workspace
from tests.playground.bots import web_api


async def test_threads_and_tokens_outlive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "slack.json"
    async with Playground.open(state_file=path) as before:
        root = await before.person("U0ADA").post("C0GENERAL", "question")
        client = web_api(before)
        answer = (await client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="answer"))["ts"]
        await client.chat_startStream(
            channel="C0GENERAL",
            thread_ts=root,
            markdown_text="half",
            recipient_user_id="U0ADA",
            recipient_team_id=before.team_id,
        )
        tokens = (before.bot_token, before.app_token, before.control_token)

    async with Playground.open(state_file=path) as after:
        later = await after.person("U0ADA").post("C0GENERAL", "and?", thread_ts=root)

        assert tokens == (after.bot_token, after.app_token, after.control_token)
        assert ["question", "answer", "half", "and?"] == [one["text"] for one in after.thread("C0GENERAL", root)]
        assert "errored" == after.thread("C0GENERAL", root)[2]["streaming_state"]
        assert root < answer < later


async def test_a_change_is_saved_soon_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "slack.json"
    async with Playground.open(state_file=path) as playground:
        await playground.person("U0ADA").post("C0GENERAL", "kept")
        await playground.until(lambda: path.exists() and "kept" in path.read_text())

        assert 0o600 == path.stat().st_mode & 0o777


async def test_what_is_posted_is_kept_at_once_for_the_process_may_be_killed(tmp_path: Path) -> None:
    path = tmp_path / "slack.json"
    async with Playground.open(state_file=path) as playground:
        await playground.person("U0ADA").post("C0GENERAL", "kept")
        for _turn_of_the_loop in range(5):
            await asyncio.sleep(0)

        assert "kept" in path.read_text()


async def test_a_second_playground_on_one_file_is_refused_with_where_the_first_is(tmp_path: Path) -> None:
    path = tmp_path / "slack.json"
    async with Playground.open(state_file=path) as first:
        with pytest.raises(StateInUseError, match=first.url):
            async with Playground.open(state_file=path):
                pass
        await first.person("U0ADA").post("C0GENERAL", "kept")
    async with Playground.open(state_file=path) as later:
        assert ["kept"] == [one["text"] for one in later.messages("C0GENERAL")]


@pytest.mark.parametrize("content", ["{", "{}", '{"workspace": {"members": [{"id": "U1", "age": 7}]}, "tokens": {}}'])
async def test_a_file_that_holds_something_else_is_refused_and_kept(tmp_path: Path, content: str) -> None:
    path = tmp_path / "slack.json"
    path.write_text(content)

    with pytest.raises(StateUnreadableError, match="Move it away"):
        async with Playground.open(state_file=path):
            pass

    assert content == path.read_text()


async def test_people_and_places_come_from_a_small_file(tmp_path: Path) -> None:
    path = tmp_path / "workspace.json"
    people = [
        {"id": "U1", "name": "mia", "real_name": "Mia Sol", "is_guest": True},
        {"id": "UBOT", "name": "bot", "real_name": "Bot", "is_bot": True},
    ]
    channels = [
        {"id": "C1", "name": "secret", "kind": "private", "members": ["U1", "UBOT"]},
        {"id": "C2", "name": "closed", "kind": "private", "members": ["U1"]},
    ]
    team = {"team_id": "T1", "team_name": "Sol", "domain": "sol", "app_id": "A1", "bot_user_id": "UBOT", "bot_id": "B1"}
    path.write_text(json.dumps({**team, "members": people, "channels": channels}))

    async with Playground.open(Workspace.read(path)) as playground:
        client = web_api(playground)
        seen = await client.conversations_list(types="public_channel,private_channel")
        await playground.person("U1").post("C1", "hello")

        assert ["secret"] == [one["name"] for one in seen["channels"]]
        assert (await client.users_info(user="U1"))["user"]["is_restricted"]
        assert "group" == playground.deliveries()[0].payload["event"]["channel_type"]
