"""Tools of real MCP servers: only allowed ones are used, and a server costs at most its own results."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.cli.tools import rows_of
from bot.errors import SettingsError
from bot.settings import Settings
from bot.tools.mcp.allowed import AllowedServer, allowed_servers
from bot.tools.mcp.arguments import described, typed
from bot.tools.mcp.connected import ConnectedServers, connected
from bot.tools.mcp.server import START_SECONDS, ConnectedServer
from bot.tools.toolbox import Toolbox
from graph.tools import LONGEST_RESULT, ToolCall, ToolError, UnansweredError
from tests.support.fork_server import ADDRESS, arguments_of
from tests.support.serving import answering

READS = ["search_issues", "flood", "orders", "hang", "crash"]
ROOT = Path(__file__).parents[2]
SERVER = arguments_of("tests.tools.mcp_server")
FLOOD = 30_000_000
"""Bytes of a long answer, more than what fits between the server and its client."""
PATIENCE_SECONDS = 120.0
"""Timeout of waits that take a second; only a failing test waits so long."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers start as slowly as on a busy machine."""
    monkeypatch.setattr("bot.tools.mcp.server.START_SECONDS", PATIENCE_SECONDS)


def tracker(calls: Path, **allowed: Any) -> AllowedServer:
    """Return a server of our own that notes its calls in a file. The fork server has loaded the SDK for it."""
    env = {ADDRESS: os.environ[ADDRESS]}
    known: dict[str, Any] = {"args": [*SERVER, str(calls)], "reads": READS, "env": env, "seconds": 20}
    return AllowedServer(title="Tracker", command=sys.executable, **{**known, **allowed})


@asynccontextmanager
async def running(**servers: AllowedServer) -> AsyncGenerator[ConnectedServers]:
    """Connect to servers, and wait until each was tried."""
    async with connected(servers) as open_servers:
        async with asyncio.timeout(PATIENCE_SECONDS):
            for server in open_servers.servers.values():
                await server.wait_until_tried()
        yield open_servers


def toolbox(servers: ConnectedServers) -> Toolbox:
    """Return the tools of the servers."""
    return Toolbox({}, servers)


def call(tool: str, **arguments: str) -> ToolCall:
    """Return a call as a model plans it."""
    return ToolCall(tool=tool, arguments=arguments)


def noted(calls: Path, what: str) -> list[str]:
    """Return the calls that arrived."""
    return [line for line in calls.read_text().splitlines() if line.startswith(what)]


def doubling(reference: str) -> dict[str, Any]:
    """Return definitions of which each refers twice to the next."""
    following = [{"anyOf": [{reference: f"#/$defs/a{number + 1}"}] * 2} for number in range(60)]
    return {f"a{number}": one for number, one in enumerate([*following, {"type": "integer"}])}


async def until(holds: Callable[[], bool]) -> None:
    """Wait for a condition."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():  # noqa: ASYNC110 - another process makes it so
            await asyncio.sleep(0.05)


def is_alive(process: int) -> bool:
    """Tell whether a process runs; one that nobody has waited for does not."""
    with suppress(FileNotFoundError):
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    return False


def started(*arguments: str, pass_fds: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    """Start a process of Python's, which may use open files of ours."""
    silent = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, stdout=silent, stderr=silent, pass_fds=pass_fds)


async def test_a_result_is_a_source_with_the_name_of_its_server_and_the_arguments(tmp_path: Path) -> None:
    async with running(tracker=tracker(tmp_path / "calls")) as servers:
        (result,) = await toolbox(servers).use(call("tracker.search_issues", query="printer", limit="2"))

    assert "Tracker: search_issues(query: printer, limit: 2)" == result["title"]
    assert "(2 at most)" in result["text"]
    assert ["search_issues printer 2"] == noted(tmp_path / "calls", "search")


