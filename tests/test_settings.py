"""Settings come from the environment. Errors say what to fix without repeating a secret."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.conversation.asks.ask import AskRules
from bot.conversation.schedule import Retention
from bot.errors import SettingsError
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.sandbox.limits import Limits
from bot.models.llm.limits import CallLimits
from bot.models.opened import limits_of
from bot.parts import rules_of
from bot.settings import Settings, environment_without_secrets

SECRETS = {
    "SLACK_BOT_TOKEN": "xoxb-1",
    "SLACK_APP_TOKEN": "xapp-1",
    "DATABASE_URL": "postgresql://a:b@c/d",
    "GROQ_API_KEY": "gsk_1",
}


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """An environment and a folder without settings."""
    names = [str(field.validation_alias) for field in Settings.model_fields.values()]
    for name in (*names, "LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path_factory.mktemp("empty"))


def test_nothing_has_to_be_set() -> None:
    settings = Settings.read()

    assert (None, None, "default") == (settings.database_url, settings.groq_api_key, settings.workspace)


def test_a_default_that_stands_beside_its_reader_too_is_the_settings_own() -> None:
    settings = Settings.read()
    retention = Retention(checkpoints=timedelta(hours=settings.prune_after_hours))

    assert Limits() == Limits.of(settings)
    assert SourceSettings() == SourceSettings.of(settings)
    assert CallLimits() == limits_of(settings)
    assert AskRules() == rules_of(settings, "slack")
    assert retention.runs == timedelta(days=settings.keep_runs_days)


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "")

    assert Settings.read().groq_api_key is None


@pytest.mark.parametrize(("name", "value"), [("ASKBACK_REVIEW_CHANNEL", "#review"), ("ASKBACK_REVIEWERS", "ada, ben")])
def test_a_name_instead_of_an_id_is_refused_with_an_example(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingsError, match=rf"{name}: give .*\bid.* such as [CU]0123ABC45"):
        Settings.read()


def test_a_slip_in_a_name_is_found_and_other_variables_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASKBACK_REVIEW_CHANEL", "ASKBACK_PYTHON_IMAGE", "SLACK_BOT_TOKEN_FILE", "GROQ_KEY", "PATH"):
        monkeypatch.setenv(name, "x")

    assert {"ASKBACK_REVIEW_CHANEL": "ASKBACK_REVIEW_CHANNEL"} == Settings.misspelt()


def test_variables_of_other_programs_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"WORKSPACE": "jenkins", "LOG_LEVEL": "LOUD", "MODE": "7"}.items():
        monkeypatch.setenv(name, value)

    assert "default" == Settings.read().workspace


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLACK_BOT_TOKEN", "secret-1"),
        ("SLACK_APP_TOKEN", "secret-2"),
        ("ASKBACK_WORKER_SLOTS", "secret-3"),
        ("ASKBACK_SOURCE_SECRETS", "secret_4"),
    ],
)
def test_what_is_wrong_is_named_but_not_repeated(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingsError) as raised:
        Settings.read()

    assert str(raised.value).startswith(name)
    assert "Value error" not in str(raised.value)
    assert value not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ASKBACK_WORKER_SLOTS", "many", "it is no whole number: give one such as 64."),
        ("ASKBACK_WORKER_SLOTS", "0", "it is too small: give at least 1, such as 64."),
        ("ASKBACK_FORM_SECONDS", "0", "it is too small: give more than 0, such as 5."),
        ("ASKBACK_PRICES", '{"a": {"input": "x", "output": 1}}', "a: input: it is no number: give one."),
        ("ASKBACK_PRICES", '{"a": {"input": 1, "output": 1, "z": 1}}', "a: z: there is no such field."),
        ("ASKBACK_REVIEW_BELOW", "70", "it is too large: give at most 1, such as 0.7."),
        ("ASKBACK_EMBEDDING_DIMENSIONS", "1", "it is too small: give at least 2, such as 1024."),
        ("ASKBACK_FOLLOW_UPS", "perhaps", "it is neither true nor false: write true or false."),
        ("ASKBACK_PRESET", "fast", "there is no such choice: give quick, balanced or thorough."),
        ("ASKBACK_KEEP_RUNS_DAYS", "inf", "it is no finite number: give one such as 30."),
        ("ASKBACK_KEEP_RUNS_DAYS", "999999", "it is too large: give at most 36500, such as 30."),
        ("ASKBACK_REMIND_AFTER_SECONDS", "1e300", "it is too large: give at most 3153600000, such as 14400."),
        ("SLACK_API_URL", "http://[", "it is no address: give one such as https://slack.com/api/"),
        ("SLACK_API_URL", "slack.com", "it is no address: give one such as https://slack.com/api/"),
        ("ASKBACK_PRICES", "[]", 'it is not written as it must be: write {"model": {"input": 1, "output": 2}}.'),
    ],
)
def test_what_is_wrong_is_one_sentence_with_an_example(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingsError) as raised:
        Settings.read()

    assert f"{name}: {said}" == str(raised.value)


def fault_with(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> str:
    """Return what is wrong with a variable's value; nothing if it is right."""
    monkeypatch.setenv(name, value)
    try:
        Settings.read()
    except SettingsError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", [str(field.validation_alias) for field in Settings.model_fields.values()])
