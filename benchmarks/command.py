"""Reads the arguments of a measurement, `python -m benchmarks.ROOM.NAME [--quick]`, and prints its results."""

import argparse
from collections.abc import Mapping
from typing import TypeVar

from bot.logs import configure_logs

Extent = TypeVar("Extent")


def chosen_extent(name: str, explained: str | None, *, full: Extent, quick: Extent, less: str) -> Extent:
    """Return the extent of the measurement. `--help` prints the module's docstring."""
    parser = argparse.ArgumentParser(
        prog=f"benchmarks.{name}", description=explained, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help=less)
    configure_logs("console", "error")
    return quick if parser.parse_args().quick else full


def pairs(title: str, rows: Mapping[str, str]) -> str:
    """Return a table of two columns."""
    lines = [(title, ""), ("---", "---:"), *rows.items()]
    return "\n".join(f"| {label} | {value} |" for label, value in lines)
