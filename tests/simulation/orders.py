"""An administrator who drops what waits or failed, and lets it run again."""

from hypothesis.stateful import rule

from tests.simulation.examples import ANYTHING, HOST, MOMENTS, Life


class Orders(Life):
    """A life in which somebody looks after the inbox, of what was asked: `askback inbox drop` and `retry`."""

    @rule(which=ANYTHING)
    def drop(self, which: int) -> None:
        self.tally["dropped"] += self.do(self.simulation.drop(which))

    @rule(which=ANYTHING)
    def retry(self, which: int) -> None:
        self.tally["retried"] += self.do(self.simulation.retry(which))

    @rule(which=ANYTHING, host=HOST, pause=MOMENTS)
    def drop_what_runs(self, which: int, host: int, pause: int | None) -> None:
        """Drop what is in the middle of its run, and hear of it there."""
        self.work(host, pause)
        self.drop(which)
        self.hear_of_changes(host)
