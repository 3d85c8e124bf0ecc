"""Where the project's files are."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
EVALS: Final = ROOT / "tests" / "evals"
PAGE: Final = ROOT / "docs" / "benchmarks.md"
"""Holds the results of several measurements."""
