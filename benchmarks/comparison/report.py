"""Writes docs/benchmarks.md, the page with the last measurement."""

import os
import platform
from importlib.metadata import version

from benchmarks.comparison.faults import THREADS
from benchmarks.comparison.table import Results, markdown

DOCUMENTS = "\n## Reading documents\n"
"""Begins what `benchmarks.documents.ingesting` measured."""
_PAGE = """# Beside a plain bot

`make benchmark` compares Askback with `benchmarks/plain`, a bot of 300 lines as the guides of LangGraph and Bolt show
it: listeners that call the graph, a checkpointer on a pool, `interrupt()` behind buttons. Both use the same models,
the same search, the same grading, the same questions and the same local Slack. “Exit” is the plain bot with
LangGraph's `durability="exit"`. “Apart” is Askback as one receiver and two workers. All bots take turns in one run on
one machine, so trust the ratios, not the times.

Measured with {libraries}, Python {python} and PostgreSQL 18
on {cores} cores, which also ran the database, the local Slack, the model and the load.

{tables}

## How it is counted

- **Commits, rows, bytes** come from PostgreSQL's write-ahead log: transactions that wrote; rows inserted, updated or
  deleted (a long value takes several rows); records without the full-page images that follow a checkpoint. They
  include what scheduled jobs write in the meantime.
- **The model** is a local server that speaks Groq's protocol and answers at once. A token is four characters.
- **Processor time** is that of the bot's process alone. A sampler inside the process attributes it to the innermost
  package on the stack.
- **Slow commits**: the server waits (`commit_delay`), like a disk across a network or a synchronous replica. Commits
  that arrive in the meantime share the wait.
- **Acknowledged**: the local Slack has received the acknowledgement. Askback stores an event before it acknowledges;
  the plain bot acknowledges first, as Bolt does by default.
- **Bytes stored** are all rows of the thread, compressed as stored, in LangGraph's tables and ours.
- **Faults** are played in {threads} threads, the last one in twelve. *Right*: the thread has exactly the answers that
  people asked for, and its memory has all of them. *Lost*: an answer did not come within a minute, or the memory lost
  a question. *Doubled*: too many answers. After an edit, only an answer to the new text counts. Several questions in
  a row may be answered together or apart.

What Askback pays: an acknowledgement waits for a commit, the status line costs one more call to Slack, and posts and
attempts are committed apart from the run.
"""


def page(results: Results, before: str) -> str:
    """Return the page with the tables of the results. What it said before of reading documents stays."""
    _, heading, kept = before.partition(DOCUMENTS)
    filled = _PAGE.format(
        libraries=", ".join(f"{name} {version(name)}" for name in ("langgraph", "slack-bolt", "psycopg")),
        python=platform.python_version(),
        cores=os.cpu_count(),
        tables=markdown(results),
        threads=THREADS,
    )
    return f"{filled}{heading}{kept}"
