"""Attacks on the page: from another page, from another machine, or by content."""

from typing import Any

import pytest
from aiohttp import ClientSession
from playwright.async_api import expect

from playground import Playground
from tests.playground.bots import WebApi
from tests.playground.browsing import Browsing

HOSTILE = {
    "mrkdwn": [
        "<javascript:window.ran=1|click>",
        "<javascript://x/%0awindow.ran=1|click>",
        '<https://good.example/"onmouseover="window.ran=1|link>',
        "<data:text/html,<script>window.ran=1</script>|click>",
        "<!channel|<b onclick=window.ran=1>>",
    ],
    "Markdown": [
        "[click](javascript:window.ran=1)",
        "[click](JaVaScRiPt:window.ran=1)",
        "[click](<javascript:window.ran=1>)",
        "![x](https://elsewhere.example/pixel.png)",
        "![x](data:image/svg+xml,<svg/onload=window.ran=1>)",
        "| a |\n| - |\n| <img src=x onerror=window.ran=1> |",
    ],
    "HTML": [
        "<script>window.ran = 1</script>",
        "<img src=x onerror='window.ran = 1'>",
        '<iframe src="https://elsewhere.example/"></iframe>',
        "<style>@import url(https://elsewhere.example/x.css)</style>",
        "</div></article><script>window.ran = 1</script>",
    ],
    "SVG": [
        "<svg onload='window.ran = 1'></svg>",
        "<svg><script>window.ran = 1</script></svg>",
        "<svg><a xlink:href='javascript:window.ran=1'><text>x</text></a></svg>",
    ],
    "addresses": [
        "javascript:window.ran=1",
        "data:text/html,<script>window.ran=1</script>",
        "file:///etc/passwd",
        "blob:https://elsewhere.example/1",
        "vbscript:window.ran=1",
    ],
}
RUNNABLE = ":is(script, img, iframe, style, object, embed, foreignObject, [onload], [onerror], [onclick])"


def blocks_with(text: str) -> list[dict[str, Any]]:
    """Return every kind of block that shows a text or an address, with this one in it."""
    plain, marked = {"type": "plain_text", "text": text[:75]}, {"type": "mrkdwn", "text": text}
    button = {"type": "button", "action_id": "go", "text": plain, "url": text, "value": text}
    link = {"type": "rich_text_section", "elements": [{"type": "link", "url": text, "text": text}]}
    return [
        {"type": "header", "text": plain},
        {"type": "section", "text": marked, "fields": [plain, marked]},
        {"type": "context", "elements": [marked]},
        {"type": "image", "image_url": text, "alt_text": text},
        {"type": "actions", "elements": [button]},
        {"type": "rich_text", "elements": [link]},
        {"type": "markdown", "text": text},
    ]


@pytest.mark.parametrize("kind", HOSTILE)
async def test_nothing_that_is_written_is_run(browsing: Browsing, client: WebApi, kind: str) -> None:
    page, playground = await browsing.open(), browsing.playground
    ben = playground.person("U0BEN")
    root = ""
    for text in HOSTILE[kind]:
        root = await ben.post("C0GENERAL", text)
        await ben.share("C0GENERAL", text.replace("/", "_"), text)
        await client.chat_postMessage(channel="C0GENERAL", text=text)
        await client.chat_postMessage(channel="C0GENERAL", text=text, blocks=blocks_with(text))
        await stream(client, playground, root, text)
    await expect(page.locator("article")).to_have_count(4 * len(HOSTILE[kind]))
    await page.goto(f"{playground.url}#U0ADA/C0GENERAL/{root}")
    await expect(page.locator("#thread article")).to_have_count(2)

    for link in await page.locator("article a").all():
        assert (await link.get_attribute("href") or "").startswith("https://")
    assert 0 == await page.locator(f"article {RUNNABLE}").count()
    assert await page.evaluate("window.ran") is None


async def stream(client: WebApi, playground: Playground, root: str, text: str) -> None:
    recipient = {"recipient_user_id": "U0BEN", "recipient_team_id": playground.team_id}
    source = {"type": "url", "url": text, "text": text}
    chunk = {"type": "task_update", "id": "1", "title": text, "details": text, "output": text, "sources": [source]}
    started = await client.chat_startStream(channel="C0GENERAL", thread_ts=root, chunks=[chunk], **recipient)
    place = {"channel": "C0GENERAL", "ts": started["ts"]}
    await client.chat_stopStream(**place, markdown_text=text)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", ""])
async def test_a_name_that_is_not_this_machine_is_refused(playground: Playground, host: str) -> None:
    for path in ("", "control/state", "api/auth.test", "link/", "page/app.js", "response/x", "files/T0-F0/x"):
        assert 403 == await status(playground.url + path, {"Host": host})


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://{host}", "file://"])
async def test_a_page_elsewhere_is_refused(playground: Playground, origin: str) -> None:
    host = playground.url.removeprefix("http://").rstrip("/")
    headers = {"Origin": origin.format(host=host), "Authorization": f"Bearer {playground.control_token}"}
    for path in ("", "control/state", "control/changes", "api/auth.test", "link/"):
        assert 403 == await status(playground.url + path, headers)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.com"])
async def test_it_is_served_to_this_machine_only(host: str) -> None:
    with pytest.raises(ValueError, match="loopback"):
        async with Playground.open(host=host):
            pass


async def test_secrets_are_made_up_each_time_unless_they_are_given() -> None:
    async with Playground.open() as one, Playground.open(tokens={"bot": "xoxb-given"}) as other:
        assert "xoxb-given" == other.bot_token
        assert 4 == len({one.app_token, other.app_token, one.control_token, other.control_token})
        assert 32 <= len(one.control_token)
        assert 401 == await status(other.url + "control/state", {"Authorization": f"Bearer {one.control_token}"})


async def test_a_socket_opens_by_its_ticket_and_once(playground: Playground, client: WebApi) -> None:
    url = (await client.apps_connections_open(app_token=playground.app_token))["url"].replace("ws://", "http://")
    async with ClientSession() as session:
        async with session.ws_connect(url) as socket:
            assert "hello" == (await socket.receive_json())["type"]
        async with session.get(url) as again:
            assert 403 == again.status


async def status(url: str, headers: dict[str, str]) -> int:
    async with ClientSession() as session, session.get(url, headers=headers) as response:
        return response.status
