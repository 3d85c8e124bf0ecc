"""Links in answers, from a Slack payload to the Slack calls."""

import pytest

from bot.cli.demo import HANDBOOK_HOST
from tests.journeys.harness import Harness, text_of

GATE = "https://gate.lumenpine.example"
QUESTION = "At which address do contractors use the web gateway?"


@pytest.mark.parametrize(
    ("hosts", "address", "is_linked"),
    [
        (f"{HANDBOOK_HOST}, gate.lumenpine.example", f"[{GATE}]({GATE})", True),
        (HANDBOOK_HOST, f"`{GATE}`", True),
        ("", f"`{GATE}`", False),
    ],
)
async def test_an_answer_links_to_hosts_that_an_administrator_named_and_shows_the_others(
    harness: Harness, hosts: str, address: str, is_linked: bool
) -> None:
    async with harness.bot(link_hosts=hosts):
        root = await harness.ask(QUESTION)
        (answer,) = await harness.answers(root)

    said = text_of(answer)
    assert address in said
    assert is_linked is (f"<https://{HANDBOOK_HOST}/" in said)
