"""Shared files."""

from pathlib import Path

import pytest
from aiohttp import ClientSession
from slack_sdk.errors import SlackApiError

from playground import Playground
from tests.playground.bots import WebApi, web_api

SVG = "<svg xmlns='http://www.w3.org/2000/svg'><script>document.title = 'ran'</script></svg>"


async def test_a_shared_file_comes_with_its_message(playground: Playground) -> None:
    ts = await playground.person("U0ADA").share("C0GENERAL", "rules.md", "# Rules", text="look", mention_bot=True)

    mention, message = [delivery.payload["event"] for delivery in playground.deliveries()]
    assert ("app_mention", None) == (mention["type"], mention.get("subtype"))
    assert ("message", "file_share", ts) == (message["type"], message["subtype"], message["ts"])
    assert ("rules.md", 7) == (message["files"][0]["name"], message["files"][0]["size"])


async def test_the_bot_reads_what_is_in_a_file_and_nobody_else(playground: Playground, client: WebApi) -> None:
    await playground.person("U0ADA").share("C0GENERAL", "plan.svg", SVG)
    file = playground.messages("C0GENERAL")[0]["files"][0]
    described = (await client.files_info(file=file["id"]))["file"]

    assert (["C0GENERAL"], "image/svg+xml") == (described["channels"], described["mimetype"])
    async with ClientSession() as session:
        for url in (file["url_private"], file["url_private_download"]):
            async with session.get(url, headers={"Authorization": f"Bearer {playground.bot_token}"}) as response:
                assert SVG == await response.text()
                assert "attachment" == response.headers["Content-Disposition"]
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            async with session.get(url) as response:
                assert 403 == response.status


async def test_files_are_listed_where_the_bot_is(playground: Playground, client: WebApi) -> None:
    ada = playground.person("U0ADA")
    for number in range(3):
        await ada.share("C0GENERAL", f"{number}.txt", "text")
    await ada.share("C0RANDOM", "secret.txt", "text")
    secret = playground.messages("C0RANDOM")[0]["files"][0]["id"]

    first = await client.files_list(channel="C0GENERAL", count=2)
    second = await client.files_list(count=2, page=2)

    assert ["2.txt", "1.txt"] == [file["name"] for file in first["files"]]
    assert (["0.txt"], 3) == ([file["name"] for file in second["files"]], second["paging"]["total"])
    assert [] == (await client.files_list(user="U0BEN"))["files"]
    with pytest.raises(SlackApiError, match="file_not_found"):
        await client.files_info(file=secret)


async def test_files_outlive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "slack.json"
    async with Playground.open(state_file=path) as before:
        await before.person("U0ADA").share("D0ADA", "notes.txt", "kept")
        file = before.messages("D0ADA")[0]["files"][0]["id"]

    async with Playground.open(state_file=path) as after:
        client = web_api(after)
        url = (await client.files_info(file=file))["file"]["url_private"]
        async with ClientSession(headers={"Authorization": f"Bearer {after.bot_token}"}) as session:
            assert "kept" == await (await session.get(url)).text()
