"""Reads the operator's file of MCP servers: which are started or called, and which of their tools are allowed.

The file has the form that MCP servers publish in their READMEs (`mcpServers`), as YAML or JSON, with two lists more:
`reads` and `writes`. A tool that stands in neither is never named to a model. What a server says of its tools
(`readOnlyHint`) counts only against a tool, because a server may lie.
"""

from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Annotated, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.errors import SettingsError
from bot.settings import Settings, fault_of
from bot.settings.faults import told

SECONDS = 5.0
"""The usual time limit of a call."""
LONGEST_SECONDS = 60.0
MOST_TOOLS = 30
"""Allowed tools of all servers together; a model reads them with every question."""
_EXAMPLES = {
    0: "mcpServers: {tracker: {url: https://tracker.example.org/mcp, reads: [search_issues]}}",
    1: "{tracker: {url: https://tracker.example.org/mcp, reads: [search_issues]}}",
    2: "{url: https://tracker.example.org/mcp, reads: [search_issues]}",
}
"""How to write the file, its servers and one of them, by the parts of their place in the file."""

_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]


class AllowedServer(BaseModel):
    """A server, started by `command` or called at `url`, and what it is allowed to do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(default="", max_length=40)
    """The name for people; the key in the file by default."""
    type: Literal["stdio", "http", "streamable-http"] | None = None
    """Ignored; other programs write it."""
    command: str = ""
    args: list[str] = []
    env: dict[str, str] = {}
    url: str = ""
    headers: dict[str, str] = {}
    reads: list[_Name] = []
    writes: list[_Name] = []
    seconds: float = Field(default=SECONDS, gt=0, le=LONGEST_SECONDS)
    """The time limit of a call."""

    @model_validator(mode="after")
    def _can_be_reached(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("give either a command or a url.")
        fault = fault_of(self.url) if self.url else None
        if fault == "no_address":
            raise ValueError("the url must begin with https:// or http://.")
        if fault == "open":
            raise ValueError("the url is http:// outside your own network: use https://.")
        if both := set(self.reads) & set(self.writes):
            raise ValueError(f"{min(both)} is in reads and in writes.")
        return self


class _File(BaseModel):
    servers: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,30}$")], AllowedServer] = Field(alias="mcpServers")

    @model_validator(mode="after")
    def _are_few(self) -> Self:
        if sum(len(server.reads) + len(server.writes) for server in self.servers.values()) > MOST_TOOLS:
            raise ValueError(
                f"more than {MOST_TOOLS} tools are allowed; a model reads all of them with every question."
            )
        return self


def allowed_servers(settings: Settings) -> dict[str, AllowedServer]:
    """Return the servers of the operator's file by name, with their secrets; none without a file.

    Raises `SettingsError` that says what to fix, and shows no value.
    """
    path = settings.mcp_servers
    if path is None:
        return {}
    secrets = {name: secret.get_secret_value().strip() for name, secret in settings.source_secrets.items()}
    return {name: _with_secrets(server, secrets, name) for name, server in _read(path).items()}


def _read(path: Path) -> dict[str, AllowedServer]:
    try:
        return _File.model_validate(yaml.safe_load(path.read_text(encoding="utf-8"))).servers
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'file'}: {told(fault, example=_EXAMPLES.get(len(fault['loc']), ''))}"
            for fault in error.errors(include_input=False, include_url=False)
        ]
        raise SettingsError("\n".join([f"ASKBACK_MCP_SERVERS: {path}", *faults])) from None
    # YAML reads what looks like a date, and raises a ValueError if there is no such day.
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise SettingsError(f"ASKBACK_MCP_SERVERS: {path} cannot be read: {type(error).__name__}.") from None


def _with_secrets(server: AllowedServer, secrets: Mapping[str, str], name: str) -> AllowedServer:
    try:
        put_in = {
            field: {key: Template(value).substitute(secrets) for key, value in getattr(server, field).items()}
            for field in ("env", "headers")
        }
    except (KeyError, ValueError) as error:
        # A part of a password behind its $ has no capitals only.
        missing = error.args[0] if isinstance(error, KeyError) and error.args[0].isupper() else "a name after $"
        raise SettingsError(
            f"ASKBACK_MCP_SERVERS: {name} needs the secret {missing}: name it in ASKBACK_SOURCE_SECRETS."
        ) from None
    return server.model_copy(update=put_in)
