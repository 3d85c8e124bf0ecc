"""Where the project's files are, and how its modules are run."""

import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
EVALS: Final = ROOT / "tests" / "evals"
RUN: Final = sys.executable, "-m"
"""The command of a module's `main`, as a child process."""
PAGE: Final = ROOT / "docs" / "benchmarks.md"
"""Holds the results of several measurements."""
