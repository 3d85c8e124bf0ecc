"""Shows the sample handbook's documents to people who follow a source: its host does not exist."""

from http import HTTPStatus
from pathlib import Path

from aiohttp import web

HANDBOOK = Path(__file__).with_name("handbook")


async def show(request: web.Request) -> web.StreamResponse:
    """Send a document as it is written. Addresses name it without its ending."""
    named = request.match_info["document"]
    for file in HANDBOOK.rglob("*.*"):
        if file.relative_to(HANDBOOK).with_suffix("").as_posix() == named:
            return web.Response(text=file.read_text(encoding="utf-8"), content_type="text/plain", charset="utf-8")
    return web.Response(status=HTTPStatus.NOT_FOUND, text="The sample handbook has no such document.")
