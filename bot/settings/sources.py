"""Where documents, pages and tools come from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode

from bot.settings.addresses import fault_of
from bot.settings.variables import Variables, read_json

NOTION_URL = "https://api.notion.com"
TAVILY = "tavily"
LOADERS_EXAMPLE = '{"name": {"name": "package.module.Loader"}}'


class LoaderSettings(BaseModel):
    """A document loader of LangChain, and what it may do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")
    """The dotted name of its class."""
    arguments: dict[str, JsonValue] = {}
    secrets: dict[str, str] = {}
    """Names of variables in `ASKBACK_SOURCE_SECRETS`, by the arguments that get their values."""
    files: list[str] = []
    """Files and folders that it may read."""
    network: bool = False
    memory_mb: int = Field(default=1024, ge=128)
    seconds: float = Field(default=600, gt=0)


class SourceVariables(Variables):
    """The variables of sources, tools and links."""

    sync_sources: bool = Field(
        default=True,
        description="Whether `askback run` and `askback work` read sources again when they are due (`--every`)."
        " Otherwise"
        " let cron run `askback sources sync --due`.",
    )
    web_pages: int = Field(
        default=500,
        ge=1,
        le=20_000,
        description="The most pages of one web source that one reading fetches.",
    )
    web_pause_seconds: float = Field(
        default=1.0,
        ge=0,
        description="Seconds between two requests to a site, or more if its robots.txt says so (`Crawl-delay`).",
    )
    web_internal_hosts: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(),
        description="Hosts of web sources that may have addresses in your own network, separated by commas"
        " (`wiki.corp.example`). All others must have public addresses.",
    )
    source_secrets: Annotated[Mapping[str, SecretStr], NoDecode] = Field(
        default={},
        description="The names of the variables with the secrets of sources, separated by commas (`NOTION_TOKEN,"
        " NOTION_TOKEN_HR`). A source names its secret, and can name no other variable. `NOTION_TOKEN_FILE` may name"
        " a file instead.",
    )
    examples: Path | None = Field(
        default=None,
        description="A TOML file with your own examples of small talk, errands and questions"
        " ([how](operations/models.md#small-talk-and-errands)). Without a model, a message is what it comes"
        " nearest to.",
    )
    mcp_servers: Path | None = Field(
        default=None,
        description="A file that names MCP servers and allows their tools ([how](operations/tools.md)). Only a model"
        " uses them.",
    )
    web_search: str | None = Field(
        default=None,
        description="Searches the web for a question that no document answers: the address of a SearXNG"
        " (`https://search.example.com`), or `tavily`. The question goes there.",
    )
    tavily_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="TAVILY_API_KEY",
        description="The key for Tavily, if `ASKBACK_WEB_SEARCH` is `tavily`.",
    )
    notion_url: str = Field(
        default=NOTION_URL,
        description="The address of Notion's API, to which the tokens of Notion sources are sent.",
    )
    loaders: Annotated[Mapping[str, LoaderSettings], NoDecode] = Field(
        default={},
        description="Document loaders of LangChain as JSON: for each name the loader's `name`, its `arguments`, its"
        " `secrets`, the `files` that it may read, whether it may use the `network`"
        " ([how](operations/sources.md#document-loaders-of-langchain)).",
    )
    loader_packages: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(),
        description="The packages of which loaders may be, separated by commas (`langchain_community`).",
    )
    link_hosts: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(),
        description="The hosts, with their subdomains, to which answers and sources may link, separated by commas"
        " (`wiki.example.com, docs.example.com`; `*` for any). Other addresses can be read, not clicked.",
    )

    @field_validator("link_hosts", "web_internal_hosts", mode="before")
    @classmethod
    def _are_hosts(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        hosts = frozenset(host.strip().casefold() for host in given.split(",") if host.strip())
        if wrong := [host for host in hosts if host != "*" and set("/:@*?# ") & set(host)]:
            raise ValueError(f"{wrong[0]} is no host: give names such as wiki.example.com.")
        return hosts

    @field_validator("loaders", mode="before")
    @classmethod
    def _are_loaders(cls, given: object) -> object:
        return read_json(given, example=LOADERS_EXAMPLE)

    @field_validator("loader_packages", mode="before")
    @classmethod
    def _are_packages(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        names = frozenset(name.strip() for name in given.split(",") if name.strip())
        if wrong := [name for name in names if not name.isidentifier()]:
            raise ValueError(f"{wrong[0]} is no package: give names such as langchain_community.")
        return names

    @field_validator("notion_url", mode="after")
    @classmethod
    def _hides_tokens(cls, url: str) -> str:
        if fault_of(url):
            raise ValueError("give an address with https://, or one in your own network: tokens go there.")
        return url

    @model_validator(mode="after")
    def _searches_the_web_in_private(self) -> Self:
        if self.web_search is None:
            return self
        if self.web_search == TAVILY:
            if self.tavily_api_key is None:
                raise ValueError("ASKBACK_WEB_SEARCH=tavily needs TAVILY_API_KEY.")
        elif fault_of(self.web_search):
            raise ValueError(
                "ASKBACK_WEB_SEARCH: give tavily, or an address with https://, or one in your own network:"
                " questions go there."
            )
        return self
