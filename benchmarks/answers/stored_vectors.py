"""Writes the files with stored vectors: `python -m benchmarks.answers.stored_vectors`.

They hold the built-in examples of messages and the passages of the sample handbook, as each model of a wheel embeds
them. Run it after a change of `examples.toml`, of the handbook, of how documents are split, or of a model; the tests
say when.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np

from bot.cli.demo import HANDBOOK, VECTORS
from bot.knowledge.connectors.files import find_files, path_below
from bot.knowledge.documents import ReadDocument
from bot.knowledge.read import parse_document
from bot.knowledge.split import Count, split
from bot.models.choice import load_embedding
from bot.models.embedding import Matrix
from bot.models.offline.understanding.example_vectors import FOLDER
from bot.models.offline.understanding.examples import read_examples
from bot.settings import BuiltInEmbedding


def main() -> None:
    """Embed with each model, and print the files."""
    for kind in get_args(BuiltInEmbedding):
        embedding = load_embedding(kind)
        examples = list(read_examples())
        _write(Path(str(FOLDER)) / f"{embedding.model}.npz", examples, embedding.embed_queries(examples))
        passages = list(passages_of_the_handbook(embedding.count_tokens))
        _write(VECTORS / f"{embedding.model}.npz", passages, embedding.embed_passages(passages))


def passages_of_the_handbook(count: Count) -> Iterator[str]:
    """Yield what is embedded of the sample handbook's passages."""
    for file in find_files(HANDBOOK).files:
        document = parse_document(path_below(HANDBOOK, file), file.read_bytes())
        yield from ReadDocument(document=document, hash="", pieces=[*split(document, count)]).texts


def _write(file: Path, texts: list[str], vectors: Matrix) -> None:
    file.parent.mkdir(exist_ok=True)
    np.savez_compressed(file, texts=np.array(texts, dtype=np.str_), vectors=vectors.astype(np.float16))
    print(f"{file.name}: {len(texts)} vectors")


if __name__ == "__main__":
    main()
