"""What `askback doctor` says of the child processes that read files."""

import io
import platform

import pytest
from rich.console import Console

from bot.cli.doctor import examine
from bot.settings import Settings


@pytest.mark.skipif(platform.system() != "Linux", reason="Other kernels have neither seccomp nor Landlock.")
@pytest.mark.parametrize(
    ("seconds", "said"),
    [(120, "are read in child processes that are kept from"), (0.01, "No child process can read PDF and Office files")],
)
async def test_it_says_whether_files_are_read_in_bounds(database_url: str, seconds: float, said: str) -> None:
    console = Console(file=io.StringIO(), width=400)

    await examine(Settings.model_validate({"database_url": database_url, "reader_seconds": seconds}), console)

    assert isinstance(console.file, io.StringIO)
    assert said in console.file.getvalue()
