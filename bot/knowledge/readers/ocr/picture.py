"""A picture, such as a photo of a page: its text is recognised."""

import io
from typing import Final

from PIL import Image, ImageOps, UnidentifiedImageError

from bot.errors import KnowledgeError
from bot.knowledge.blocks import Parsed
from bot.knowledge.readers.ocr.engine import SIDE
from bot.knowledge.readers.ocr.layout import evened
from bot.knowledge.readers.ocr.recognition import Recognition
from bot.knowledge.readers.pdf.paragraphs import blocks_of
from bot.knowledge.readers.titles import titled

_MOST_PIXELS: Final = 100_000_000
"""A page of A3 with 600 dots to the inch has 70 million."""
_PAGE: Final = 842.0
"""The longer side of A4 in points."""


def read(content: bytes, recognition: Recognition | None = None) -> Parsed:
    """Return the text of a picture if it is to be recognised. Raises `KnowledgeError` if it is none, or too large."""
    if recognition is None:
        return Parsed(blocks=[], scans=1)
    flow = recognition.flow(1, lambda: (_small(content), _PAGE / SIDE))
    blocks = blocks_of(evened([flow])[0])
    return titled(Parsed(blocks=blocks, fields=recognition.fields(), notices=recognition.notices()))


def _small(content: bytes) -> Image.Image:
    Image.MAX_IMAGE_PIXELS = None  # It would print a warning; ours is an error.
    try:
        picture = Image.open(io.BytesIO(content), formats=("PNG", "JPEG"))
        if picture.width * picture.height > _MOST_PIXELS:
            raise KnowledgeError(f"The picture has {picture.width} × {picture.height} pixels: make it smaller.")
        picture.draft("L", (SIDE, SIDE))
        upright = ImageOps.exif_transpose(_on_white(picture))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise KnowledgeError("The picture is damaged, or only half of it is here: save it again.") from error
    upright.thumbnail((SIDE, SIDE))
    return upright


def _on_white(picture: Image.Image) -> Image.Image:
    """Return the picture in shades of grey. What is transparent is white."""
    if not picture.has_transparency_data:
        return picture.convert("L")
    layered = picture.convert("LA")
    white = Image.new("L", layered.size, 255)
    white.paste(layered.getchannel("L"), mask=layered.getchannel("A"))
    return white
