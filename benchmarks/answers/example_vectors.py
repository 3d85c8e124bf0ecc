"""Writes the files with the vectors of the built-in examples: `python -m benchmarks.answers.example_vectors`.

Run it after a change of `examples.toml` or of a model; the tests say when.
"""

from pathlib import Path
from typing import get_args

import numpy as np

from bot.models.choice import load_embedding
from bot.models.offline.understanding.example_vectors import FOLDER
from bot.models.offline.understanding.examples import read_examples
from bot.settings import BuiltInEmbedding


def main() -> None:
    """Embed the examples with each model, and print the files."""
    texts = list(read_examples())
    for kind in get_args(BuiltInEmbedding):
        embedding = load_embedding(kind)
        file = Path(str(FOLDER)) / f"{embedding.model}.npz"
        vectors = embedding.embed_queries(texts).astype(np.float16)
        np.savez_compressed(file, texts=np.array(texts), vectors=vectors)
        print(f"{file.name}: {len(texts)} vectors")


if __name__ == "__main__":
    main()
