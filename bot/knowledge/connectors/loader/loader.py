"""A source of a document loader of LangChain: `loader:NAME`, where NAME stands in `ASKBACK_LOADERS`.

A loader knows no changes, so each reading runs it to its end and compares what it says with the last time.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes, NoTextError
from bot.knowledge.connectors.listed import Listed
from bot.knowledge.connectors.loader.pages import Loaded, page_of, path_of
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.sandbox.parent import child_process
from bot.settings import LoaderSettings

SCHEME: Final = "loader:"
_LONGEST_LINE: Final = 64_000_000
_MOST_BYTES: Final = 1_000_000_000
"""What one run of a loader may say."""


class _Line(BaseModel):
    """A line of the child: a document, the end, or why there is none."""

    id: str | None = None
    text: str = ""
    metadata: dict[str, str] = {}
    is_complete: bool = False
    error: str = ""


class Loader:
    """What one loader loads."""

    kind = "loader"

    def __init__(self, location: str, settings: SourceSettings) -> None:
        name = location.removeprefix(SCHEME)
        if not location.startswith(SCHEME) or name not in settings.loaders:
            known = ", ".join(f"{SCHEME}{one}" for one in settings.loaders) or "none is there"
            raise KnowledgeError(f"ASKBACK_LOADERS names no loader {name}: {known}.")
        self.location = location
        self._loader = settings.loaders[name]
        self._packages = sorted(settings.loader_packages)
        package = self._loader.name.partition(".")[0]
        if package not in self._packages:
            raise KnowledgeError(f"{self._loader.name} is refused: {package} is not in ASKBACK_LOADER_PACKAGES.")
        self._secrets = {argument: settings.secret(secret) for argument, secret in self._loader.secrets.items()}
        self._folder = TemporaryDirectory[str](prefix="askback-loader-")
        self._listed: Listed | None = None
        self._files: dict[str, Path] = {}
        self._urls: dict[str, str] = {}

    async def changes(self, cursor: str) -> Changes:
        """Run the loader to its end, then return what differs from the last time, a part at a time."""
        if self._listed is None:
            self._listed = Listed(await self._digests())
        return self._listed.changes(cursor)

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a document as Markdown."""
        if path not in self._files:
            raise KnowledgeError("The loader does not load it any more.")
        content = await asyncio.to_thread(self._files[path].read_bytes)
        if not content:
            raise NoTextError
        return limits.fitting(content, path)

    def url_of(self, path: str) -> str | None:
        """Return the address that the loader names, if it names one."""
        return self._urls.get(path)

    async def aclose(self) -> None:
        """Remove what was loaded."""
        await asyncio.to_thread(self._folder.cleanup)

    async def _digests(self) -> dict[str, str]:
        """Run the loader, keep what it loads, and return the digests by path. Raises `KnowledgeError`."""
        digests: dict[str, str] = {}
        try:
            # Here and not where it is loaded: the time may be over while a document is kept.
            async with asyncio.timeout(self._loader.seconds), aclosing(self._loaded()) as every:
                async for loaded in every:
                    path = path_of(loaded, taken=digests)
                    digests[path] = await asyncio.to_thread(self._keep, path, loaded)
        except TimeoutError:
            raise KnowledgeError(
                f"{self._loader.name} takes longer than {self._loader.seconds:g} seconds: raise its seconds."
            ) from None
        return digests

    def _keep(self, path: str, loaded: Loaded) -> str:
        """Store a document for this reading, and return its digest."""
        content = page_of(loaded).encode("utf-8", "replace")
        self._files[path] = Path(self._folder.name, str(len(self._files)))
        self._files[path].write_bytes(content)
        if loaded.url:
            self._urls[path] = loaded.url
        return hashlib.sha256(content + loaded.url.encode("utf-8", "replace")).hexdigest()[:32]

    async def _loaded(self) -> AsyncGenerator[Loaded]:
        """Yield what the child loads. Raises `KnowledgeError` if that is not everything."""
        limits = [str(self._loader.memory_mb), str(self._loader.seconds)]
        async with child_process("loading", limits, longest_line=_LONGEST_LINE) as child:
            assert child.stdin is not None
            child.stdin.write(json.dumps(await asyncio.to_thread(self._job)).encode())
            child.stdin.close()
            async with aclosing(_lines(child)) as lines:
                async for line in lines:
                    if line.error:
                        raise KnowledgeError(line.error)
                    if line.is_complete:
                        return
                    yield Loaded(id=line.id or "", text=line.text, metadata=line.metadata)
        raise KnowledgeError(f"{self._loader.name} broke, or took more memory or time than ASKBACK_LOADERS allows.")

    def _job(self) -> dict[str, Any]:
        return {
            "name": self._loader.name,
            "packages": self._packages,
            "arguments": {**self._loader.arguments, **self._secrets},
            "files": [str(Path(file).resolve()) for file in self._loader.files],
            "network": self._loader.network,
            "places": _places_of(self._loader),
        }


async def _lines(child: asyncio.subprocess.Process) -> AsyncGenerator[_Line]:
    assert child.stdout is not None
    size = 0
    try:
        async for line in child.stdout:
            size += len(line)
            if size > _MOST_BYTES:
                raise KnowledgeError(f"The loader says more than {_MOST_BYTES // 1_000_000} MB: load less.")
            yield _Line.model_validate_json(line)
    except ValidationError as error:
        raise KnowledgeError("What the loader says cannot be read: try it by hand.") from error
    except ValueError as error:
        raise KnowledgeError(f"A document is larger than {_LONGEST_LINE // 1_000_000} MB: load less.") from error


def _places_of(loader: LoaderSettings) -> list[str]:
    """Return where this process would import the loader's package from; the child knows no `PYTHONPATH`."""
    try:
        spec = find_spec(loader.name.partition(".")[0])
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    return [*spec.submodule_search_locations] if spec.submodule_search_locations else [spec.origin or ""]
