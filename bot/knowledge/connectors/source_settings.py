"""What the operator gives connectors: limits, addresses and secrets. Rows name secrets and never hold them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.errors import KnowledgeError
from bot.settings import NOTION_URL, SLACK_API_URL, LoaderSettings, Settings


@dataclass(frozen=True, kw_only=True)
class WebRules:
    """The limits for reading a web source, with the same defaults as the settings."""

    pages: int = 500
    pause_seconds: float = 1.0
    """Between two requests."""
    internal_hosts: frozenset[str] = frozenset()
    """Hosts that may have private addresses."""
    largest_mb: float = 50.0


@dataclass(frozen=True, kw_only=True)
class SourceSettings:
    """The settings that concern sources, with the same defaults."""

    web: WebRules = field(default_factory=WebRules)
    notion_url: str = NOTION_URL
    notion_pause_seconds: float = 0.35
    """Between two requests: Notion accepts three a second."""
    loaders: Mapping[str, LoaderSettings] = field(default_factory=dict[str, LoaderSettings])
    """The document loaders that sources may name."""
    loader_packages: frozenset[str] = frozenset()
    secrets: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """The value of each variable that `ASKBACK_SOURCE_SECRETS` names and that is set."""

    slack_url: str = SLACK_API_URL
    slack_token: str = field(default="", repr=False)
    """The bot's token, with which Slack's channels are read."""

    @classmethod
    def of(cls, settings: Settings) -> "SourceSettings":
        """Return what concerns sources."""
        secrets = {name: secret.get_secret_value().strip() for name, secret in settings.source_secrets.items()}
        return cls(
            web=WebRules(
                pages=settings.web_pages,
                pause_seconds=settings.web_pause_seconds,
                internal_hosts=settings.web_internal_hosts,
                largest_mb=max(settings.largest_file_mb, settings.largest_foreign_file_mb),
            ),
            notion_url=settings.notion_url,
            loaders=settings.loaders,
            loader_packages=settings.loader_packages,
            secrets=secrets,
            slack_url=settings.slack_api_url,
            slack_token=settings.slack_bot_token.get_secret_value() if settings.slack_bot_token else "",
        )

    def secret(self, name: str) -> str:
        """Return a secret by the name of its variable. Raises `KnowledgeError` if it is missing."""
        value = self.secrets.get(name)
        if not value:
            raise KnowledgeError(
                f"The secret {name} is missing: name it in ASKBACK_SOURCE_SECRETS, and set {name} or {name}_FILE."
            )
        # A library that refuses it as a header would show it in its message.
        if not value.isascii() or not value.isprintable() or " " in value:
            raise KnowledgeError(f"The secret {name} is not one word of ASCII signs: set it again.")
        return value