async def test_only_allowed_tools_are_offered_and_called_and_one_that_writes_is_neither(tmp_path: Path) -> None:
    allowed = tracker(tmp_path / "calls", reads=["search_issues"], writes=["create_issue"])
    async with running(tracker=allowed) as servers:
        tools = toolbox(servers)
        assert ["tracker.search_issues"] == [offer["name"] for offer in await tools.offers()]
        for tool in ("tracker.create_issue", "tracker.orders"):
            with pytest.raises(ToolError):
                await tools.use(call(tool, title="x", query="x"))

    assert ["started", "listed"] == [line.split()[0] for line in (tmp_path / "calls").read_text().splitlines()]


async def test_a_tool_that_is_said_to_write_is_not_used_for_reading(tmp_path: Path) -> None:
    allowed = tracker(tmp_path / "calls", reads=["close_issue", "search_issues"], writes=["create_issue"])
    async with running(tracker=allowed) as servers:
        (server,) = servers.servers.values()

        assert ["tracker.search_issues"] == [offer["name"] for offer in servers.offers(may_write=False)]
        assert "It changes something" in rows_of(server)[0][2]


async def test_only_an_approved_call_reaches_a_tool_that_writes(tmp_path: Path) -> None:
    allowed = tracker(tmp_path / "calls", writes=["create_issue", "create_and_fail", "hang"], reads=[])
    async with running(tracker=allowed) as servers:
        hurried = {"tracker.hang": replace(servers.tools(may_write=True)["tracker.hang"], seconds=0.5)}
        tools = Toolbox(hurried, servers, may_write=True)
        with pytest.raises(ToolError):
            await tools.use(call("tracker.create_issue", title="x"))
        assert [] == noted(tmp_path / "calls", "create")
        assert tools.takes(call("tracker.create_issue", title="x"))
        assert not tools.takes(call("tracker.create_issue", title="x", urgent="perhaps"))
        assert not tools.takes(call("tracker.search_issues", query="x"))

        written = await tools.write(call("tracker.create_issue", title="x"))
        with pytest.raises(ToolError) as refused:
            await tools.write(call("tracker.create_and_fail", title="x"))
        with pytest.raises(UnansweredError):
            await tools.write(call("tracker.hang", query="x"))

    assert {"title": "Tracker: create_issue", "text": "Created TR-13."} == written
    assert not isinstance(refused.value, UnansweredError)


@pytest.mark.parametrize(
    "arguments", [{}, {"query": "x", "limit": "many"}, {"query": "x", "secret": "y"}, {"query": "x" * 2001}]
)
async def test_arguments_that_do_not_fit_never_reach_the_server(tmp_path: Path, arguments: dict[str, str]) -> None:
    async with running(tracker=tracker(tmp_path / "calls")) as servers:
        with pytest.raises(ToolError):
            await toolbox(servers).use(call("tracker.search_issues", **arguments))

    assert [] == noted(tmp_path / "calls", "search")


def test_a_schema_cannot_make_us_fetch_another() -> None:
    schema = {"type": "object", "properties": {"it": {"$ref": "http://127.0.0.1:9/schema.json"}}}

    with pytest.raises(ToolError):
        typed({"it": "1"}, schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": ["a"]},
        {"properties": {"a": {}}, "required": 3},
        {"properties": {"a": {"type": 5}}},
        {"properties": {"a": {"enum": 5}}},
        {"properties": {"a": {"anyOf": ["string"]}}},
        {"properties": {"a": {}}, "patternProperties": {"(a+)+$": {}}},
        {"properties": {f"a{number}": {} for number in range(5_000)}},
    ],
)
def test_a_schema_of_another_shape_is_known_before_anybody_asks(schema: dict[str, Any]) -> None:
    with pytest.raises(ToolError):
        described(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {}}, "$ref": "#"},
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"properties": {"a": {"$ref": "#/$defs/a0"}}, "$defs": doubling("$ref")},
        {"properties": {"a": {"$ref": "#/$defs/a0"}}, "$defs": doubling("$dynamicRef")},
        {"properties": {"a": {"type": "string", "pattern": "(("}}},
        {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}},
        {"properties": {"a": {"type": "integer", "multipleOf": 0}}},
        {"$id": "http://[", "properties": {"a": {"$ref": "b"}}},
    ],
)
def test_a_schema_that_nobody_can_check_costs_its_own_tool_and_no_time(schema: dict[str, Any]) -> None:
    given = "1" if "multipleOf" in str(schema) else "a" * 40 + "!"
    with pytest.raises(ToolError):
        typed({"a": given}, schema)


