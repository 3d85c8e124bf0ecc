"""Selects models and servers from the settings: providers, addresses and keys (pure)."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pydantic import SecretStr

from bot.errors import SettingsError
from bot.settings import EmbeddingSettings, Settings

Provider: TypeAlias = Literal["groq", "own", "openai", "anthropic", "ollama", "other"]
"""`own` is any server with OpenAI's protocol, `other` any other provider that LangChain can name."""

URLS: Final[dict[Provider, str]] = {
    "groq": "https://api.groq.com/openai/v1",
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://127.0.0.1:11434",
}
NAMES: Final[dict[Provider, str]] = {
    "groq": "Groq",
    "own": "The server",
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "ollama": "Ollama",
}
_GROQ_PATH: Final = "/openai/v1"
_NO_KEY: Final = SecretStr("none")


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server of language models."""

    provider: Provider
    url: str
    """With the protocol's path for Groq and one's own server, without it for Anthropic and Ollama.

    For another provider its name at LangChain, whose library knows the address.
    """
    key: SecretStr = _NO_KEY

    @classmethod
    def groq(cls, key: SecretStr, url: str | None) -> "Server":
        """Return Groq, or a server in its place, whether or not the address contains the path."""
        root = (url or URLS["groq"]).rstrip("/").removesuffix(_GROQ_PATH)
        return cls(provider="groq", url=root + _GROQ_PATH, key=key)

    @classmethod
    def own(cls, url: str, key: SecretStr | None) -> "Server":
        """Return the server at an address such as `http://localhost:11434/v1`. Many such servers need no key."""
        return cls(provider="own", url=url.rstrip("/").removesuffix("/chat/completions"), key=key or _NO_KEY)

    @property
    def has_key(self) -> bool:
        """Whether there is a key to send."""
        return self.key != _NO_KEY

    @property
    def bearer(self) -> dict[str, str]:
        """The header with the key, if there is one to send."""
        return {"Authorization": f"Bearer {self.key.get_secret_value()}"} if self.has_key else {}

    @property
    def name(self) -> str:
        """The name in messages to people."""
        if self.provider == "other":
            return self.url
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
    small = _named("ASKBACK_SMALL_MODEL", settings.small_model, settings)
    large = _named("ASKBACK_LARGE_MODEL", settings.large_model, settings)
    providers = {small.provider, large.provider}
    if providers == {"groq"} and not settings.groq_api_key:
        return None
    if settings.model_url and len(providers - {"groq"}) > 1:
        raise SettingsError("ASKBACK_MODEL_URL is one server: both models must be of one provider, or leave it out.")
    return (
        ModelAt(server=_server(small, settings), name=small.name),
        ModelAt(server=_server(large, settings), name=large.name),
    )


def embedding_server(provider: str, settings: EmbeddingSettings) -> Server:
    """Return the server of a provider's embedding models. Raises `SettingsError` if its key is missing."""
    key = SecretStr(settings.key) if settings.key else _NO_KEY
    url = (settings.url or "").rstrip("/").removesuffix("/embeddings")
    match provider:
        case "openai" if settings.url:
            return Server(provider="own", url=url, key=key)
        case "openai":
            if not settings.openai_key:
                raise SettingsError("ASKBACK_EMBEDDING is a model of OpenAI's: set OPENAI_API_KEY.")
            # Always give an address: without one, a library looks for it in the environment.
            return Server(provider="openai", url=URLS["openai"], key=SecretStr(settings.openai_key))
        case "ollama":
            return Server(provider="ollama", url=url or URLS["ollama"], key=key)
        case _:
            return Server(provider="other", url=provider)


@dataclass(frozen=True, kw_only=True)
class _Named:
    """A model as its setting names it."""

    setting: str
    provider: Provider
    name: str
    elsewhere: str = ""
    """LangChain's name of another provider."""


def _named(setting: str, value: str, settings: Settings) -> _Named:
    before, colon, name = value.partition(":")
    for known in URLS:
        if colon and before == known:
            return _Named(setting=setting, provider=known, name=name)
    if settings.model_url:
        return _Named(setting=setting, provider="own", name=value)
    if colon:
        return _Named(setting=setting, provider="other", name=name, elsewhere=before)
    return _Named(setting=setting, provider="groq", name=value)


def _server(named: _Named, settings: Settings) -> Server:
    match named.provider:
        case "groq":
            if not settings.groq_api_key:
                raise SettingsError(f"{named.setting} is a model of Groq's: set GROQ_API_KEY, or name another model.")
            return Server.groq(settings.groq_api_key, settings.groq_base_url)
        case "other":
            return Server(provider="other", url=named.elsewhere)
        case "own" if settings.model_url:
            return Server.own(settings.model_url, settings.model_key)
        case provider:
            key = settings.model_key if settings.model_url else _key(named.setting, provider, settings)
            # Always give an address: without one, a library looks for it in the environment.
            url = (settings.model_url or URLS[provider]).rstrip("/")
            return Server(provider=provider, url=url, key=key or _NO_KEY)


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
