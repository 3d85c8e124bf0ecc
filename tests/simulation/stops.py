"""People who stop runs and open questions, by Slack's button and by reactions."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.simulation.examples import ANYTHING, PERSON, SOON, Life
from tests.simulation.harness import pick

REACTIONS = ("octagonal_sign", "x", "thumbsup")


class Stops(Life):
    """A life in which people stop the bot. "Answer after all" is a button like any other."""

    @rule(which=ANYTHING, person=PERSON, soon=SOON)
    def stop(self, *, which: int, person: str, soon: int | None) -> None:
        if root := self.root(which):
            self.do(self.simulation.stop(root, person=person))
            self.tell_soon(soon)

    @rule(which=ANYTHING, name=st.sampled_from(REACTIONS), person=PERSON, soon=SOON)
    def react(self, *, which: int, name: str, person: str, soon: int | None) -> None:
        if self.simulation.messages:
            self.do(self.simulation.react(pick(list(self.simulation.messages), which), name, person=person))
            self.tell_soon(soon)

    @rule(which=ANYTHING, host=st.integers(0, 1), pause=st.integers(4, 24), is_native=st.booleans())
    def stop_what_runs(self, *, which: int, host: int, pause: int, is_native: bool) -> None:
        """Stop a running item, and notify its host."""
        self.work(host, pause)
        if is_native:
            self.stop(which=which, person="U0ADA", soon=host)
        else:
            self.react(which=which, name="x", person="U0ADA", soon=host)
        self.hear_of_changes(host)
