"""The cost of a call to a model, in tokens and in money."""

from dataclasses import asdict, dataclass
from typing import Literal

import structlog
from langchain_core.messages.ai import UsageMetadata

from bot.settings import Price

Role = Literal["small", "large", "embedding"]


@dataclass(frozen=True, kw_only=True)
class Usage:
    """The tokens of one call."""

    model: str
    role: Role
    prompt: str
    """The name of the prompt and of its node."""
    tokens_in: int
    tokens_cached: int
    """The part of `tokens_in` that the provider had cached."""
    tokens_out: int
    seconds: float

    def cost(self, price: Price) -> float:
        """Return what the tokens cost, in the price's currency."""
        cached = price.input if price.cached_input is None else price.cached_input
        fresh = self.tokens_in - self.tokens_cached
        return (fresh * price.input + self.tokens_cached * cached + self.tokens_out * price.output) / 1_000_000


def read_usage(metadata: UsageMetadata | None, *, model: str, role: Role, prompt: str, seconds: float) -> Usage:
    """Return the usage of one call. Without `metadata`, as after a cut stream, it counts no tokens."""
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
    """Log the usage."""
    structlog.get_logger().info("model_answered", **asdict(usage))
