"""All settings together: they are read once, from the environment and `.env`."""

import os
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final, Self

from pydantic import ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
)

from bot import dotenv, secret_files
from bot.errors import SettingsError
from bot.settings.addresses import fault_of, is_open
from bot.settings.conversation import ConversationVariables
from bot.settings.database import DatabaseVariables
from bot.settings.embedding import EmbeddingSettings, EmbeddingVariables
from bot.settings.faults import told
from bot.settings.limits import LimitVariables
from bot.settings.model_limits import ModelLimits
from bot.settings.models import PRICES_EXAMPLE, ModelVariables
from bot.settings.review import ReviewVariables
from bot.settings.slack import SlackVariables
from bot.settings.sources import LOADERS_EXAMPLE, SourceVariables
from bot.settings.telemetry import TelemetryVariables, require_no_tracing

_PREFIXES: Final = ("ASKBACK_", "SLACK_", "GROQ_")
_NEARLY: Final = 0.85
"""How alike (0–1) a variable and a setting are of which one is a slip of the other."""
_IDS: Final = {
    "ASKBACK_REVIEW_CHANNEL": "give the channel's id, such as C0123ABC45, and not its name.",
    "ASKBACK_REVIEWERS": "give ids of people and groups, such as U0123ABC45, S0123ABC45, and no names.",
}
"""What to say instead of the pattern that an id does not match."""
_EXAMPLES: Final = {
    "ASKBACK_EMBEDDING_DIMENSIONS": "1024",
    "ASKBACK_LOADERS": LOADERS_EXAMPLE,
    "ASKBACK_PRICES": PRICES_EXAMPLE,
}
"""How to write what has no default."""
_SOURCE_SECRETS = "ASKBACK_SOURCE_SECRETS"


class Settings(
    # Their order, from the last to the first, is that of docs/settings.md.
    TelemetryVariables,
    SourceVariables,
    LimitVariables,
    ReviewVariables,
    ConversationVariables,
    ModelLimits,
    EmbeddingVariables,
    ModelVariables,
    DatabaseVariables,
    SlackVariables,
):
    """The settings. The environment wins over `.env`. The demo needs none of them."""

    @model_validator(mode="after")
    def _asks_models_in_private(self) -> Self:
        for name, url in self._models_urls:
            fault = fault_of(url) if url else None
            if fault == "no_address":
                raise ValueError(f"{name} is no address: give one such as http://localhost:8080/v1.")
            if fault == "open" and not self.model_over_http:
                raise ValueError(
                    f"{name} is http:// outside your own network: use https://, or set"
                    " ASKBACK_MODEL_OVER_HTTP=true if you know that the way there is safe."
                )
        return self

    @model_validator(mode="after")
    def _has_reviewers_who_add(self) -> Self:
        if self.may_add == "reviewers" and not self.review_channel:
            raise ValueError("ASKBACK_MAY_ADD=reviewers needs ASKBACK_REVIEW_CHANNEL.")
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read secret files last, with our own source: the library's source reads every file of a folder."""
        del file_secret_settings
        variables = _variables(dotenv_settings, env_settings)
        ours = secret_files.names_of(cls.model_fields)
        secrets = secret_files.read(ours, variables)
        of_sources = InitSettingsSource(settings_cls, _secrets_of_sources(variables, ours))
        return init_settings, of_sources, env_settings, dotenv_settings, InitSettingsSource(settings_cls, secrets)

    @property
    def asks_models_openly(self) -> bool:
        """Whether prompts would go over a foreign network without encryption."""
        return any(is_open(url) for _, url in self._models_urls if url)

    @property
    def _models_urls(self) -> tuple[tuple[str, str | None], ...]:
        return (
            ("ASKBACK_MODEL_URL", self.model_url),
            ("GROQ_BASE_URL", self.groq_base_url),
            ("ASKBACK_EMBEDDING_URL", self.embedding_url),
        )

    @property
    def of_embedding(self) -> EmbeddingSettings:
        """The settings of the embedding."""
        return EmbeddingSettings(
            choice=self.embedding,
            dimensions=self.embedding_dimensions,
            url=self.embedding_url,
            key=self.embedding_key.get_secret_value() if self.embedding_key else "",
            openai_key=self.openai_api_key.get_secret_value() if self.openai_api_key else "",
            query_prefix=self.embedding_query_prefix,
            passage_prefix=self.embedding_passage_prefix,
        )

    @classmethod
    def read(cls) -> "Settings":
        """Read the environment and `.env`. Raises `SettingsError` that says what to fix and shows no value."""
        file = dotenv.trusted()
        try:
            settings = cls()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{file} cannot be read: {type(error).__name__}.") from None
        except ValidationError as error:
            faults = error.errors(include_input=False, include_url=False)
            raise SettingsError("\n".join(map(_said, faults))) from None
        if not settings.may_be_traced:
            require_no_tracing(os.environ)
        return settings

    @classmethod
    def files_with_secrets(cls) -> list[Path]:
        """Return the files from which secrets are read, besides `.env`."""
        variables = _variables(DotEnvSettingsSource(cls), EnvSettingsSource(cls))
        return [*secret_files.places(secret_files.names_of(cls.model_fields), variables).values()]

    @classmethod
    def misspelt(cls) -> dict[str, str]:
        """Return the variables that are no settings, but nearly are, each with the setting that may be meant."""
        ours = [str(field.validation_alias) for field in cls.model_fields.values()]
        ours += [f"{name}{secret_files.SUFFIX}" for name in secret_files.names_of(cls.model_fields)]
        given = {name.upper() for name in _variables(DotEnvSettingsSource(cls), EnvSettingsSource(cls))}
        strays = sorted(name for name in given.difference(ours) if name.startswith(_PREFIXES))
        meant = {stray: get_close_matches(stray, ours, n=1, cutoff=_NEARLY) for stray in strays}
        return {stray: close[0] for stray, close in meant.items() if close}


