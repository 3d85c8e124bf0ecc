"""Selects models and servers from the settings: providers, addresses and keys (pure)."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from pydantic import SecretStr

from bot.errors import SettingsError
from bot.settings import Settings

Provider: TypeAlias = Literal["groq", "own", "openai", "anthropic", "ollama"]
"""`own` is any server with OpenAI's protocol."""

URLS: Final[dict[Provider, str]] = {
    "groq": "https://api.groq.com/openai/v1",
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://127.0.0.1:11434",
}
NAMES: Final[dict[Provider, str]] = {
    "groq": "Groq", "own": "The server", "openai": "OpenAI", "anthropic": "Anthropic", "ollama": "Ollama",
}  # fmt: skip
_GROQ_PATH: Final = "/openai/v1"
_NO_KEY: Final = SecretStr("none")


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server of language models."""

    provider: Provider
    url: str
    """With the protocol's path for Groq and one's own server, without it for Anthropic and Ollama."""
    key: SecretStr = _NO_KEY

    @classmethod
    def groq(cls, key: SecretStr, url: str | None = None) -> "Server":
        """Return Groq, or a server in its place, whether or not the address contains the path."""
        root = (url or URLS["groq"]).rstrip("/").removesuffix(_GROQ_PATH)
        return cls(provider="groq", url=root + _GROQ_PATH, key=key)

    @classmethod
    def own(cls, url: str, key: SecretStr | None = None) -> "Server":
        """Return the server at an address such as `http://localhost:11434/v1`. Many such servers need no key."""
        return cls(provider="own", url=url.rstrip("/").removesuffix("/chat/completions"), key=key or _NO_KEY)

    @property
    def has_key(self) -> bool:
        """Whether there is a key to send."""
        return self.key != _NO_KEY

    @property
    def name(self) -> str:
        """The name in messages to people."""
        return NAMES[self.provider] if self.url == URLS.get(self.provider) else f"{NAMES[self.provider]} at {self.url}"


@dataclass(frozen=True, kw_only=True)
class ModelAt:
    """A model's name and its server."""

    server: Server
    name: str


def models_of(settings: Settings) -> tuple[ModelAt, ModelAt] | None:
    """Return the small and the large model; `None` if no model is configured.

    Raises `SettingsError` if a model cannot be called.
    """
    named = {
        "ASKBACK_SMALL_MODEL": settings.small_model,
        "ASKBACK_LARGE_MODEL": settings.large_model,
    }
    parsed = {setting: _parsed(setting, name, settings) for setting, name in named.items()}
    providers = {provider for provider, _ in parsed.values()}
    if providers == {"groq"} and not settings.groq_api_key:
        return None
    if settings.model_url and len(providers - {"groq"}) > 1:
        raise SettingsError("ASKBACK_MODEL_URL is one server: both models must be of one provider, or leave it out.")
    small, large = (
        ModelAt(server=_server(setting, provider, settings), name=name) for setting, (provider, name) in parsed.items()
    )
    return small, large


def _parsed(setting: str, value: str, settings: Settings) -> tuple[Provider, str]:
    provider, colon, name = value.partition(":")
    for known in get_args(Provider):
        if colon and provider == known != "own":
            return known, name
    if settings.model_url:
        return "own", value
    if colon:
        known = ", ".join(URLS)
        raise SettingsError(
            f"{setting}: {provider} is no provider that Askback knows ({known});"
            " a server that speaks OpenAI's protocol goes into ASKBACK_MODEL_URL."
        )
    return "groq", value


def _server(setting: str, provider: Provider, settings: Settings) -> Server:
    if provider == "groq":
        if not settings.groq_api_key:
            raise SettingsError(f"{setting} is a model of Groq's: set GROQ_API_KEY, or name another model.")
        return Server.groq(settings.groq_api_key, settings.groq_base_url)
    if settings.model_url and provider == "own":
        return Server.own(settings.model_url, settings.model_key)
    key = settings.model_key if settings.model_url else _key(setting, provider, settings)
    # Always give an address: without one, a library looks for it in the environment.
    return Server(provider=provider, url=(settings.model_url or URLS[provider]).rstrip("/"), key=key or _NO_KEY)


def _key(setting: str, provider: Provider, settings: Settings) -> SecretStr | None:
    match provider:
        case "openai":
            variable, key = "OPENAI_API_KEY", settings.openai_api_key
        case "anthropic":
            variable, key = "ANTHROPIC_API_KEY", settings.anthropic_api_key
        case _:
            return settings.model_key
    if not key:
        raise SettingsError(f"{setting} is a model of {NAMES[provider]}'s: set {variable}.")
    return key
