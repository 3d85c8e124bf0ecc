"""Office files are archives of XML: checks whether one is safe to open, and reads its properties."""

import io
import zipfile
from typing import Final
from xml.etree import ElementTree as ET

from bot.errors import KnowledgeError

_LARGEST: Final = 200_000_000
"""Bytes when unpacked."""
_MOST_RATIO: Final = 200
_RATIO_FROM: Final = 5_000_000
"""A smaller archive is no bomb, whatever its compression ratio."""
_MOST_PARTS: Final = 10_000
_PROPERTIES: Final = "docProps/core.xml"
_KEYS: Final = {"title": "title", "language": "language", "modified": "saved", "created": "saved"}
_TEMPLATES: Final = frozenset(
    {
        "2013-12-23T23:15:00Z",  # python-docx
        "2013-01-27T09:14:16Z",  # python-pptx, created
        "2013-01-27T09:15:58Z",  # python-pptx, modified
        "2006-09-16T00:00:00Z",  # the empty workbook of Excel, created
        "2000-01-01T00:00:00Z",  # programs that write the same bytes each time
    }
)
"""When libraries' templates were saved. A file that was made from one still says so, whenever it was made."""
_OLE: Final = b"\xd0\xcf\x11\xe0"


def opened(content: bytes) -> zipfile.ZipFile:
    """Open the archive. Raises `KnowledgeError` if it is protected, damaged, or would fill the memory."""
    if content.startswith(_OLE):
        raise KnowledgeError("The file has a password or an old format: save it without a password, in the new format.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise KnowledgeError("The file is damaged, or only half of it is here: save it again.") from error
    parts = archive.infolist()
    size = sum(part.file_size for part in parts)
    is_bomb = size > _RATIO_FROM and size > _MOST_RATIO * len(content)
    if size > _LARGEST or is_bomb or len(parts) > _MOST_PARTS:
        raise KnowledgeError(f"The file unpacks to {size // 1_000_000} MB in {len(parts)} parts: that is no document.")
    return archive


def properties(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return title, language and date of the last save."""
    try:
        root = ET.fromstring(archive.read(_PROPERTIES))  # noqa: S314 - The process is bound, and the parser has limits.
    except (KeyError, ET.ParseError):
        return {}
    tags = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in root}
    found = {name: tags[key] for key, name in reversed(_KEYS.items()) if tags.get(key) and tags[key] not in _TEMPLATES}
    if "saved" in found:
        found["saved"] = found["saved"][:10]
    return found
