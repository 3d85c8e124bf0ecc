"""Measures the size of the code: `python -m benchmarks.code [FOLDER]`; prints Markdown.

FOLDER is a checkout, by default this one, so that two states can be put side by side. Code that only evaluates
(`bot/evals`) is left out of the product. A statement writes a question if its SQL changes the table `inbox`. An
`__init__.py` counts as a file, but not as a module of its folder, as in `tests/project/test_imports.py`.
"""

import argparse
import ast
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.command import pairs
from benchmarks.project import ROOT

PRODUCT: Final = ("bot", "graph", "prompts")
CORE: Final = "bot/conversation/"
NOT_PRODUCT: Final = "bot/evals/"
WRITES_A_QUESTION: Final = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+inbox\b")


@dataclass(frozen=True, kw_only=True)
class Function:
    """One function, with the length in lines and the number of its parameters; `self` and `cls` are none."""

    name: str
    lines: int
    parameters: int


@dataclass(frozen=True, kw_only=True)
class Module:
    """One file of Python."""

    path: str
    """From the root of the checkout, with slashes."""
    lines: int
    functions: Sequence[Function]
    writes: int
    """SQL texts that write a question."""


def modules_of(root: Path) -> list[Module]:
    """Read the product's modules. Raises `SyntaxError` if one is not Python."""
    paths = [path for folder in PRODUCT for path in sorted((root / folder).rglob("*.py"))]
    modules = [module_of(path.relative_to(root).as_posix(), path.read_text()) for path in paths]
    return [module for module in modules if not module.path.startswith(NOT_PRODUCT)]


def module_of(path: str, source: str) -> Module:
    """Measure one module."""
    nodes = list(ast.walk(ast.parse(source)))
    return Module(
        path=path,
        lines=len(source.splitlines()),
        functions=[_function(node) for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)],
        writes=sum(
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and bool(WRITES_A_QUESTION.search(node.value))
            for node in nodes
        ),
    )


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Function:
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return Function(
        name=node.name,
        lines=(node.end_lineno or node.lineno) - node.lineno + 1,
        parameters=sum(argument.arg not in ("self", "cls") for argument in arguments),
    )


def rows_of(modules: Sequence[Module], *, words: int) -> dict[str, str]:
    """Return the rows of the table; `words` is the length of the glossary. Raises `ValueError` without a module."""
    core = [module for module in modules if module.path.startswith(CORE)]
    functions = [(function, module.path) for module in modules for function in module.functions]
    longest, longest_in = max(functions, key=lambda each: each[0].lines)
    widest, widest_in = max(functions, key=lambda each: each[0].parameters)
    folders = [module.path.rpartition("/")[0] for module in modules if not module.path.endswith("/__init__.py")]
    fullest, count = Counter(folders).most_common(1)[0]
    writers = [module for module in modules if module.writes]
    return {
        "product: lines / files": f"{sum(module.lines for module in modules):,} / {len(modules)}",
        "core: lines / files": f"{sum(module.lines for module in core):,} / {len(core)}",
        "statements that write a question": f"{sum(module.writes for module in writers)} in {len(writers)} files",
        "most modules in a folder": f"{count} ({fullest})",
        "longest function, lines": f"{longest.lines} ({longest_in}: {longest.name})",
        "most parameters": f"{widest.parameters} ({widest_in}: {widest.name})",
        "words in the glossary": str(words),
    }


def words_of(glossary: str) -> int:
    """Count the rows of the glossary's table."""
    return sum(line.startswith("| **") for line in glossary.splitlines())


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT)
    folder: Path = parser.parse_args().folder
    modules = modules_of(folder)
    if not modules:
        parser.error(f"There is no code in {folder}.")
    glossary = folder / "docs" / "glossary.md"
    words = words_of(glossary.read_text()) if glossary.exists() else 0
    print(pairs("Code", rows_of(modules, words=words)))


if __name__ == "__main__":
    main()
