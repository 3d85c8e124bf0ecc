"""How near vectors of an unknown model lie to each other, beside those of the model on this machine (pure).

Cosines of one model lie between .7 and 1, those of another between 0 and .6. For both, two points are known:
how near questions are to the passages that answer them, and to others. A line through both maps one to the other.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np

from bot.models.embedding import Matrix
from graph.context import ModelError

_LEAST_GAP: Final = 0.02
"""The least distance of both points, in cosines. A model with less tells nothing apart."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A line from the cosines of one model to the similarities of another."""

    slope: float
    shift: float

    def of(self, cosine: float) -> float:
        """Return the similarity for a cosine."""
        return self.slope * cosine + self.shift


@cache
def anchors() -> tuple[list[str], list[str]]:
    """Return questions, and for each a passage that answers it and none of the others."""
    given = tomllib.loads(files("bot.models.remote").joinpath("anchors.toml").read_text("utf-8"))["pairs"]
    return [pair["question"] for pair in given], [pair["passage"].strip() for pair in given]


def scale_of(cosines: Matrix, similarities: Matrix) -> Scale:
    """Return the line between both models' matrices of questions and passages. Raises `ModelError`."""
    (near, far), (near_here, far_here) = _points(cosines), _points(similarities)
    if near - far < _LEAST_GAP:
        raise ModelError("The embedding model does not tell what answers a question from what does not.")
    slope = (near_here - far_here) / (near - far)
    return Scale(slope=slope, shift=far_here - slope * far)


def _points(matrix: Matrix) -> tuple[float, float]:
    """Return the mean of the pairs, and that of all others."""
    pairs = np.eye(len(matrix), dtype=bool)
    return float(matrix[pairs].mean()), float(matrix[~pairs].mean())
