"""Document loaders of LangChain that behave, and some that do not."""

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

no_loader = os.getcwd


class Pages(BaseLoader):
    """Loads the pages of a file of JSON: texts by their addresses."""

    def __init__(self, file: str, token: str = "") -> None:
        self._file = Path(file)
        self._token = token

    def lazy_load(self) -> Iterator[Document]:
        for url, text in json.loads(self._file.read_text()).items():
            yield Document(text, metadata={"source": url, "title": url[-5:], "score": 3, "nested": {"left": "out"}})


class Half(Pages):
    """Loads all pages, and then fails with its secret in its error."""

    def lazy_load(self) -> Iterator[Document]:
        yield from super().lazy_load()
        raise RuntimeError(f"The token {self._token} is wrong.")


class Ended(Pages):
    """Ends its process in the middle."""

    def lazy_load(self) -> Iterator[Document]:
        yield from super().lazy_load()
        os._exit(0)


class Endless(BaseLoader):
    """Takes long."""

    def lazy_load(self) -> Iterator[Document]:
        time.sleep(600)
        yield Document("Too late.")


class Greedy(BaseLoader):
    """Takes much memory."""

    def lazy_load(self) -> Iterator[Document]:
        yield Document("x" * 3_000_000_000)


class Chatty(BaseLoader):
    """Prints."""

    def lazy_load(self) -> Iterator[Document]:
        print("Loading …")  # noqa: T201 - As some loaders do.
        yield Document("Quiet.")


class Escaping(BaseLoader):
    """Tells what it got through with."""

    def __init__(self, port: int) -> None:
        self._port = port

    def lazy_load(self) -> Iterator[Document]:
        tries = {
            "file": lambda: Path("/etc/passwd").read_text(),
            "beside": (Path(__file__).parent / "secret.txt").read_text,
            "program": lambda: os.posix_spawn("/bin/sh", ["sh", "-c", ":"], {}),
            "network": lambda: socket.create_connection(("127.0.0.1", self._port), timeout=5).close(),
            "writing": lambda: Path("/tmp/askback-escaped").write_text("x"),
            "environment": lambda: os.environ["NOTION_TOKEN"],
        }
        got = [name for name, attempt in tries.items() if _works(attempt)]
        yield Document(f"It got through with: {', '.join(got) or 'nothing'}.", id="escaping")


def _works(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (OSError, KeyError):
        return False
    return True
