"""Words of people, documents and models cannot control the terminal that shows a run."""

import io
from datetime import UTC, datetime

from rich.console import Console

from bot.cli.run_store import KeptRun
from bot.cli.runs import tree
from graph.trace import Step

HOSTILE = "[/dim] [red]a\x1b[2J\x07\u202eb[/nothing]"
SHOWN = "[/dim] [red]a[2Jb[/nothing]"


def test_what_was_said_is_shown_as_it_is_and_steers_nothing() -> None:
    step = Step(node="write", ms=3, facts={"draft": 1, "again": "x"}, words={"draft": [HOSTILE, HOSTILE]}, calls=[])
    run = KeptRun(
        id=1, reference="R", kind="turn", thread_id="t", person="U", ended_at=datetime.now(UTC), outcome="answered",
        calls=1, tokens_in=1, tokens_out=2, ms=3, question=HOSTILE, ratings=["bad (wrong)"],
        objections=[HOSTILE], steps=[step],
    )  # fmt: skip
    said = io.StringIO()

    Console(file=said, width=200, force_terminal=True, color_system=None).print(tree(run))

    assert 4 == said.getvalue().count(SHOWN)
    assert "rated: bad (wrong)" in said.getvalue()
    assert not {"\x1b[2J", "\x07", "\u202e"} & set(said.getvalue())
    assert "1 call, 1 + 2 tokens, 3 ms" in said.getvalue()
