"""Shared files, and their form in Slack's API."""

import mimetypes
from dataclasses import dataclass

from playground.wire import Json


@dataclass(frozen=True, kw_only=True)
class SharedFile:
    """A text file that was shared in a channel."""

    id: str
    name: str
    content: str
    user: str
    channel: str
    created: int

    @property
    def mimetype(self) -> str:
        """The file's type, by its name."""
        return mimetypes.guess_type(self.name)[0] or "text/plain"

    @property
    def size(self) -> int:
        """The size in bytes."""
        return len(self.content.encode())


def described(file: SharedFile, *, team_id: str, url: str) -> Json:
    """Return a file as in messages. `url` is the playground's address."""
    kind = file.name.rsplit(".", 1)[-1].lower() if "." in file.name else "text"
    address = f"{url}files/{team_id}-{file.id}"
    return {
        "id": file.id,
        "created": file.created,
        "timestamp": file.created,
        "name": file.name,
        "title": file.name,
        "mimetype": file.mimetype,
        "filetype": kind,
        "pretty_type": kind.upper(),
        "user": file.user,
        "user_team": team_id,
        "editable": False,
        "size": file.size,
        "mode": "hosted",
        "is_external": False,
        "external_type": "",
        "is_public": True,
        "public_url_shared": False,
        "display_as_bot": False,
        "username": "",
        "url_private": f"{address}/{file.name}",
        "url_private_download": f"{address}/download/{file.name}",
        "permalink": f"{url}archives/{file.channel}",
        "has_rich_preview": False,
        "file_access": "visible",
    }
