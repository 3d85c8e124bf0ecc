"""Lets the bot download files."""

from http import HTTPStatus

from aiohttp import web

from playground.state.slack import Slack


class Downloads:
    """Serves the files' contents to callers with the bot's token."""

    def __init__(self, slack: Slack) -> None:
        self._slack = slack

    async def send(self, request: web.Request) -> web.StreamResponse:
        """Send a file as an attachment, so that no browser runs it."""
        if request.headers.get("Authorization") != f"Bearer {self._slack.tokens.bot}":
            raise web.HTTPForbidden(text="A file is sent to its app only.")
        file = self._slack.workspace.files.get(request.match_info["file"])
        if file is None:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        headers = {"Content-Disposition": "attachment"}
        return web.Response(text=file.content, content_type=file.mimetype, charset="utf-8", headers=headers)
