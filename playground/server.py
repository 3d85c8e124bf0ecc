"""The routes of the web application."""

from aiohttp import web

from playground import documents
from playground.control import PAGE, Control
from playground.downloads import Downloads
from playground.guard import add_headers, only_this_machine
from playground.methods import all_methods
from playground.protocol.web_api import WebApi
from playground.state.slack import Slack

LARGEST_BODY_BYTES = 4 * 1024 * 1024


def application(slack: Slack) -> web.Application:
    """Return the playground as a web application."""
    app = web.Application(middlewares=[only_this_machine], client_max_size=LARGEST_BODY_BYTES)
    app.on_response_prepare.append(add_headers)
    web_api = WebApi(slack, all_methods())
    control, downloads = Control(slack), Downloads(slack)
    app.add_routes(
        [
            web.post("/api/{method}", web_api.call),
            web.get("/api/{method}", web_api.call),
            web.post("/response/{token}", web_api.respond),
            web.get("/files/{team}-{file}/{name}", downloads.send),
            web.get("/files/{team}-{file}/download/{name}", downloads.send),
            web.get("/link/", slack.sockets.accept),
            web.get("/control/state", control.state),
            web.get("/control/thread", control.thread),
            web.get("/control/calls", control.calls),
            web.get("/control/deliveries", control.deliveries),
            web.get("/control/changes", control.changes),
            web.post("/control/people/{person}/{act}", control.act),
            web.post("/control/faults/{fault}", control.fault),
            web.post("/control/clock", control.advance),
            web.get("/", control.page),
            web.get("/archives/{channel}/{message}", control.page),
            web.get("/handbook/{document:.+}", documents.show),
            web.static("/page", PAGE),
        ]
    )
    return app