def _said(fault: ErrorDetails) -> str:
    """Return what is wrong with which variable; a fault of several names them itself."""
    where = [*map(str, fault["loc"])]
    name = where[0] if where else ""
    usual = next((field.default for field in Settings.model_fields.values() if field.validation_alias == name), None)
    return ": ".join([*where, _IDS.get(name) or told(fault, usual=usual, example=_EXAMPLES.get(name, ""))])


def _variables(*sources: PydanticBaseSettingsSource) -> dict[str, str | None]:
    """Return what `.env` and the environment say, by lower-case names; the last one counts."""
    return {
        name: value
        for source in sources
        if isinstance(source, EnvSettingsSource)
        for name, value in source.env_vars.items()
    }


def _secrets_of_sources(variables: Mapping[str, str | None], ours: list[str]) -> dict[str, object]:
    """Return the secrets that sources may name. Raises `SettingsError` if one is no secret of a source."""
    told = variables.get(_SOURCE_SECRETS.lower()) or ""
    names = [name for each in told.split(",") if (name := each.strip())]
    for name in names:
        if name != name.upper() or not name.replace("_", "").isalnum() or not name.isascii():
            # Not the name itself: it may be the secret.
            raise SettingsError(f"{_SOURCE_SECRETS}: give names of variables in capitals, and not what they hold.")
        if name in ours:
            raise SettingsError(f"{_SOURCE_SECRETS}: {name} is Askback's own, and no secret of a source.")
    values = {name: value for name in names if (value := variables.get(name.lower()))}
    return {_SOURCE_SECRETS: {**secret_files.read(names, variables), **values}} if names else {}


def environment_without_secrets(also: Collection[str]) -> dict[str, str]:
    """Return the environment without secrets, also without other named ones, for a child process."""
    secrets = [*secret_files.names_of(Settings.model_fields), *also]
    hidden = {*secrets, *(f"{name}{secret_files.SUFFIX}" for name in secrets)}
    return {name: value for name, value in os.environ.items() if name.upper() not in hidden}
