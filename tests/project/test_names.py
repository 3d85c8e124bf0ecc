"""No two public classes have one name, so that a name in a trace, a log or a talk says which is meant."""

import ast
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SHARED: Final = {"VerifiedAnswers": "A port of the graph, and what implements it."}
"""Names of two classes, and why."""


def test_no_two_public_classes_have_one_name() -> None:
    files = (file for package in ("bot", "graph", "prompts") for file in (ROOT / package).rglob("*.py"))
    counts = Counter(name for file in files for name in classes_of(file.read_text()))

    assert SHARED.keys() == {name for name, count in counts.items() if count > 1}


def classes_of(source: str) -> list[str]:
    """Return the names of the public classes at the top of a module."""
    classes = (node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    return [name for name in classes if not name.startswith("_")]
