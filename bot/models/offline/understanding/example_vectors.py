"""Stored vectors: of the built-in examples, in a file for each model that a wheel contains.

To embed the examples takes four to eight seconds of a processor, which the first answer of a process would wait for.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import numpy as np
from numpy.typing import NDArray

FOLDER: Final = files("bot.models.offline.understanding").joinpath("vectors")


@cache
def example_vectors(model: str) -> Mapping[str, NDArray[np.float32]]:
    """Return the unit vector of each built-in example, as of a question; none of a model without a file.

    A process reads a file once.
    """
    return read_vectors(FOLDER.joinpath(f"{model}.npz"))


def read_vectors(file: Traversable) -> Mapping[str, NDArray[np.float32]]:
    """Return the unit vector of each text in a file of `benchmarks.answers.stored_vectors`; none if it is missing.

    They are rounded to 16 bits.
    """
    if not file.is_file():
        return {}
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
        return dict(zip(stored["texts"].tolist(), stored["vectors"].astype(np.float32), strict=True))