def test_no_fault_of_a_setting_is_told_in_words_of_a_library(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    faults = "\n".join(fault_with(monkeypatch, name, value) for value in ("§", "-1", '{"§": {"§": 1}}', "[]", "9" * 20))

    assert all(fault.startswith(name) for fault in faults.split("\n") if fault)
    assert not {"Input", "String", "Value", "dictionary", "pattern", "instance"} & {*faults.split()}


@pytest.mark.parametrize(
    "name", ["ASKBACK_MODEL_URL", "ASKBACK_OTLP_URL", "ASKBACK_NOTION_URL", "ASKBACK_WEB_SEARCH", "GROQ_BASE_URL"]
)
@pytest.mark.parametrize("address", ["http://[", "https://"])
def test_what_cannot_be_an_address_is_named(monkeypatch: pytest.MonkeyPatch, name: str, address: str) -> None:
    assert fault_with(monkeypatch, name, address).startswith(name)


def test_the_longest_times_that_settings_allow_fit_into_a_calendar(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, field in Settings.model_fields.items():
        if name.endswith(("_days", "_hours")) or name in ("remind_after_seconds", "expire_after_seconds"):
            most = next(limit.le for limit in field.metadata if hasattr(limit, "le"))
            monkeypatch.setenv(str(field.validation_alias), str(most))

    settings, now = Settings.read(), datetime.now(UTC)

    assert now - rules_of(settings, "slack").remember_for < now < now + rules_of(settings, "slack").expire_after
    assert now - timedelta(hours=settings.prune_after_hours) < now < now + timedelta(days=settings.verified_days)


def test_slack_needs_both_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1")

    with pytest.raises(SettingsError, match="SLACK_APP_TOKEN"):
        Settings.read().require_slack()


@pytest.mark.parametrize("name", ["LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGCHAIN_TRACING"])
def test_nothing_starts_that_would_tell_a_third_party_what_people_ask(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "true")

    with pytest.raises(SettingsError, match=f"{name} would send"):
        Settings.read()


@pytest.mark.parametrize(("name", "value"), [("LANGSMITH_TRACING", "false"), ("ASKBACK_LANGSMITH_TRACING", "true")])
def test_tracing_that_is_off_or_meant_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv("LANGCHAIN_TRACING_V2", "true" if name.startswith("ASKBACK") else "")
    monkeypatch.setenv(name, value)

    assert Settings.read().workspace == "default"


def test_a_file_is_read_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text("ASKBACK_WORKSPACE=file\nASKBACK_WORKER_SLOTS=3\n", "utf-8")
    monkeypatch.setenv("ASKBACK_WORKSPACE", "environment")

    settings = Settings.read()

    assert ("environment", 3) == (settings.workspace, settings.worker_slots)


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://a:hunter2@b/c")

    assert "hunter2" not in repr(Settings.read())


def test_a_file_that_others_may_write_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text("SLACK_API_URL=http://evil.example/\n", "utf-8")
    for mode in (0o620, 0o602, 0o666):
        Path(".env").chmod(mode)

        with pytest.raises(SettingsError, match=f"written by other accounts.*chmod 600 {tmp_path}/.env"):
            Settings.read()

    Path(".env").chmod(0o644)
    assert "http://evil.example/" == Settings.read().slack_api_url


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root gives files away.")
@pytest.mark.parametrize("is_link", [False, True])
def test_a_file_of_another_account_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, is_link: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ours").write_text("ASKBACK_WORKSPACE=file\n", "utf-8")
    Path(".env").symlink_to("ours") if is_link else Path(".env").write_text("ASKBACK_WORKSPACE=file\n", "utf-8")
    os.chown(".env", 65534, 65534, follow_symlinks=False)

    with pytest.raises(SettingsError, match="belongs to another account"):
        Settings.read()


@pytest.mark.parametrize("where", ["environment", "file"])
def test_a_secret_may_be_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str) -> None:
    monkeypatch.chdir(tmp_path)
    told = {f"{name}_FILE": tmp_path / name for name in SECRETS}
    for name, value in SECRETS.items():
        (tmp_path / name).write_text(f"{value}\n", "utf-8")
    Path(".env").write_text("".join(f"{name}={file}\n" for name, file in told.items() if where == "file"), "utf-8")
    for name, file in told.items():
        monkeypatch.setenv(name, str(file) if where == "environment" else "")

    settings = Settings.read()
    secrets = (settings.slack_bot_token, settings.slack_app_token, settings.database_url, settings.groq_api_key)
    assert [*SECRETS.values()] == [secret and secret.get_secret_value() for secret in secrets]


def test_a_secret_told_in_two_ways_is_refused_and_an_empty_file_tells_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    monkeypatch.setenv("GROQ_API_KEY", "gsk_1")
    monkeypatch.setenv("GROQ_API_KEY_FILE", str(file))
    file.write_text("\n")

    settings = Settings.read()
    assert settings.groq_api_key
    assert "gsk_1" == settings.groq_api_key.get_secret_value()
    file.write_text("gsk_2")
    with pytest.raises(SettingsError, match="GROQ_API_KEY or GROQ_API_KEY_FILE, not both"):
        Settings.read()


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b"gsk_secret gsk_secret", b"gsk_secret\nX: y"])
def test_a_secret_that_cannot_be_read_is_named_but_not_repeated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "key").write_bytes(content)
    monkeypatch.setenv("GROQ_API_KEY_FILE", str(tmp_path / "key"))

    with pytest.raises(SettingsError, match=f"GROQ_API_KEY_FILE names {tmp_path}/key, which") as raised:
        Settings.read()
    assert "gsk_secret" not in str(raised.value)


