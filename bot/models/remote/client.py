"""LangChain's clients of embedding models, each with connections that somebody closes."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import httpx
from langchain_core.embeddings import Embeddings

from bot.certificates import authorities
from bot.errors import SettingsError
from bot.models.llm.servers import Server


@contextmanager
def connected(server: Server, name: str, *, seconds: float) -> Generator[Embeddings]:
    """Open a client whose requests take at most some seconds.

    Raises `SettingsError` if its library is not installed, or if the library lacks a setting of its own.
    """
    match server.provider:
        case "openai" | "own":
            # The library has its own httpx, or the successor.
            http_class = _library("openai", server).DefaultHttpxClient
            with http_class(timeout=seconds, verify=authorities()) as http:
                yield _client(
                    server,
                    name,
                    base_url=server.url,
                    api_key=server.key,
                    http_client=http,
                    timeout=seconds,
                    max_retries=0,
                    check_embedding_ctx_length=False,
                )
        case "ollama":
            both = {"timeout": seconds, "headers": server.bearer, "verify": authorities()}
            with httpx.HTTPTransport(verify=authorities()) as transport:
                yield _client(
                    server, name, base_url=server.url, client_kwargs=both, sync_client_kwargs={"transport": transport}
                )
        case _:
            # Passages are short. Without this, OpenAI's tokenizer would be fetched from the network.
            own = {"check_embedding_ctx_length": False} if "openai" in server.url else {}
            yield _client(server, name, **own)


def _client(server: Server, name: str, **arguments: Any) -> Embeddings:
    provider = {"other": server.url, "own": "openai"}.get(server.provider, server.provider)
    init_embeddings = _library("langchain.embeddings", server).init_embeddings
    try:
        return init_embeddings(name, provider=provider, **arguments)
    except ImportError as error:
        raise _missing(server) from error
    except Exception as error:
        # A client that lacks its key says so in an error of its own kind.
        raise SettingsError(f"{server.name} cannot be asked: {str(error).splitlines()[0]}") from error


def _library(name: str, server: Server) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise _missing(server) from error


def _missing(server: Server) -> SettingsError:
    extra = {"other": f"langchain' 'langchain-{server.url}", "own": "askback[openai]"}
    package = extra.get(server.provider, f"askback[{server.provider}]")
    return SettingsError(f"To embed with {server.name}, install its library: pip install '{package}'.")
