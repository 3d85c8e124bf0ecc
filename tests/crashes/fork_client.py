"""How a test gets a bot that was born in another process."""

import subprocess
from threading import Lock


class Midwife:
    """Asks the nursery, which is another process, for one bot at a time."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._one_at_a_time = Lock()

    def bear(self, line: str) -> int:
        """Let a bot be born with its settings; return its number."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with self._one_at_a_time:
            stdin.write(f"{line}\n")
            stdin.flush()
            return int(stdout.readline())
