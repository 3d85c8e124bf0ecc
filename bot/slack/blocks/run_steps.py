"""How an answer came about, step by step, for administrators."""

from typing import Final

from bot.conversation.traces.kept_run import KeptRun, call_text, facts_text, why_again
from bot.slack.blocks.elements import Block, first_of, modal, section
from bot.slack.blocks.markdown import escaped, shortened
from graph.trace import TracedStep

ONLY_ADMINISTRATORS: Final = "Only administrators of this workspace can see how an answer came about."
NOT_KEPT: Final = (
    "I keep no record of how this came about: it is no answer of mine, or it is older than ASKBACK_KEEP_RUNS_DAYS."
)
_MOST_STEPS: Final = 40
_MOST_LINES: Final = 12
"""Of what was said in a step."""
_LONGEST_LINE: Final = 160
_LONGEST_QUESTION: Final = 500
_LONGEST_STEP: Final = 2900
_MORE: Final = "`askback runs show {reference} --text` shows all of it."


def why_modal(run: KeptRun) -> Block:
    """Return the view that shows a run: what it took, and each step with its numbers, calls and words."""
    asked = [section(f"*{escaped(run.question, limit=_LONGEST_QUESTION)}*")] if run.question else []
    steps = [section(_told(step)) for step in run.steps[:_MOST_STEPS]]
    blocks = [*asked, section(f"{escaped(run.outcome)}: {escaped(run.effort)}"), *steps]
    return modal("Why this answer?", [*blocks, section(_MORE.format(reference=run.reference))])


def _told(step: TracedStep) -> str:
    again = why_again(step)
    head = f"*{escaped(step['node'].replace('_', ' '))}*  {escaped(facts_text(step))}"
    said = [
        f"> {name}: {escaped(' '.join(one.split()), limit=_LONGEST_LINE)}"
        for name, words in step["words"].items()
        for one in words
    ]
    calls = [escaped(call_text(call)) for call in step["calls"]]
    lines = [*([f"↻ {escaped(again)}"] if again else []), head, *calls, *first_of(said, _MOST_LINES, mark="> ")]
    return shortened("\n".join(lines), limit=_LONGEST_STEP)
