"""Questions about pasted code, from a Slack payload to the Slack calls."""

from pathlib import Path

from tests.journeys.conversations.test_asking import harness_with_knowledge
from tests.journeys.harness import text_of

DOCUMENTS = {
    "terminals.md": (
        "# Booking terminals\n\nEvery terminal reads one file at start.\n\n"
        "```yaml\nterminal:\n  offline_limit_hours: 6\n  sync_every_seconds: 45\n```\n\n"
        "## Codes\n\n* E12: printer drawer open\n* E44: ticket has been scanned on another ship today\n"
    ),
    "kitchen.md": "# Kitchen\n\nThe galley opens at seven. Every cook signs the list.\n",
}
CONFIG = "is this config right?\n```\nterminal:\n  offline_limit_hours: 8\n  colour: red\n```"
LOG = "what does this mean?\n```\n10:01:02 ERROR till-3 E44 refused\n  at foo.bar.Baz\n```"


async def test_pasted_code_is_found_by_its_names_and_no_fence_is_left_open(tmp_path: Path, database_url: str) -> None:
    async with harness_with_knowledge(DOCUMENTS, tmp_path, database_url) as harness:
        config = await harness.ask(CONFIG)
        (answer,) = await harness.answers(config)
        await harness.say("are you sure?", config)
        (_, told) = await harness.answers(config, 2)
        log = await harness.ask(LOG)
        (code,) = await harness.answers(log)

    assert "offline_limit_hours: 6" in answer["text"]
    assert 2 == answer["text"].count("```")
    assert "You asked: “is this config right: " in told["text"]
    assert 2 == told["text"].count("```")
    assert "E44: ticket has been scanned" in text_of(code)
