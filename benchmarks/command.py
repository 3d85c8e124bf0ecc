"""How a measurement is started: `python -m benchmarks.NAME [--quick]`."""

import argparse
from typing import TypeVar

from bot.logs import configure_logs

Extent = TypeVar("Extent")


def chosen_extent(name: str, explained: str | None, *, full: Extent, quick: Extent, less: str) -> Extent:
    """Return how much is to be measured; `--help` tells what the module's docstring tells."""
    parser = argparse.ArgumentParser(
        prog=f"benchmarks.{name}", description=explained, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help=less)
    configure_logs("console", "error")
    return quick if parser.parse_args().quick else full
