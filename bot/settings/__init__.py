"""All settings, typed and documented. Only this package reads the environment."""

from bot.settings.addresses import fault_of
from bot.settings.embedding import BuiltInEmbedding, EmbeddingSettings
from bot.settings.models import Price
from bot.settings.settings import Settings, environment_without_secrets
from bot.settings.slack import SLACK_API_URL
from bot.settings.sources import NOTION_URL, TAVILY, LoaderSettings

__all__ = [
    "NOTION_URL",
    "SLACK_API_URL",
    "TAVILY",
    "BuiltInEmbedding",
    "EmbeddingSettings",
    "LoaderSettings",
    "Price",
    "Settings",
    "environment_without_secrets",
    "fault_of",
]
