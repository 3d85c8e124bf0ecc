"""RapidOCR: PP-OCRv6, whose models are in its package and run in ONNX Runtime."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from PIL.Image import Image

from bot.knowledge.readers.ocr.layout import FoundLine

SIDE: Final = 1280
"""Pixels of the longer side of a picture that is recognised: 110 to the inch of an A4 page."""
_SETTINGS: Final = {
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,  # The child may start no thread.
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    "Global.log_level": "critical",
    "Global.max_side_len": SIDE,
    "Global.text_score": 0.0,  # Lines that it is not sure of count too: they tell an illegible page.
    "Det.limit_type": "max",
    "Det.limit_side_len": SIDE,
    "Global.use_cls": False,  # It takes long lines to be upside down.
    "Rec.rec_batch_num": 1,  # Several at a time take more memory, and no less time.
}


def is_installed() -> bool:
    """Tell whether the extra `ocr` is installed."""
    return find_spec("rapidocr") is not None


def found_in(picture: Image, points: float) -> list[FoundLine]:
    """Return the lines of a picture, of which a pixel is so many points wide."""
    if picture.getextrema() in ((0, 0), (255, 255)):
        return []
    result: Any = _engine()(picture.convert("RGB"))
    if result.txts is None:
        return []
    return [
        FoundLine(text, [(float(x) * points, float(y) * points) for x, y in corners], float(sureness))
        for text, corners, sureness in zip(result.txts, result.boxes, result.scores, strict=True)
    ]


@cache
def _engine() -> Any:
    import_module("cv2").setNumThreads(1)
    return import_module("rapidocr").RapidOCR(params=_SETTINGS)
