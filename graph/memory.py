"""What a thread remembers. It is bounded, so that the state stays small (pure)."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

from graph import patterns
from graph.passages import Source
from graph.state import Exchange, Memory, RemarkState, State, TurnState, without_keys
from graph.text.grounding import citations
from graph.text.markdown import open_fence
from graph.text.words import language_of
from graph.tools import in_documents

EXCHANGES = 8
"""Earlier questions that are kept; a follow-up rarely refers further back."""
OVERHEARD = 20
HEAD_CHARACTERS, TAIL_CHARACTERS = 700, 300
"""What is kept of an answer: people ask for "the last point", too."""
CUT: Final = "[…]"
"""Stands where a remembered answer was cut."""
QUESTION_CHARACTERS = 1000
REMARK_CHARACTERS = 400
PEOPLE = 12
_SENTENCE_ENDS = patterns.compile(r"[.!?…][\"'”’)*_]*(?:\s?\[\d+\])*\s+|\n+")
_WORD_ENDS = patterns.compile(r"\s+")
EVIDENCE = 500
"""The most passages behind a remembered answer; an answer that rests on more is withheld."""
WITHHELD: Final = "(No longer told: what it rests on was changed or removed, or is not for everybody who reads here.)"


def recall(state: State) -> Memory:
    """Return the memory that the turn may use: the thread's, and messages from before the bot was called in.

    A question that is asked again sees only what came before it. If an answer rests on passages that the asker may
    not read, only its question is returned.
    """
    return without_evidence(_known(state), state["turn"].get("unreadable", []))


def evidence_of(state: State) -> list[int]:
    """Return the ids of the passages that the remembered answers rest on."""
    return sorted({id_ for exchange in _known(state)["exchanges"] for id_ in exchange["passages"]})


def is_restricted(state: State) -> bool:
    """Tell whether a remembered answer rests on passages that are not for everybody."""
    return any(exchange.get("restricted") for exchange in _known(state)["exchanges"])


def _known(state: State) -> Memory:
    turn = state["turn"]
    memory = forgotten(_kept(state), turn["key"])
    before, _ = _around(memory["exchanges"], turn["key"])
    people = _joined(memory["people"], turn["asker"])
    return _with_remarks({**memory, "exchanges": before, "people": people}, turn["earlier"])


def remember_exchange(state: State, *, answer: str, sources: list[Source]) -> Memory:
    """Add the finished turn to the memory, and drop the oldest parts."""
    turn = state["turn"]
    exchange = Exchange(
        asker=turn["asker"],
        question=turn["question"][:QUESTION_CHARACTERS],
        standalone=standalone(turn)[:QUESTION_CHARACTERS],
        answer=with_its_ends(answer),
        sources=list(dict.fromkeys(source["title"] for source in sources)),
        passages=_evidence(state, sources),
        key=turn["key"],
    )
    if cited := _cited(answer, sources):
        exchange["cited"] = cited
    if turn.get("restricted") or any(source.get("restricted") for source in sources):
        exchange["restricted"] = True
    if len(exchange["passages"]) > EVIDENCE:
        exchange = _withheld(exchange)
    memory = _known(state)
    _, later = _around(_kept(state)["exchanges"], turn["key"])
    return Memory(
        exchanges=[*memory["exchanges"], exchange, *later][-EXCHANGES:],
        overheard=memory["overheard"],
        people=memory["people"],
    )


def with_its_ends(answer: str) -> str:
    """Return the beginning and the end of an answer, cut at sentences or words and marked; a short one is whole."""
    if len(answer) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
        return answer
    head = answer[: _cut(answer, 0, HEAD_CHARACTERS, ends=True)].rstrip()
    begins = _cut(answer, len(answer) - TAIL_CHARACTERS, len(answer), ends=False)
    tail = answer[begins:].strip()
    closing, opening = open_fence(head), open_fence(answer[:begins])
    return "\n\n".join([f"{head}\n{closing}" if closing else head, CUT, f"{opening}\n{tail}" if opening else tail])


def _cut(answer: str, begins: int, stops: int, *, ends: bool) -> int:
    """Return where to cut a part of an answer: near its last (`ends`) or first sentence or word."""
    middle = (begins + stops) // 2
    for boundary in (_SENTENCE_ENDS, _WORD_ENDS):
        places = [match.end() for match in boundary.finditer(answer, begins, stops)]
        if ends and places and places[-1] > middle:
            return places[-1]
        if not ends and places and places[0] < middle:
            return places[0]
    return stops if ends else begins


def remember_remark(state: State) -> Memory:
    """Add a message to the memory that the bot did not answer."""
    turn = state["turn"]
    memory = forgotten(_kept(state), turn["key"])
    said = RemarkState(person=turn["asker"], text=turn["question"], key=turn["key"])
    return _with_remarks(memory, [*turn["earlier"], said])


def forgotten(memory: Memory, key: str) -> Memory:
    """Return the memory without the question or remark with this key."""
    before, later = _around(memory["exchanges"], key)
    overheard = [remark for remark in memory["overheard"] if not key or remark["key"] != key]
    return {**memory, "exchanges": [*before, *later], "overheard": overheard}


def without_echoes(memory: Memory, key: str) -> Memory:
    """Return the memory with later questions in their original words.

    Their stand-alone form may hold words of the question with this key.
    """
    before, later = _around(memory["exchanges"], key)
    asked: list[Exchange] = [{**exchange, "standalone": exchange["question"]} for exchange in later]
    return {**memory, "exchanges": [*before, *asked]}


def without_person(memory: Memory, person: str, keys: Collection[str]) -> Memory:
    """Return the memory without what a person has said and was told, and without the exchanges with these keys.

    Answers to others that came later may repeat it, so of them only the question stays.
    """

    def is_theirs(said: Exchange | RemarkState) -> bool:
        return person in (said.get("asker"), said.get("person")) or (bool(said["key"]) and said["key"] in keys)

    theirs = [said["key"] for said in (*memory["exchanges"], *memory["overheard"]) if is_theirs(said)]
    since = min(theirs, default=None)
    left: Memory = {**memory, "exchanges": [exchange for exchange in memory["exchanges"] if not is_theirs(exchange)]}
    if since is not None:
        left = _withholding(left, lambda exchange: exchange["key"] >= since)
    return Memory(
        exchanges=left["exchanges"],
        overheard=[remark for remark in memory["overheard"] if not is_theirs(remark)],
        people=[other for other in memory["people"] if other != person],
    )


def without_evidence(memory: Memory, gone: Collection[int]) -> Memory:
    """Return the memory with only the question of each exchange that may rest on one of these passages."""
    return _withholding(memory, lambda exchange: not set(gone).isdisjoint(exchange["passages"]))


def without_texts(memory: Memory, texts: Sequence[str]) -> Memory:
    """Return the memory with only the question of each exchange whose answer holds one of these texts."""
    return _withholding(memory, lambda exchange: any(text in exchange["answer"] for text in texts))


def is_remembered(memory: Memory, key: str) -> bool:
    """Tell whether the memory holds the question with this key."""
    return any(exchange["key"] == key for exchange in memory["exchanges"])


def previous_question(memory: Memory) -> str:
    """Return the thread's last question, answered or from before the bot was called in; empty without one."""
    if memory["exchanges"]:
        return memory["exchanges"][-1]["standalone"]
    asked = [remark["text"] for remark in memory["overheard"] if "?" in remark["text"]]
    return asked[-1] if asked else ""


