"""The wheel holds all files that are not Python, too."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files of the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    with ZipFile(next(folder.glob("*.whl"))) as wheel:
        return set(wheel.namelist())


def test_the_revisions_go_into_our_package_and_not_into_the_library_of_their_name(names: set[str]) -> None:
    assert {f"bot/alembic/{path.relative_to(ROOT / 'alembic')}" for path in ROOT.glob("alembic/**/*.py")} <= names
    assert not [name for name in names if name.startswith("alembic/")]


@pytest.mark.parametrize("package", ["bot", "graph", "prompts", "playground"])
def test_every_file_of_a_package_is_in_the_wheel(names: set[str], package: str) -> None:
    files = (path for path in (ROOT / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts)

    assert {str(path.relative_to(ROOT)) for path in files} <= names
