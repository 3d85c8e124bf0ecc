"""The limits for reading a web source."""

from dataclasses import dataclass
from typing import Final

from bot.settings import Settings

_LONGEST_CRAWL_DELAY: Final = 30.0
"""In seconds: more would keep the reading of a site from ending."""


@dataclass(frozen=True, kw_only=True)
class WebRules:
    """The limits of one source. The settings have the same defaults."""

    pages: int = 500
    pause_seconds: float = 1.0
    """Between two requests."""
    internal_hosts: frozenset[str] = frozenset()
    """Hosts that may have private addresses."""
    largest_mb: float = 50.0

    def pause_after(self, crawl_delay: float) -> float:
        """Return the seconds between two requests to a site whose robots.txt asks for as many as `crawl_delay`."""
        return max(self.pause_seconds, min(crawl_delay, _LONGEST_CRAWL_DELAY))

    @classmethod
    def of(cls, settings: Settings) -> "WebRules":
        """Return the limits of the settings."""
        return cls(
            pages=settings.web_pages,
            pause_seconds=settings.web_pause_seconds,
            internal_hosts=settings.web_internal_hosts,
            largest_mb=max(settings.largest_file_mb, settings.largest_foreign_file_mb),
        )
