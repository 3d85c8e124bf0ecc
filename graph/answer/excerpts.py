"""What a reviewer needs of a passage: the sentences that the draft took from it, with what is around them (pure)."""

from graph.text.grounding import citations, sentences, support

EXCERPT_CHARACTERS = 300
_MOST_SENTENCES = 3
"""Of a draft, by which one passage is searched."""


def excerpt(passage: str, draft: str, number: int, language: str = "en") -> str:
    """Return the sentences of a passage that a draft cites by its number; its beginning, if it cites none."""
    text = " ".join(passage.split())
    if len(text) <= EXCERPT_CHARACTERS:
        return text
    cited = [said for said in sentences(draft, language) if number in citations(said)][:_MOST_SENTENCES]
    parts = sentences(text, language)
    kept = sorted({_nearest(said, parts) for said in cited}) or [0]
    return _joined(parts, _widened(parts, kept))


def _nearest(said: str, parts: list[str]) -> int:
    """Return the place of the sentence that carries most of what was said, the first of several."""
    return max(range(len(parts)), key=lambda place: (support(said, parts[place]), -place))


def _widened(parts: list[str], kept: list[int]) -> list[int]:
    """Add the sentences after and before, as long as there is room."""
    places = list(kept)
    for place in [*(place + 1 for place in kept), *(place - 1 for place in kept)]:
        room = EXCERPT_CHARACTERS - sum(len(parts[one]) + 1 for one in places)
        if 0 <= place < len(parts) and place not in places and len(parts[place]) <= room:
            places.append(place)
    return sorted(places)


def _joined(parts: list[str], places: list[int]) -> str:
    """Return sentences in their order, with a mark for each gap."""
    shown: list[str] = [] if places[0] == 0 else ["…"]
    for before, place in zip([places[0] - 1, *places], places, strict=False):
        shown += ["…"] if place > before + 1 else []
        shown.append(_cut(parts[place]))
    return " ".join(shown if places[-1] == len(parts) - 1 else [*shown, "…"])


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= EXCERPT_CHARACTERS else f"{sentence[:EXCERPT_CHARACTERS]}…"