async def test_tools_of_every_page_are_found(tmp_path: Path) -> None:
    async with running(tracker=tracker(tmp_path / "calls", reads=["crash", "search_issues"])) as servers:
        offers = await toolbox(servers).offers()

    assert ["tracker.crash", "tracker.search_issues"] == [offer["name"] for offer in offers]


async def test_a_tool_with_an_odd_schema_costs_no_other_tool(tmp_path: Path) -> None:
    async with running(tracker=tracker(tmp_path / "calls", reads=["odd", "search_issues"])) as servers:
        offers = await toolbox(servers).offers()
        rows = rows_of(servers.servers["tracker"])

    assert ["tracker.search_issues"] == [offer["name"] for offer in offers]
    assert "in a form that I cannot check" in rows[0][2]


async def test_a_long_result_is_cut(tmp_path: Path) -> None:
    async with running(tracker=tracker(tmp_path / "calls")) as servers:
        (result,) = await toolbox(servers).use(call("tracker.flood", query="x", words="50000"))

    assert LONGEST_RESULT == len(result["text"])


async def test_ten_megabytes_cost_only_their_own_result(tmp_path: Path) -> None:
    """The SDK alone reads them for longer than a call may take, and the bot answers nobody meanwhile."""
    allowed = tracker(tmp_path / "calls")
    async with running(tracker=allowed) as servers:
        before = time.process_time()
        with pytest.raises(ToolError):
            await toolbox(servers).use(call("tracker.flood", query="x"))
        assert time.process_time() - before < 4
        await until(lambda: len(noted(tmp_path / "calls", "started")) > 1)
        await until(lambda: not servers.servers["tracker"].fault)
        assert (await toolbox(servers).use(call("tracker.search_issues", query="x")))[0]["text"]


async def test_a_result_comes_without_credentials_and_without_what_nobody_sees(tmp_path: Path) -> None:
    async with running(tracker=tracker(tmp_path / "calls")) as servers:
        (result,) = await toolbox(servers).use(call("tracker.orders", query="x"))

    assert "The printer is on floor 2." in result["text"]
    assert "Ab1Cd2" not in result["text"]
    assert "\u202e" not in result["text"]


async def test_a_server_that_hangs_costs_its_own_result_and_is_started_again(tmp_path: Path) -> None:
    calls, others = tmp_path / "calls", tmp_path / "others"
    async with running(one=tracker(calls, seconds=0.5), two=tracker(others)) as servers:
        tools = toolbox(servers)
        for _ in range(2):
            hung, found = await asyncio.gather(
                tools.use(call("one.hang", query="x")),
                tools.use(call("two.search_issues", query="x")),
                return_exceptions=True,
            )
            assert isinstance(hung, ToolError)
            assert isinstance(found, list)
        await until(lambda: len(noted(calls, "started")) > 1)


async def test_a_server_that_crashes_is_started_again(tmp_path: Path) -> None:
    async with running(tracker=tracker(tmp_path / "calls")) as servers:
        with pytest.raises(ToolError):
            await toolbox(servers).use(call("tracker.crash", query="x"))
        await until(lambda: len(noted(tmp_path / "calls", "started")) > 1)
        await until(lambda: not servers.servers["tracker"].fault)
        assert (await toolbox(servers).use(call("tracker.search_issues", query="x")))[0]["text"]


async def test_a_server_that_never_starts_offers_nothing_and_says_why() -> None:
    absent = AllowedServer(command="there-is-no-such-command", reads=["search"])
    async with running(absent=absent) as servers:
        assert [] == servers.offers(may_write=True)
        assert "It failed" in servers.servers["absent"].fault


