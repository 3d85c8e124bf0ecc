"""Runs the plain bot: `python -m benchmarks.arena.theirs [exit]`."""

import asyncio
import sys

from benchmarks.plain.serving import serve


def main() -> None:
    """Serve until killed; with `exit`, LangGraph stores a run at its end."""
    asyncio.run(serve("exit" if sys.argv[1:] == ["exit"] else "async"))


if __name__ == "__main__":
    main()
