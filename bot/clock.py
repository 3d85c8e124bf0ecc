"""The system's clock, behind the port that tests can turn."""

from datetime import UTC, datetime


class SystemClock:
    """The time as the machine knows it."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)
