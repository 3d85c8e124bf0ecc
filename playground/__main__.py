"""`python -m playground`: a local Slack for a bot that you start yourself."""

import argparse
import asyncio
import contextlib
from pathlib import Path

from playground.errors import StateInUseError, StateUnreadableError
from playground.playground import Playground
from playground.state.workspace import Workspace


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="playground", description="A local Slack.")
    parser.add_argument("--port", type=int, default=8765, help="the page's port; another one if it is taken")
    parser.add_argument("--state", type=Path, help="a file that keeps the workspace between runs")
    parser.add_argument("--workspace", type=Path, help="people and channels, in a file like sample.json")
    parser.add_argument("--limits", choices=("off", "slack"), default="off", help="whether Slack's rate limits apply")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        try:
            asyncio.run(_serve(options))
        except (StateInUseError, StateUnreadableError) as error:
            parser.exit(1, f"{error}\n")


async def _serve(options: argparse.Namespace) -> None:
    workspace = Workspace.read(options.workspace) if options.workspace else Workspace.sample_of_its_own()
    chosen = {"state_file": options.state, "limits": options.limits}
    async with Playground.open(workspace, port=options.port, **chosen) as playground:
        if options.port not in (0, playground.port):
            _say(f"Port {options.port} is taken; here is another.")
        _say(f"The playground is at {playground.page_url}")
        _say(f"SLACK_BOT_TOKEN={playground.bot_token}")
        _say(f"SLACK_APP_TOKEN={playground.app_token}")
        _say(f"Web API: {playground.api_url}   control token: {playground.control_token}")
        await asyncio.Event().wait()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 -- It is what the command is for.


if __name__ == "__main__":
    main()
