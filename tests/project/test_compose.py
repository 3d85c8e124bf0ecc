"""Checks of the container files. No container runs here, so the tests read the files."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot import secret_files
from bot.settings import Settings

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SECRETS = secret_files.names_of(Settings.model_fields)
OWNER = "ASKBACK_OWNER_DATABASE_URL"

each_service = pytest.mark.parametrize("name", COMPOSE["services"])
each_of_ours = pytest.mark.parametrize("name", [name for name, it in COMPOSE["services"].items() if "build" in it])


@each_service
def test_a_service_is_bounded_and_gets_no_privileges(name: str) -> None:
    service = COMPOSE["services"][name]

    assert service["read_only"]
    assert ["no-new-privileges:true"] == service["security_opt"]
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert service["pids_limit"] > 0
    assert set() == {"privileged", "cap_add", "ports", "network_mode", "pid", "devices"} & set(service)
    assert [] == [volume for volume in service.get("volumes", []) if volume.startswith(("/", ".", "~"))]


@each_service
def test_a_secret_is_a_file_and_never_in_the_environment(name: str) -> None:
    service = COMPOSE["services"][name]
    environment: dict[str, str] = service["environment"]
    files = {variable: path for variable, path in environment.items() if variable.endswith(secret_files.SUFFIX)}

    assert {f"/run/secrets/{secret}" for secret in service["secrets"]} == set(files.values())
    assert set(service["secrets"]) <= set(COMPOSE["secrets"])
    assert [] == [variable for variable in (*SECRETS, "POSTGRES_PASSWORD") if environment.get(variable)]


@each_of_ours
def test_our_services_get_all_secrets_as_files_and_no_capability(name: str) -> None:
    service = COMPOSE["services"][name]

    named = {secret for secret in SECRETS if secret != OWNER or name == "migrate"}
    assert {f"{secret}{secret_files.SUFFIX}" for secret in named} <= set(service["environment"])
    # Secrets of a .env are not passed to containers.
    assert {""} == {service["environment"][secret] for secret in (*SECRETS, "POSTGRES_PASSWORD")}
    assert (name == "migrate") is ("askback_owner_database_url" in service["secrets"])
    assert ["ALL"] == service["cap_drop"]


def test_each_image_is_named_by_full_version_and_digest() -> None:
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    (default,) = re.findall(r"^ARG PYTHON_IMAGE=(\S+)$", DOCKERFILE, re.MULTILINE)
    built = {service["build"]["args"]["PYTHON_IMAGE"] for service in COMPOSE["services"].values() if "build" in service}
    pulled = [service["image"] for service in COMPOSE["services"].values() if "build" not in service]

    assert {"${PYTHON_IMAGE}"} == set(bases)
    assert {f"${{ASKBACK_PYTHON_IMAGE:-{default}}}"} == built
    assert pulled
    for image in (*built, *pulled):
        assert re.fullmatch(r"\$\{ASKBACK_\w+:-[\w/]+:\d+\.\d+\.\d+-[\w-]+@sha256:[0-9a-f]{64}\}", image)


def test_the_page_for_operators_names_the_images_that_are_shipped() -> None:
    page = (ROOT / "docs" / "operations" / "containers.md").read_text()
    shipped = re.findall(r":-([\w/]+:[\w.-]+)@sha256:", (ROOT / "compose.yaml").read_text())

    assert 2 == len(shipped)
    assert sorted(shipped) == sorted(re.findall(r"imagetools inspect (\S+)", page))


def test_the_image_runs_as_an_account_of_its_own_and_finds_its_database_without_the_environment() -> None:
    assert re.findall(r"^USER (\d+)$", DOCKERFILE, re.MULTILINE) == ["10001"]
    assert "os.environ" not in DOCKERFILE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout with the script and nothing else."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci" / "secrets").write_bytes((ROOT / ".ci" / "secrets").read_bytes())
    return tmp_path


def make_secrets(folder: Path) -> dict[str, str]:
    subprocess.run(["bash", ".ci/secrets"], cwd=folder, check=True, capture_output=True)
    return {file.name: file.read_text() for file in (folder / "secrets").iterdir()}


def test_the_files_of_secrets_are_made_once_for_their_owner_and_the_containers(folder: Path) -> None:
    made = make_secrets(folder)
    password = made["postgres_password"]

    assert {Path(secret["file"]).name for secret in COMPOSE["secrets"].values()} == set(made)
    assert 0o700 == (folder / "secrets").stat().st_mode & 0o777
    assert {0o644} == {file.stat().st_mode & 0o777 for file in (folder / "secrets").iterdir()}
    assert re.fullmatch("[0-9a-f]{48}", password)
    assert f":{password}@database:5432/" in made["askback_owner_database_url"]
    assert "//askback_app:" in made["database_url"]
    assert made == make_secrets(folder)


def test_what_stands_in_the_file_of_settings_is_taken_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["SLACK_BOT_TOKEN=xoxb-1", "export SLACK_APP_TOKEN='xapp-1'", "#GROQ_API_KEY=no", "POSTGRES_PASSWORD=abc"]
    (folder / ".env").write_text("\n".join(lines))
    made = make_secrets(folder)
    assert ("xoxb-1", "xapp-1", "", "abc") == tuple(
        made[name] for name in ("slack_bot_token", "slack_app_token", "groq_api_key", "postgres_password")
    )

    monkeypatch.chdir(folder / "secrets")
    for name in SECRETS:
        monkeypatch.setenv(f"{name}_FILE", name.lower())
    assert ("xoxb-1", "xapp-1") == Settings.read().require_slack()
