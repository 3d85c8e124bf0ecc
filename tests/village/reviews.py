"""Reviewers who look at answers, one after the other or at once, some of them too late."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.village.living import ANYTHING, PERSON, SOON, Life
from tests.village.village import pick

DECISIONS = ("Approve", "Edit…", "Reject…")


class Reviews(Life):
    """A life in which somebody looks at what is not sure, or at what people want looked at."""

    @rule(which=ANYTHING, label=st.sampled_from(DECISIONS), person=PERSON, times=st.integers(1, 3), soon=SOON)
    def review(self, *, which: int, label: str, person: str, times: int, soon: int | None) -> None:
        if self.village.desk:
            for _ in range(times):
                self.do(self.village.click(pick(list(self.village.desk.values()), which), person=person, label=label))
            self.tell_soon(soon)
