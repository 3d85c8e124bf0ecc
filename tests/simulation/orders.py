"""An administrator who drops and retries items."""

from hypothesis.stateful import rule

from tests.simulation.examples import ANYTHING, HOST, MOMENTS, Life


class Orders(Life):
    """A life with an administrator of the inbox, who uses `askback inbox drop` and `retry`."""

    @rule(which=ANYTHING)
    def drop(self, which: int) -> None:
        self.tally["dropped"] += self.do(self.simulation.drop(which))

    @rule(which=ANYTHING)
    def retry(self, which: int) -> None:
        self.tally["retried"] += self.do(self.simulation.retry(which))

    @rule(which=ANYTHING, host=HOST, pause=MOMENTS)
    def drop_what_runs(self, which: int, host: int, pause: int | None) -> None:
        """Drop a running item, and notify its host."""
        self.work(host, pause)
        self.drop(which)
        self.hear_of_changes(host)
