"""The Slack app, and how Askback reaches Slack."""

from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from bot.errors import SettingsError
from bot.settings.addresses import fault_of, is_loopback
from bot.settings.variables import Variables

SLACK_API_URL = "https://slack.com/api/"


class SlackVariables(Variables):
    """The variables of the Slack app."""

    slack_bot_token: SecretStr | None = Field(
        default=None, validation_alias="SLACK_BOT_TOKEN", description="The bot token of the Slack app (`xoxb-…`)."
    )
    slack_app_token: SecretStr | None = Field(
        default=None,
        validation_alias="SLACK_APP_TOKEN",
        description="The app-level token for Socket Mode (`xapp-…`, scope `connections:write`).",
    )
    slack_api_url: str = Field(
        default=SLACK_API_URL,
        validation_alias="SLACK_API_URL",
        description="The address of Slack's Web API; the demo sets it to the playground.",
    )

    @field_validator("slack_api_url", mode="after")
    @classmethod
    def _is_a_web_address(cls, url: str) -> str:
        if fault_of(url) == "no_address":
            raise ValueError(f"it is no address: give one such as {SLACK_API_URL}")
        return url

    @model_validator(mode="after")
    def _has_tokens_that_fit(self) -> Self:
        bot, app = self.slack_bot_token, self.slack_app_token
        if bot and not bot.get_secret_value().startswith("xox"):
            raise ValueError("SLACK_BOT_TOKEN must start with xoxb-.")
        if app and not app.get_secret_value().startswith("xapp-"):
            raise ValueError("SLACK_APP_TOKEN must start with xapp-.")
        return self

    @property
    def sends_tokens_openly(self) -> bool:
        """Whether the Slack tokens would go over a network without encryption."""
        address = urlsplit(self.slack_api_url)
        return address.scheme == "http" and not is_loopback(address.hostname or "")

    def require_slack(self) -> tuple[str, str]:
        """Return the bot and the app token. Raises `SettingsError` if one is missing."""
        if self.slack_bot_token is None or self.slack_app_token is None:
            raise SettingsError(
                "Set SLACK_BOT_TOKEN and SLACK_APP_TOKEN (README: From the manifest to the first answer),"
                " or run `askback demo`, which needs neither."
            )
        return self.slack_bot_token.get_secret_value(), self.slack_app_token.get_secret_value()
