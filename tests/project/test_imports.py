"""What `pyproject.toml` says about imports, and how many modules a folder holds."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.fork_server import ForkServer, write_modules

ROOT: Final = Path(__file__).parents[2]
MOST_MODULES: Final = 16
"""In one folder; a reader takes in no more at a glance."""


@pytest.mark.parametrize("package", ["bot", "graph", "prompts", "playground"])
def test_no_folder_holds_more_modules_than_a_reader_takes_in(package: str) -> None:
    modules = (file for file in (ROOT / package).rglob("*.py") if file.name != "__init__.py")
    counts = Counter(file.parent.relative_to(ROOT).as_posix() for file in modules)

    assert {} == {folder: count for folder, count in counts.items() if count > MOST_MODULES}


def test_every_name_in_the_contract_of_pure_modules_exists() -> None:
    missing = [name for name in _pure() if not _exists(name.removesuffix(".*"), is_folder=name.endswith(".*"))]

    assert [] == missing


def test_what_few_use_is_imported_only_if_it_is_used(fork_server: ForkServer, tmp_path: Path) -> None:
    file = tmp_path / "modules"

    fork_server.fork(write_modules, {"file": str(file)}).wait()

    loaded = set(file.read_text().splitlines())
    assert {"bot.app"} == loaded & {"bot.app", "mcp", "mcp_types", "openai", "anthropic", "ollama", "tavily"}


def _exists(name: str, *, is_folder: bool) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() if is_folder else path.with_suffix(".py").is_file()


def _pure() -> list[str]:
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = settings["tool"]["importlinter"]["contracts"]
    return next(each["source_modules"] for each in contracts if each["name"].endswith("does no I/O"))