def said_in(memory: Memory) -> list[str]:
    """Return all that people and the bot have said."""
    exchanges = [f"{one['standalone']}\n{one['question']}\n{one['answer']}" for one in memory["exchanges"]]
    return [*exchanges, *(one["text"] for one in memory["overheard"])]


def standalone(turn: TurnState) -> str:
    """Return the stand-alone question, or the person's words before they are understood."""
    understanding = turn["understanding"]
    return understanding["standalone"] if understanding else turn["question"]


def language_asked(state: State) -> str:
    """Return the language of the question. Names alone ("Hamburg?") are in the language of what was asked before."""
    earlier = [exchange["question"] for exchange in reversed(recall(state)["exchanges"])]
    said = (language_of(question, default="") for question in (state["turn"]["question"], *earlier))
    return next(filter(None, said), "en")


def _evidence(state: State, sources: list[Source]) -> list[int]:
    """Return the ids of the passages that an answer may rest on.

    An answer that no writer wrote may rest on everything found and remembered.
    """
    turn = state["turn"]
    told = [] if turn["outcome"] == "answered" else [*(one["id"] for one in turn["found"]), *evidence_of(state)]
    ids = {*(one["id"] for one in turn["passages"]), *(one["passage_id"] for one in sources), *told}
    return sorted(in_documents(ids))


def _cited(answer: str, sources: list[Source]) -> list[Source]:
    """Return the documents that an answer cites, so that an answer from the conversation can cite them again."""
    numbers = citations(answer)
    documents = in_documents({source["passage_id"] for source in sources})
    return [
        {**source, "links": []}
        for source in sources
        if source["number"] in numbers and source["passage_id"] in documents
    ]


def _withholding(memory: Memory, is_withheld: Callable[[Exchange], bool]) -> Memory:
    exchanges = [_withheld(exchange) if is_withheld(exchange) else exchange for exchange in memory["exchanges"]]
    return {**memory, "exchanges": exchanges}


def _withheld(exchange: Exchange) -> Exchange:
    # A choice may have put a document's word into the stand-alone question.
    bare = without_keys(exchange, "cited")
    return {**bare, "standalone": exchange["question"], "answer": WITHHELD, "sources": [], "passages": []}


def _kept(state: State) -> Memory:
    if state["turn"]["mode"] == "stateless":
        return Memory(exchanges=[], overheard=[], people=[state["turn"]["asker"]])
    return state.get("memory") or Memory(exchanges=[], overheard=[], people=[])


def _around(exchanges: list[Exchange], key: str) -> tuple[list[Exchange], list[Exchange]]:
    """Return the exchanges before and after a key. Without a key, all are before."""
    if not key:
        return exchanges, []
    before = [exchange for exchange in exchanges if exchange["key"] < key]
    return before, [exchange for exchange in exchanges if exchange["key"] > key]


def _with_remarks(memory: Memory, remarks: list[RemarkState]) -> Memory:
    new: list[RemarkState] = [{**remark, "text": remark["text"][:REMARK_CHARACTERS]} for remark in remarks]
    # A remark read from the thread may also have come as a message.
    again = {remark["key"] for remark in new if remark["key"]}
    known = [remark for remark in memory["overheard"] if remark["key"] not in again]
    people = memory["people"]
    for remark in new:
        people = _joined(people, remark["person"])
    overheard = sorted([*known, *new], key=lambda remark: remark["key"])[-OVERHEARD:]
    return Memory(exchanges=memory["exchanges"], overheard=overheard, people=people)


def _joined(people: list[str], person: str) -> list[str]:
    return people if person in people else [*people, person][-PEOPLE:]
