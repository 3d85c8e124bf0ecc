"""`files.*`: read shared files."""

from playground.errors import SlackError
from playground.methods.arguments import whole
from playground.state.shared_files import SharedFile, described
from playground.state.slack import Slack
from playground.wire import Json

MOST_FILES = 200


def info(slack: Slack, arguments: Json) -> Json:
    """Return a file that the bot can see."""
    file = slack.workspace.files.get(str(arguments.get("file", "")))
    if file is None or not _is_visible(slack, file):
        raise SlackError("file_not_found")
    return {"file": _shown(slack, file)}


def list_files(slack: Slack, arguments: Json) -> Json:
    """Return the files that the bot can see, the newest first, by `channel`, `user`, `count` and `page`."""
    asked = {name: arguments[name] for name in ("channel", "user") if arguments.get(name)}
    files = [
        file
        for file in reversed(slack.workspace.files.values())
        if _is_visible(slack, file) and all(getattr(file, name) == value for name, value in asked.items())
    ]
    count = max(1, min(whole(str(arguments.get("count") or 100), refusal="invalid_arguments"), MOST_FILES))
    page = max(1, whole(str(arguments.get("page") or 1), refusal="invalid_arguments"))
    paging = {"count": count, "total": len(files), "page": page, "pages": -(-len(files) // count)}
    return {"files": [_shown(slack, file) for file in files[(page - 1) * count : page * count]], "paging": paging}


def _is_visible(slack: Slack, file: SharedFile) -> bool:
    return slack.workspace.bot_is_in(slack.workspace.channels[file.channel])


def _shown(slack: Slack, file: SharedFile) -> Json:
    kind = slack.workspace.channels[file.channel].kind
    places = {"channels": {"public"}, "groups": {"private", "mpim"}, "ims": {"im"}}
    shared = {name: [file.channel] if kind in kinds else [] for name, kinds in places.items()}
    return {**described(file, team_id=slack.workspace.team_id, url=slack.url), **shared}


METHODS = {"files.info": info, "files.list": list_files}
