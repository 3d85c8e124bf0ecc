"""Lays out a run's material for a model: each text that others wrote is in a fence of its own.

Sentences of documents that give orders to a machine are left out.
"""

from collections.abc import Iterable
from datetime import date

from bot.models.orders import addresses_an_assistant, without_orders
from bot.models.packing import clipped, compress, tokens_of
from graph.answer.draft import CITATION
from graph.passages import Facet, Passage, Topics
from graph.state import ChoiceState, Exchange, Memory
from graph.tools import Offer
from graph.turn import Profile
from graph.verified import Candidate
from prompts.fencing import fence

_NOTHING = "(none)"
_SKETCH = 45
"""Tokens of a passage if only its gist is needed."""
_MOST_KINDS, _LONGEST_KIND = 12, 30
"""Kinds of places, and characters of each."""
_LONGEST_ASKED = 60
"""Tokens of a verified answer's question, in up to three phrasings."""
_MOST_PHRASINGS = 3
_SAME_AS = (
    "`same_as`: the number of the one that asks for exactly the same fact, with the same names, numbers, time and"
    " conditions, so that its answer is right here without a change. Alike is not the same. If none does: 0."
)
_TOOLS = (
    "More tools, for what documents do not say, with route `retrieve`. Name one only if the message asks for what it"
    " does, with arguments in the message's own words, lists and objects as JSON. One that writes: only if the message"
    " tells you to, and no other tool beside it."
)
_WHO_ASKS = "Who asks, by their profile. It never overrides what was said:"
_DOUBTED = (
    " If it is open which of several people or things an argument of that one means, name the call, and `clarify`: the"
    " labels are their names as the conversation has them, or the argument's choices."
)
"""Told if a tool writes."""
_SAYS = 120
"""Characters of the sentence that explains an interpretation."""
_LANGUAGES = {
    "en": "English", "de": "German", "pt": "Portuguese", "es": "Spanish", "fr": "French", "it": "Italian",
    "nl": "Dutch", "ja": "Japanese", "zh": "Chinese", "pl": "Polish",
}  # fmt: skip


def day(today: str) -> str:
    """Return an ISO date in words, with its weekday."""
    return f"{date.fromisoformat(today):%A, %-d %B %Y} ({today})"


def passages(found: list[Passage]) -> str:
    """Lay out passages, numbered from 1, with their dates and attributes."""
    return numbered(enumerate(found, start=1))


def numbered(found: Iterable[tuple[int, Passage]]) -> str:
    """Lay out passages under their numbers."""
    blocks = [fence(f"passage {number}", _passage(passage)) for number, passage in found]
    return "\n\n".join(blocks) or _NOTHING


