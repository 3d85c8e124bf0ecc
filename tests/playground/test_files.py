"""Shared files."""

from pathlib import Path

from aiohttp import ClientSession
from yarl import URL

from playground import Playground

SVG = "<svg xmlns='http://www.w3.org/2000/svg'><script>document.title = 'ran'</script></svg>"


async def test_a_shared_file_comes_with_its_message(playground: Playground) -> None:
    ts = await playground.person("U0ADA").share("C0GENERAL", "rules.md", "# Rules", text="look", mention_bot=True)

    mention, message = [delivery.payload["event"] for delivery in playground.deliveries()]
    assert ("app_mention", None) == (mention["type"], mention.get("subtype"))
    assert ("message", "file_share", ts) == (message["type"], message["subtype"], message["ts"])
    assert ("rules.md", 7) == (message["files"][0]["name"], message["files"][0]["size"])


async def test_the_bot_reads_what_is_in_a_file_and_nobody_else(playground: Playground) -> None:
    await playground.person("U0ADA").share("C0GENERAL", "plan.svg", SVG)
    file = playground.messages("C0GENERAL")[0]["files"][0]

    assert "image/svg+xml" == file["mimetype"]
    async with ClientSession() as session:
        for url in (file["url_private"], file["url_private_download"]):
            async with session.get(url, headers={"Authorization": f"Bearer {playground.bot_token}"}) as response:
                assert SVG == await response.text()
                assert "attachment" == response.headers["Content-Disposition"]
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            async with session.get(url) as response:
                assert 403 == response.status


async def test_files_outlive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "slack.json"
    async with Playground.open(state_file=path) as before:
        await before.person("U0ADA").share("D0ADA", "notes.txt", "kept")

    async with Playground.open(state_file=path) as after:
        kept = URL(after.messages("D0ADA")[0]["files"][0]["url_private"])
        async with ClientSession(after.url, headers={"Authorization": f"Bearer {after.bot_token}"}) as session:
            assert "kept" == await (await session.get(kept.path)).text()
