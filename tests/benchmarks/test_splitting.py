"""The benchmark of sizes splits finer or coarser, and can embed without names."""

from itertools import pairwise

from benchmarks.documents.splitting import SplittingModel, Way
from bot.knowledge.read import parse_document
from bot.knowledge.split import TARGET, split

BOOK = "# Book\n\n" + "\n\n".join(f"In chapter {number} the door code is {number}." for number in range(200))


def test_the_larger_the_passages_the_fewer() -> None:
    model, document = SplittingModel.load(), parse_document("book.md", BOOK.encode())

    counts: list[int] = []
    for tokens in (75, TARGET, 450):
        model.way = Way(tokens=tokens)
        counts.append(len(list(split(document, model.count_tokens))))

    assert all(before > after for before, after in pairwise(counts))


def test_without_names_only_the_text_is_embedded() -> None:
    named, bare = SplittingModel.load(), SplittingModel.load()
    bare.way = Way(tokens=TARGET, is_bare=True)

    texts = ["Hotels › Porto\nA night costs 130 EUR.", "Trains\nA night costs 130 EUR."]
    one, other = bare.embed_passages(texts)
    assert (one == other).all()
    one, other = named.embed_passages(texts)
    assert not (one == other).all()