async def test_what_is_asked_right_after_the_start_waits_for_a_server_that_is_still_starting(tmp_path: Path) -> None:
    let_go = tmp_path / "go"
    slow = tracker(tmp_path / "calls", args=waiting_for(let_go, tmp_path / "calls"))
    async with connected({"tracker": slow}) as servers:
        servers.until = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        asking = asyncio.create_task(toolbox(servers).offers())
        using = asyncio.create_task(toolbox(servers).use(call("tracker.search_issues", query="printer")))
        let_go.touch()

        assert "tracker.search_issues" in [offer["name"] for offer in await asking]
        assert "TR-12" in (await using)[0]["text"]


async def test_a_server_that_hangs_at_its_start_delays_nobody_after_the_grace(tmp_path: Path) -> None:
    hanging = tracker(tmp_path / "calls", args=waiting_for(tmp_path / "never", tmp_path / "calls"))
    async with connected({"tracker": hanging}) as servers:
        servers.until = asyncio.get_running_loop().time()
        async with asyncio.timeout(START_SECONDS / 2):
            assert [] == await toolbox(servers).offers()
            with pytest.raises(ToolError):
                await toolbox(servers).use(call("tracker.search_issues", query="x"))


def waiting_for(let_go: Path, calls: Path) -> list[str]:
    """Return the arguments of a server that starts when a file is there."""
    server = [sys.executable, *SERVER, str(calls)]
    code = f"""
import os, pathlib, time
while not pathlib.Path({str(let_go)!r}).exists():
    time.sleep(0.02)
os.execv({sys.executable!r}, {server!r})
"""
    return ["-c", code]


async def test_its_process_ends_with_the_bot(tmp_path: Path) -> None:
    arguments, env = ["-m", "tests.tools.mcp_server", str(tmp_path / "calls")], {"PYTHONPATH": str(ROOT)}
    async with running(tracker=tracker(tmp_path / "calls", args=arguments, env=env)):
        process = int(noted(tmp_path / "calls", "started")[0].split()[1])
        assert is_alive(process)

    assert not is_alive(process)


async def test_a_server_that_hangs_is_killed_with_the_bot(tmp_path: Path) -> None:
    """It does not read its input, so only the kernel can end it."""
    calls = tmp_path / "calls"
    code = (
        f"open({str(calls)!r}, 'w').write(f'started {{__import__(\"os\").getpid()}}\\n'); import time; time.sleep(600)"
    )
    watchdog = f"[sys.executable, '-m', 'bot.tools.mcp.watchdog', str(os.getpid()), sys.executable, '-c', {code!r}]"
    bot = started("-c", f"import os, subprocess, sys, time; subprocess.Popen({watchdog}); time.sleep(600)")
    try:
        await until(lambda: calls.exists() and bool(noted(calls, "started")))
        process = int(noted(calls, "started")[0].split()[1])
    finally:
        bot.send_signal(signal.SIGKILL)
        bot.wait()
    await until(lambda: not is_alive(process))


async def test_a_server_is_called_over_http(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port, number = listening.getsockname()[1], listening.fileno()
        process = started(
            "-m", "tests.tools.mcp_server", str(tmp_path / "calls"), "http", str(number), pass_fds=(number,)
        )
    try:
        allowed = AllowedServer(url=f"http://127.0.0.1:{port}/mcp", reads=READS, seconds=20)
        server = ConnectedServer("web", allowed, pause_seconds=0.1)
        async with server.open():
            await until(lambda: not server.fault)
            tools = toolbox(ConnectedServers({"web": server}))
            assert "TR-12" in (await tools.use(call("web.search_issues", query="x")))[0]["text"]
            long = await tools.use(call("web.flood", query="x", words="50000"))
            assert LONGEST_RESULT == len(long[0]["text"])
            with pytest.raises(ToolError):
                await tools.use(call("web.flood", query="x"))
            assert "TR-12" in (await tools.use(call("web.search_issues", query="x")))[0]["text"]
    finally:
        # It would wait for the streams that this event loop has not closed yet.
        process.kill()
        process.wait(60)


@dataclass
class Flooding:
    """A server that answers in plain JSON, to each call with a long text; it counts what it could send."""

    is_compressed: bool = False
    sent: int = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        asked: dict[str, Any] = await request.json() if request.can_read_body else {}
        listed = {"name": "search_issues", "inputSchema": {"type": "object", "properties": {"query": {}}}}
        results: dict[str, dict[str, Any]] = {
            "initialize": {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "flooding", "version": "1"},
            },
            "tools/list": {"tools": [listed]},
        }
        if asked.get("method") in results:
            return web.json_response({"jsonrpc": "2.0", "id": asked["id"], "result": results[asked["method"]]})
        if asked.get("method") != "tools/call":
            return web.Response(status=202 if "id" not in asked else 405)
        return await self._flood(request, asked["id"])

    async def _flood(self, request: web.Request, number: int) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        if self.is_compressed:
            response.enable_compression(web.ContentCoding.gzip)
        await response.prepare(request)
        begins = f'{{"jsonrpc": "2.0", "id": {number}, "result": {{"content": [{{"type": "text", "text": "'
        await response.write(begins.encode())
        while self.sent < FLOOD:
            await response.write(b"printer " * 10_000)
            self.sent += 80_000
        await response.write(b'"}]}}')
        return response


