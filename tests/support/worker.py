"""A process of pytest-xdist, which the fork server forks: it begins with everything loaded that the bot needs.

`main` runs the program that execnet gives to an interpreter as its last argument.
"""

import sys


def main() -> None:
    """Run the program in a namespace like that of a new interpreter."""
    exec(sys.argv[-1], {"__name__": "__main__"})
