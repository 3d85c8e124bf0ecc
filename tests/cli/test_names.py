"""Names that an administrator writes: ids as Slack shows them, and nothing that only looks like one."""

import pytest
import typer
from typer.testing import CliRunner

from bot.audience import is_channel, is_person_id, read_names
from bot.cli.administration import person_of
from bot.cli.commands import app
from bot.errors import KnowledgeError


@pytest.mark.parametrize("word", ["U0ADA", "W012A3CDE", "UABCDEFGH", "you"])
def test_a_person_is_forgotten_by_id(word: str) -> None:
    assert word == person_of(word)


@pytest.mark.parametrize("word", ["", "title", "u0ada", "@ada", "C0SUPPORT", "T0TEAM:U0ADA", "U0ADA\n", "USERS"])
def test_what_is_no_id_of_a_person_forgets_nobody(word: str) -> None:
    with pytest.raises(typer.BadParameter, match="no person's id"):
        person_of(word)


@pytest.mark.parametrize("word", ["GUESTS", "SUPPORT", "c0support", "", "*", "group:S0TEAM", "U0ADA\n"])
def test_a_word_that_is_no_id_names_no_audience(word: str) -> None:
    with pytest.raises(KnowledgeError, match="is no name"):
        read_names([word])


@pytest.mark.parametrize(
    ("recipient", "is_a_person"),
    [("U0ADA", True), ("UABCDEFGH", True), ("W0ADA", True), ("CABCDEFGH", False), ("", False)],
)
def test_an_id_is_a_persons_also_without_a_digit(recipient: str, is_a_person: bool) -> None:
    assert is_a_person == is_person_id(recipient)


@pytest.mark.parametrize("word", ["C0SUPPORT", "CABCDEFGH", "D0ADA", "GABCDEFGH"])
def test_an_id_is_a_channels_also_without_a_digit(word: str) -> None:
    assert is_channel(word)


@pytest.mark.parametrize("word", ["", "#general", "general", "c0support", "U0ADA", "T0TEAM:C0SUPPORT", "C0SUPPORT\n"])
def test_what_is_no_id_of_a_channel_names_none(word: str) -> None:
    assert not is_channel(word)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["channel", "#general", "--preset", "quick"], "is no channel's id"),
        (["channel", "", "--preset", "quick"], "is no channel's id"),
        (["channel", "--preset", "quick"], "say for which channel"),
        (["choices", "--clear", "ada"], "is no person's id"),
        (["choices", "--clear", ""], "is no person's id"),
        (["demo", "--port", "99999"], "Invalid value for '--port'"),
        (["inbox", "list", "--limit", "-1"], "Invalid value for '--limit'"),
        (["inbox", "list", "--limit", "9" * 20], "Invalid value for '--limit'"),
        (["sources", "set", "handbook", "--every", "9" * 9], "Invalid value for '--every'"),
        (["sources", "set", "handbook", "--stale-after", "3000000"], "Invalid value for '--stale-after'"),
        (["sources", "set", "handbook", "--delete-after", "3000000"], "Invalid value for '--delete-after'"),
        (["runs", "list", "--limit", "9" * 20], "Invalid value for '--limit'"),
    ],
)
def test_what_would_change_or_list_nothing_is_refused(
    monkeypatch: pytest.MonkeyPatch, command: list[str], said: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")

    refused = CliRunner().invoke(app, command)

    assert 2 == refused.exit_code
    assert said in " ".join(refused.output.split())
