"""Every exception to a rule of the linter or the type checker has its reason beside it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
EXCEPTION: Final = re.compile(r"# (?:noqa: [A-Z0-9, ]+|pyright: ignore\[[\w, ]+\])(?P<reason>.*)$")


@pytest.mark.parametrize("package", ["bot", "graph", "prompts", "playground", "alembic"])
def test_every_exception_has_its_reason(package: str) -> None:
    files = (file.relative_to(ROOT) for file in (ROOT / package).rglob("*.py"))

    assert [] == [f"{file}:{line}" for file in files for line in unexplained((ROOT / file).read_text())]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import x  # noqa: F401", [1]),
        ("import x  # noqa: F401 - For its effects.", []),
        ("# For its effects.\nimport x  # noqa: F401", []),
        ("a = 1\nb = f(a)  # pyright: ignore[reportArgumentType]", [2]),
    ],
)
def test_a_reason_stands_on_the_line_or_above_it(source: str, expected: list[int]) -> None:
    assert expected == list(unexplained(source))


def unexplained(source: str) -> Iterator[int]:
    """Yield the numbers of the lines with an exception, without a reason on it or in a comment just above it."""
    above = ""
    for number, line in enumerate(source.splitlines(), 1):
        found = EXCEPTION.search(line)
        if found and not found["reason"].strip() and not above.lstrip().startswith("#"):
            yield number
        above = line
