"""Reviewers who decide one after another or at once, some of them too late."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.simulation.examples import ANYTHING, HOST, MOMENTS, PERSON, SOON, Life, offers
from tests.simulation.harness import pick

DECISIONS = ("Approve", "Edit…", "Reject…")


class Reviews(Life):
    """A life with reviewers for unsure answers, and for answers that people want reviewed."""

    @rule(which=ANYTHING, label=st.sampled_from(DECISIONS), person=PERSON, times=st.integers(1, 3), soon=SOON)
    def review(self, *, which: int, label: str, person: str, times: int, soon: int | None) -> None:
        """Decide an open review; if there is none, press a button of an old card."""
        waiting = [one for one in self.simulation.review_channel.values() if label in offers(one)]
        if cards := waiting or [one for one in self.seen if label in offers(one)]:
            for _ in range(times):
                self.do(self.simulation.click(pick(cards, which), person=person, label=label))
            self.tell_soon(soon)

    @rule(which=ANYTHING, host=HOST, pause=MOMENTS)
    def doubt(self, *, which: int, host: int, pause: int | None) -> None:
        """Ask an unsure question, and let its answer reach a reviewer."""
        self.ask(kind="u", person="U0ADA", where=which, is_new=which % 2 == 0, mention=True, soon=host)
        self.work(host, None)
        self.work(host, pause)