def test_a_file_that_is_no_text_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(SettingsError, match="cannot be read"):
        Settings.read()


@pytest.mark.parametrize(
    ("address", "is_open"),
    [
        ("https://slack.com/api/", False),
        ("http://127.0.0.1:8765/api/", False),
        ("http://localhost:1/", False),
        ("http://[::1]:8765/api/", False),
        ("http://slack.com/api/", True),
        ("http://10.0.0.7/api/", True),
        ("http://localhost.evil.example/", True),
    ],
)
def test_tokens_that_go_over_a_network_unencrypted_are_noticed(address: str, *, is_open: bool) -> None:
    assert is_open == Settings(slack_api_url=address).sends_tokens_openly


@pytest.mark.parametrize(
    ("address", "is_open"),
    [
        ("http://localhost:11434/v1", False),
        ("http://127.0.0.1:8080", False),
        ("http://192.168.1.4/v1", False),
        ("http://[fd00::4]:8080/v1", False),
        ("http://ollama:11434", False),
        ("http://gpu.internal/v1", False),
        ("https://models.example.com/v1", False),
        ("http://models.example.com/v1", True),
        ("http://8.8.8.8/v1", True),
    ],
)
def test_models_are_asked_without_encryption_in_ones_own_network_only(
    monkeypatch: pytest.MonkeyPatch, address: str, *, is_open: bool
) -> None:
    monkeypatch.setenv("ASKBACK_MODEL_URL", address)
    if is_open:
        with pytest.raises(SettingsError, match=r"ASKBACK_MODEL_URL is http://.* ASKBACK_MODEL_OVER_HTTP"):
            Settings.read()
    monkeypatch.setenv("ASKBACK_MODEL_OVER_HTTP", "true")

    assert is_open is Settings.read().asks_models_openly


def test_the_address_of_a_model_is_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASKBACK_MODEL_URL", "localhost:11434")

    with pytest.raises(SettingsError, match="ASKBACK_MODEL_URL is no address"):
        Settings.read()


def test_a_source_may_name_only_secrets_that_the_operator_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "hr"
    file.write_text("ntn_2\n")
    told = {
        "ASKBACK_SOURCE_SECRETS": "NOTION_TOKEN, NOTION_TOKEN_HR,NOTION_TOKEN_LATER",
        "NOTION_TOKEN": "ntn_1",
        "NOTION_TOKEN_HR_FILE": str(file),
        "OTHER_TOKEN": "ntn_3",
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)

    secrets = Settings.read().source_secrets

    assert {"NOTION_TOKEN": "ntn_1", "NOTION_TOKEN_HR": "ntn_2"} == {
        name: secret.get_secret_value() for name, secret in secrets.items()
    }
    assert "ntn_" not in repr(Settings.read())
    assert {"NOTION_TOKEN", "NOTION_TOKEN_HR_FILE"}.isdisjoint(environment_without_secrets(secrets))


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "DATABASE_URL", "notion_token", "A B", "../x"])
def test_no_source_may_name_our_own_secrets(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("ASKBACK_SOURCE_SECRETS", f"NOTION_TOKEN, {name}")

    with pytest.raises(SettingsError, match="ASKBACK_SOURCE_SECRETS"):
        Settings.read()


@pytest.mark.parametrize(
    ("url", "is_good"),
    [
        ("https://notion.example", True),
        ("http://127.0.0.1:8080", True),
        ("http://notion.example", False),
        ("ftp://notion.example", False),
    ],
)
def test_tokens_of_notion_go_nowhere_in_the_open(monkeypatch: pytest.MonkeyPatch, url: str, *, is_good: bool) -> None:
    monkeypatch.setenv("ASKBACK_NOTION_URL", url)

    if is_good:
        assert url == Settings.read().notion_url
        return
    with pytest.raises(SettingsError, match="ASKBACK_NOTION_URL"):
        Settings.read()


def test_secrets_of_sources_may_stand_in_the_file_beside_the_others() -> None:
    Path(".env").write_text("ASKBACK_SOURCE_SECRETS=NOTION_TOKEN\nNOTION_TOKEN=ntn_1\n")
    Path(".env").chmod(0o600)

    assert ["NOTION_TOKEN"] == [*Settings.read().source_secrets]
