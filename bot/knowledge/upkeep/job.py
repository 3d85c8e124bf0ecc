"""What a process that reads one source is told: it needs no settings, and no secret but the database's."""

from typing import Literal, Self

from pydantic import BaseModel

from bot.knowledge.connectors.web.rules import WebRules
from bot.knowledge.sandbox.limits import Limits
from bot.settings import Settings

BUSY = 75
"""Its exit code if another process reads a source just now."""
PATIENCE_SECONDS = 1.5
"""For it to let go of what it reads; then it is killed."""


class Job(BaseModel):
    """One source to be read, by the role that serves."""

    url: str
    workspace: str
    source_id: int
    embedding: Literal["english", "multilingual"]
    limits: Limits
    web: WebRules
    log_format: Literal["console", "json"]
    log_level: Literal["debug", "info", "warning", "error"]

    @classmethod
    def of(cls, settings: Settings, url: str, source_id: int) -> Self:
        """Return the job of reading a source of the workspace that is set."""
        return cls(
            url=url,
            workspace=settings.workspace,
            source_id=source_id,
            embedding=settings.embedding,
            limits=Limits.of(settings),
            web=WebRules.of(settings),
            log_format=settings.log_format,
            log_level=settings.log_level,
        )
