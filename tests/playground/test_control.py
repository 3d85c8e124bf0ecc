"""The playground from another process, and its access control."""

import pytest
from aiohttp import ClientSession, CookieJar
from yarl import URL

from playground import Playground, RemotePlayground, SlackError
from tests.playground.bots import WebApi


async def test_another_process_acts_and_looks(playground: Playground, client: WebApi) -> None:
    async with RemotePlayground.open(playground.url, playground.control_token) as remote:
        root = await remote.person("U0ADA").post("C0GENERAL", "hello", mention_bot=True)
        blocks = [{"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Oslo"}}]}]
        card = await client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="Where?", blocks=blocks)
        delivery = await remote.person("U0ADA").click("C0GENERAL", card["ts"], label="Oslo")

        assert ["<@U0ASKBACK> hello", "Where?"] == [one["text"] for one in await remote.thread("C0GENERAL", root)]
        assert "block_actions" == delivery["about"]
        assert ["chat.postMessage"] == [call["method"] for call in await remote.calls()]
        assert 1 == len(await remote.deliveries("app_mention"))
        with pytest.raises(SlackError, match="channel_not_found"):
            await remote.person("U0ADA").post("C0NOWHERE", "hello")


async def test_another_process_waits_for_a_condition(playground: Playground, client: WebApi) -> None:
    async with RemotePlayground.open(playground.url, playground.control_token) as remote:
        await remote.fault("fail", method="chat.postMessage", error="fatal_error")
        await client.api_call("auth.test")

        async def called() -> bool:
            return bool(await remote.calls("auth.test"))

        assert await remote.until(called)
        await remote.advance(60)
        assert 1 == len(playground.calls())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer guess"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
    ],
)
async def test_strangers_are_kept_out(playground: Playground, headers: dict[str, str], status: int) -> None:
    async with ClientSession(headers=headers) as session, session.get(f"{playground.url}control/state") as response:
        assert status == response.status


async def test_a_page_elsewhere_cannot_call_slack(playground: Playground) -> None:
    headers = {"Origin": "http://evil.example", "Authorization": f"Bearer {playground.bot_token}"}
    async with ClientSession(headers=headers) as session, session.post(f"{playground.api_url}auth.test") as response:
        assert 403 == response.status


@pytest.mark.parametrize(
    "path", ["", "?key=", "?key=guess", "archives/C0GENERAL/p1", "archives/C0GENERAL/p1?key=guess"]
)
async def test_the_page_is_for_those_who_have_the_key(playground: Playground, path: str) -> None:
    async with ClientSession() as session, session.get(playground.url + path) as response:
        assert 401 == response.status
        assert "Set-Cookie" not in response.headers
        assert playground.control_token not in await response.text()


async def test_the_key_goes_into_a_cookie_and_out_of_the_address(playground: Playground) -> None:
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as session:
        async with session.get(playground.page_url) as response:
            assert (200, playground.url) == (response.status, str(response.url))
        async with session.get(f"{playground.url}archives/C0GENERAL/p1") as response:
            assert 200 == response.status


async def test_the_page_may_load_only_its_own(playground: Playground) -> None:
    async with ClientSession() as session, session.get(playground.page_url, allow_redirects=False) as response:
        policy = response.headers["Content-Security-Policy"]
        cookie = response.headers["Set-Cookie"]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


async def test_what_is_done_over_http_can_only_be_what_a_person_does(playground: Playground) -> None:
    headers = {"Authorization": f"Bearer {playground.control_token}"}
    url = f"{playground.url}control/people/U0ADA/__init__"
    async with ClientSession(headers=headers) as session, session.post(url, json={}) as response:
        assert 404 == response.status


@pytest.mark.parametrize(
    ("named", "status", "held"),
    [
        ("products/pine-router/warranty", 200, "The warranty lasts five years"),
        ("products/pine-router/none", 404, "no such document"),
        ("..%2F..%2Fpyproject", 404, "no such document"),
    ],
)
async def test_only_documents_of_the_handbook_are_shown(
    playground: Playground, named: str, status: int, held: str
) -> None:
    address = URL(f"{playground.url}handbook/{named}", encoded=True)
    async with ClientSession() as session, session.get(address) as response:
        assert status == response.status
        assert held in await response.text()
