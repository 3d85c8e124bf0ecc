"""The numbers that a process counts for Prometheus (requirement O4): no words, no people, no ids."""

from typing import Final

from prometheus_client import Counter, Histogram

RUNS: Final = Counter("askback_runs", "Runs of the graph that ended, by outcome.", ["outcome"])
RUN_SECONDS: Final = Histogram(
    "askback_run_seconds", "Seconds of a run's steps.", buckets=(0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120)
)
MODEL_CALLS: Final = Counter("askback_model_calls", "Answered calls to models.", ["model"])
MODEL_SECONDS: Final = Counter("askback_model_seconds", "Seconds of the answered calls to models.", ["model"])
MODEL_TOKENS: Final = Counter(
    "askback_model_tokens", "Tokens that models read (in) and wrote (out).", ["model", "direction"]
)
MODEL_COST: Final = Counter("askback_model_cost", "What the calls cost, in the currency of the prices.", ["model"])
RETRIEVER_FAILURES: Final = Counter("askback_retriever_failures", "Searches that failed.", ["retriever"])
SLACK_CALLS: Final = Counter(
    "askback_slack_calls",
    "Calls of Slack's Web API: ok, ratelimited, refused, or lost (no answer).",
    ["method", "result"],
)
