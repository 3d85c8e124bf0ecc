"""What reading the web may take, and where it may lead."""

from dataclasses import dataclass

from bot.settings import Settings


@dataclass(frozen=True, kw_only=True)
class WebRules:
    """Bounds of one source; the settings have the same defaults."""

    pages: int = 500
    pause_seconds: float = 1.0
    """Between two requests."""
    internal_hosts: frozenset[str] = frozenset()
    """Hosts that may have addresses of a network of ours."""
    largest_mb: float = 50.0

    @classmethod
    def of(cls, settings: Settings) -> "WebRules":
        """Return what the settings say."""
        return cls(
            pages=settings.web_pages,
            pause_seconds=settings.web_pause_seconds,
            internal_hosts=settings.web_internal_hosts,
            largest_mb=max(settings.largest_file_mb, settings.largest_foreign_file_mb),
        )
