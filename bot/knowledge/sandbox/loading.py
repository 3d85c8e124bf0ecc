"""The child process that runs a document loader of LangChain, and writes each document as a line of JSON."""

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from langchain_core.document_loaders import BaseLoader

from bot.errors import KnowledgeError
from bot.knowledge.sandbox.child import own_output
from bot.knowledge.sandbox.hardening import restrict_process

_NETWORK_FILES: Final = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/run/systemd/resolve")
"""What a program reads before it connects to a name."""


def main() -> None:
    """Restrict this process, then run the loader that standard input names. The last line says that all were told."""
    memory_mb, seconds = sys.argv[1:]
    output = own_output()
    job = json.loads(sys.stdin.buffer.read())
    files = [Path(name) for name in (*job["files"], *(_NETWORK_FILES if job["network"] else ()))]
    # Secrets may lie beside a package, so only itself is read.
    folders = {package.parent for package in map(Path, job["places"])}
    sys.path += map(str, folders)
    files += map(Path, job["places"])
    restrict_process(int(memory_mb), float(seconds), files=files, listed=folders, has_network=job["network"])
    for line in _lines(job):
        output.write(f"{json.dumps(line)}\n")
    output.flush()


def _lines(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    try:
        for document in _loader(job["name"], job["packages"], job["arguments"]).lazy_load():
            yield {"id": document.id, "text": document.page_content, "metadata": _plain(document.metadata)}
        yield {"is_complete": True}
    except KnowledgeError as error:
        yield {"error": str(error)}
    except MemoryError:
        yield {"error": f"{job['name']} takes more memory than its memory_mb in ASKBACK_LOADERS."}
    except Exception as error:  # noqa: BLE001 - A loader raises what it likes. Its text may hold a secret.
        yield {"error": f"{job['name']} fails with {type(error).__name__}: try it by hand."}


def _loader(name: str, packages: list[str], arguments: dict[str, Any]) -> BaseLoader:
    """Return the loader. Raises `KnowledgeError` if the name leads to something else."""
    module, _, attribute = name.rpartition(".")
    if module.partition(".")[0] not in packages:
        raise KnowledgeError(f"{name} is of no package in ASKBACK_LOADER_PACKAGES.")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise KnowledgeError(f"{name} cannot be imported ({type(error).__name__}): install its package.") from error
    if not isinstance(found, type) or not issubclass(found, BaseLoader):
        raise KnowledgeError(f"{name} is no document loader of LangChain.")
    return found(**arguments)


def _plain(metadata: dict[Any, Any]) -> dict[str, str]:
    """Return what is short and simple."""
    return {str(key): str(value) for key, value in metadata.items() if isinstance(value, str | int | float)}