def sketches(question: str, found: Iterable[Passage]) -> str:
    """Lay out passages in two lines each: their heading, and their gist for the question."""
    lines = [f"{_place(passage)}\n   {_gist(question, passage)}" for passage in found]
    return fence("found", "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))) if lines else _NOTHING


def conversation(memory: Memory, *, budget: int) -> str:
    """Lay out the questions, answers and remarks so far, the latest ones within `budget` tokens."""
    exchanges = _latest([_exchange(exchange) for exchange in memory["exchanges"]], budget)
    overheard = _latest([_line(remark["person"], remark["text"]) for remark in memory["overheard"]], budget // 2)
    blocks = [
        fence("conversation", "\n".join(exchanges)) if exchanges else "",
        "Said in the thread, but not to the bot:\n" + fence("overheard", "\n".join(overheard)) if overheard else "",
    ]
    return "\n".join(block for block in blocks if block) or _NOTHING


def readings(facets: list[Facet]) -> str:
    """Lay out the interpretations that may be offered, one attribute after the other."""
    return fence("readings", "\n".join(map(_reading, facets))) if facets else _NOTHING


def topics(covered: Topics) -> str:
    """Lay out the documents' topics, and say how many more there are."""
    told = [name for name in covered.names if not addresses_an_assistant(name, "")]
    more = f"\n(and {covered.more} more)" if covered.more else ""
    return fence("topics", "\n".join(told)) + more if told else _NOTHING


def places(kinds: list[str]) -> str:
    """Say how to ask the directory of places for what it has; nothing if it is empty."""
    told = [kind[:_LONGEST_KIND] for kind in kinds if not addresses_an_assistant(kind, "")][:_MOST_KINDS]
    if not told:
        return ""
    how = (
        "A directory has places of the kinds below. What is near a place asks for the tool `places`, route `retrieve`:"
    )
    return f"{how} `what`, `near`, `open` (weekday, if asked).\n{fence('kinds', ', '.join(told))}\n"


def tools(offers: list[Offer]) -> str:
    """Lay out the tools of other servers, the same for all questions; nothing if there are none."""
    lines = [
        f"- {one['name']}({one['arguments']}){' writes' if one['writes'] else ''}: {one['says']}"
        for one in offers
        if not addresses_an_assistant(f"{one['says']} {one['arguments']}", "")
    ]
    doubted = _DOUBTED if any(one["writes"] for one in offers) else ""
    return f"{_TOOLS}{doubted}\n{fence('tools', chr(10).join(lines))}\n\n" if lines else ""


def languages(spoken: list[str]) -> str:
    """Name languages."""
    return ", ".join(_LANGUAGES.get(language, language) for language in spoken) or "unknown"


def choice(choosing: ChoiceState | None) -> str:
    """Lay out a person's answer to the question back; nothing if nobody was asked."""
    if choosing is None:
        return ""
    if choosing["kind"] == "just_answer":
        return "Asked what they meant, they want an answer without saying more: take the likeliest reading."
    return "Asked what they meant, they answered:\n" + fence("choice", choosing["label"] or choosing["value"])


def verified(candidates: list[Candidate]) -> str:
    """Lay out the questions that people have answered, and ask which one is the same; nothing if there are none."""
    if not candidates:
        return ""
    asked = "\n".join(
        f"{number}. {clipped(' / '.join(one['phrasings'][:_MOST_PHRASINGS]), _LONGEST_ASKED)}"
        for number, one in enumerate(candidates, 1)
    )
    return f"\nColleagues have answered these questions:\n{fence('answered', asked)}\n{_SAME_AS}"


def faults(draft: str, issues: list[str]) -> str:
    """Lay out the last draft and its faults; nothing if it had none."""
    if not issues:
        return ""
    before = f"Your last draft:\n{fence('draft', draft)}\n" if draft else ""
    return f"{before}Its faults:\n{listed('faults', issues)}\n"


def profile(asker: Profile | None) -> str:
    """Lay out in one line who asks, without their name; nothing if nothing is known."""
    if asker is None:
        return ""
    said = {**asker["units"], "title": asker["title"], "time zone": asker["zone"]}
    told = [f"{name}: {value}" for name, value in said.items() if value and not addresses_an_assistant(value, "")]
    return f"{_WHO_ASKS}\n{fence('asker', '; '.join(told))}\n" if told else ""


def listed(label: str, lines: list[str]) -> str:
    """Lay out lines in a block named `label`."""
    return fence(label, "\n".join(f"- {' '.join(line.split())}" for line in lines)) if lines else _NOTHING


def _passage(passage: Passage) -> str:
    dated = passage.get("dated")
    # Each date once: an attribute that says it again costs tokens in ten passages.
    said = [f"{key}: {value}" for key, value in passage["attributes"].items() if value != dated]
    details = [detail for detail in said if not addresses_an_assistant(detail, "")]
    if dated:
        details = [f"dated: {dated}", *details]
    return "\n".join([_place(passage), *details, "", _text(passage)])


def _text(passage: Passage) -> str:
    return without_orders(passage["text"], _place(passage), passage["language"])


def _place(passage: Passage) -> str:
    named = [part for part in (passage["title"], *passage["heading_path"]) if not addresses_an_assistant(part, "")]
    return " › ".join(named) or "A document"


def _gist(question: str, passage: Passage) -> str:
    dated = f"({passage.get('dated')}) " if passage.get("dated") else ""
    text = compress(question, _text(passage), limit=_SKETCH, language=passage["language"])
    return dated + " ".join(text.split())


def _exchange(exchange: Exchange) -> str:
    # The numbers in an earlier answer mean that answer's sources, not the current passages.
    answer = CITATION.sub("", exchange["answer"])
    # Use the stand-alone question: "What about Porto?" or a click does not say what the answer is about.
    asked = exchange["standalone"] or exchange["question"]
    lines = [_line(exchange["asker"], asked), _line("Askback", answer)]
    sources = [source for source in exchange["sources"] if not addresses_an_assistant(source, "")]
    return "\n".join([*lines, _line("Its sources", "; ".join(sources))] if sources else lines)


def _latest(told: list[str], budget: int) -> list[str]:
    kept: list[str] = []
    for one in reversed(told):
        budget -= tokens_of(one)
        if budget < 0 and kept:
            break
        kept.insert(0, one)
    return kept


def _line(speaker: str, text: str) -> str:
    # Indent continuation lines, so that no message can imitate another speaker.
    return f"{speaker}: " + "\n    ".join(text.splitlines())


def _reading(facet: Facet) -> str:
    sentence = " ".join(facet["best_sentence"].split())
    says = "" if addresses_an_assistant(sentence, facet["label"]) else sentence[:_SAYS]
    return f"{' '.join(facet['label'].split())} ({facet['attribute'].split(':')[0]}): {says}"