@pytest.mark.parametrize("is_compressed", [False, True])
async def test_a_plain_answer_over_http_is_read_only_up_to_the_limit(is_compressed: bool) -> None:
    flooding = Flooding(is_compressed)
    async with answering(flooding.answer) as url:
        server = ConnectedServer("web", AllowedServer(url=f"{url}/mcp", reads=["search_issues"], seconds=60))
        async with server.open():
            await until(lambda: not server.fault)
            tools = toolbox(ConnectedServers({"web": server}))
            for _ in range(2):  # The connection stays.
                flooding.sent = 0
                with pytest.raises(ToolError):
                    await tools.use(call("web.search_issues", query="x"))
            assert "" == server.fault

    assert is_compressed or flooding.sent < FLOOD, "The client hung up."


def read(tmp_path: Path, text: str, **secrets: str) -> dict[str, AllowedServer]:
    """Read an operator's file."""
    path = tmp_path / "servers.yaml"
    path.write_text(text)
    return allowed_servers(Settings(mcp_servers=path, source_secrets=secrets))  # pyright: ignore[reportArgumentType]


def test_the_file_names_secrets_and_nothing_else_of_the_environment(tmp_path: Path) -> None:
    text = '{"mcpServers": {"one": {"command": "x", "env": {"TOKEN": "${A_TOKEN}"}, "reads": ["get"]}}}'

    assert {"TOKEN": "12"} == read(tmp_path, text, A_TOKEN="12")["one"].env
    with pytest.raises(SettingsError, match="needs the secret A_TOKEN"):
        read(tmp_path, text)


def test_a_password_in_the_file_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as raised:
        read(tmp_path, "mcpServers: {one: {command: x, env: {TOKEN: 'pa$sw0rd'}}}")

    assert "sw0rd" not in str(raised.value)


@pytest.mark.parametrize(
    "server",
    [
        "{}",
        "{command: x, url: https://example.org}",
        "{url: http://example.org/mcp}",
        "{url: file:///etc/passwd}",
        "{command: x, reads: [a], writes: [a]}",
        "{command: x, read: [a]}",
        "{command: x, reads: ['a b']}",
        f"{{command: x, reads: [{', '.join(f'a{number}' for number in range(31))}]}}",
        "{command: x, args: [2026-13-45]}",
        "[" * 5_000,
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, server: str) -> None:
    with pytest.raises(SettingsError, match="ASKBACK_MCP_SERVERS"):
        read(tmp_path, f"mcpServers: {{one: {server}}}")


@pytest.mark.parametrize("text", ["", "[]", "mcpServers: []", "mcpServers: {tracker: 3}"])
def test_the_way_to_write_a_wrong_file_is_an_example(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="it is not written as it must be: write ") as raised:
        read(tmp_path, text)

    *_, place, example = str(raised.value).splitlines()[-1].replace(": it is not", "\n").split("\n")
    example = example.partition("write ")[2].removesuffix(".")
    whole = {"file": "{}", "mcpServers": "mcpServers: {}", "mcpServers.tracker": "mcpServers: {{tracker: {}}}"}
    assert ["search_issues"] == read(tmp_path, whole[place].format(example))["tracker"].reads
