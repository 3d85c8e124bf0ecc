"""What a call to a model cost, counted in tokens."""

from dataclasses import asdict, dataclass
from typing import Literal

import structlog
from langchain_core.messages.ai import UsageMetadata

Role = Literal["small", "large"]


@dataclass(frozen=True, kw_only=True)
class Usage:
    """The tokens of one call."""

    model: str
    role: Role
    prompt: str
    """The prompt's name, which is the node's."""
    tokens_in: int
    tokens_cached: int
    """Those of `tokens_in` that the provider had cached."""
    tokens_out: int
    seconds: float


def read_usage(metadata: UsageMetadata | None, *, model: str, role: Role, prompt: str, seconds: float) -> Usage:
    """Make the record of a call; without `metadata`, as of a cut stream, it counts no tokens."""
    return Usage(
        model=model,
        role=role,
        prompt=prompt,
        tokens_in=metadata["input_tokens"] if metadata else 0,
        tokens_cached=metadata.get("input_token_details", {}).get("cache_read", 0) if metadata else 0,
        tokens_out=metadata["output_tokens"] if metadata else 0,
        seconds=round(seconds, 3),
    )


def log_usage(usage: Usage) -> None:
    """Write the record to the log."""
    structlog.get_logger().info("model_answered", **asdict(usage))
