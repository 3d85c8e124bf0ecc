"""`askback calibrate`: fits the bands of answers to what people think of them."""

from datetime import datetime
from pathlib import Path
from typing import Final

from bot.cli.administration import Administration
from bot.cli.console import write
from bot.conversation.traces import trace_store
from bot.evals.feedback import LEAST, THRESHOLDS, answers_of, fitted
from bot.evals.report import table
from bot.knowledge.embeddings.store import serving_model
from bot.models.bands import read_bands
from bot.models.choice import chosen_model

MOST_RUNS: Final = 100_000


async def fit_bands(here: Administration, file: Path, *, least: int = LEAST) -> None:
    """Fit, print and write. `least` is how many ratings it takes."""
    async with here.transaction() as connection:
        runs = await trace_store.runs(connection, limit=MOST_RUNS)
        embedding = chosen_model(here.settings.of_embedding, await serving_model(connection))
    current = read_bands(here.settings.bands) if here.settings.bands else None
    if current and current.embedding == embedding:
        runs = [run for run in runs if run.ended_at > datetime.fromisoformat(current.fitted_at)]
    else:
        current = None
    found = fitted(answers_of(runs), embedding=embedding, now=here.clock.now(), current=current, least=least)
    here.say("On the half of the answers that was held back:\n")
    here.say(table({"before": found.before, "after": found.after}))
    moved = ", ".join(f"{name} {at:g} → {found.bands.before(at):.3f}" for name, at in THRESHOLDS.items())
    here.say(f"\nThe thresholds, as the grades were before: {moved}.")
    await write(file, found.bands.as_json())
    here.say(f"Written to {file}. It counts from the next start with ASKBACK_BANDS={file}.")
