"""The limits for reading a web source."""

from dataclasses import dataclass

from bot.settings import Settings


@dataclass(frozen=True, kw_only=True)
class WebRules:
    """The limits of one source. The settings have the same defaults."""

    pages: int = 500
    pause_seconds: float = 1.0
    """Between two requests."""
    internal_hosts: frozenset[str] = frozenset()
    """Hosts that may have private addresses."""
    largest_mb: float = 50.0

    @classmethod
    def of(cls, settings: Settings) -> "WebRules":
        """Return the limits of the settings."""
        return cls(
            pages=settings.web_pages,
            pause_seconds=settings.web_pause_seconds,
            internal_hosts=settings.web_internal_hosts,
            largest_mb=max(settings.largest_file_mb, settings.largest_foreign_file_mb),
        )
