"""The page of the documents that keeps the last measurement."""

import os
import platform
from importlib.metadata import version

from benchmarks.faults import THREADS
from benchmarks.table import Results, markdown

_PAGE = """# Beside a plain bot

`make benchmark` runs Askback and `benchmarks/plain`, a bot of 300 lines as the guides of LangGraph and Bolt show it:
listeners that call the graph, a checkpointer on a pool, `interrupt()` behind buttons. It has the same models, the same
search, the same grading, the same questions, and the same local Slack. “Exit” is the same bot with LangGraph's
`durability="exit"`; “apart” is Askback as one receiver and two workers. All take turns in one run on one machine, so
that ratios mean something where times do not.

Measured with {libraries}, Python {python} and PostgreSQL 18,
on {cores} cores, which also ran the database, the local Slack, the model and those who asked.

{tables}

## What is counted

- Commits, rows and bytes are read from PostgreSQL's write-ahead log: transactions that wrote, rows inserted, updated or
  deleted (a long value's pieces are rows too), and records without the page images that follow a checkpoint. What the
  bot's sweeps write meanwhile is in it.
- The model is a local server that speaks Groq's protocol and answers at once; a token is four characters.
- The processor's time is that of the bot's process alone.
- Where a commit takes longer, the server waits with it (`commit_delay`), as a disk across a network or a replica that
  must confirm would; commits that come meanwhile go with it.
- Its parts are sampled inside the process, by the innermost package that is on the stack.
- Acknowledged is a delivery when the local Slack has heard so. Askback acknowledges what it has stored; the plain bot
  acknowledges first, as is Bolt's default.
- Bytes stored are those of all rows that belong to the thread, compressed as they lie, in LangGraph's tables and ours.
- A mishap is played in {threads} threads, the last in twelve. Right is a thread with exactly the answers that were
  asked for, of which the thread's memory has all. Lost are answers that never came without somebody's help, for which
  each bot has a minute, and questions that the memory no longer has. Doubled are answers too many. After an edit only
  an answer to the new text counts; of several questions in a row, answers together or apart.

What Askback pays: acknowledgements wait for a commit, the status line is one more call to Slack, and what was posted
and attempted is committed apart from the run.
"""


def page(results: Results) -> str:
    """Return the page with its tables."""
    return _PAGE.format(
        libraries=", ".join(f"{name} {version(name)}" for name in ("langgraph", "slack-bolt", "psycopg")),
        python=platform.python_version(),
        cores=os.cpu_count(),
        tables=markdown(results),
        threads=THREADS,
    )
