"""A team's own examples of messages, from the setting to the Slack calls."""

from pathlib import Path

import pytest

from bot.errors import SettingsError
from tests.journeys.harness import Harness, text_of


async def test_an_errand_of_the_team_is_declined_and_a_wrong_file_stops_the_start(
    harness: Harness, tmp_path: Path
) -> None:
    file, wrong = tmp_path / "examples.toml", tmp_path / "wrong.toml"
    file.write_text('outside = ["feed the parrot of the crew"]', encoding="utf-8")
    wrong.write_text('errand = ["feed the parrot of the crew"]', encoding="utf-8")

    async with harness.bot(examples=file):
        root = await harness.ask("Feed the parrot of the crew, please!")
        (answer,) = await harness.answers(root)
    with pytest.raises(SettingsError, match="has the kind “errand”"):
        async with harness.bot(examples=wrong):
            pass

    assert "That is outside what I can look up" in text_of(answer)
