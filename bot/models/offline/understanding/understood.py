"""Understanding by rules over the conversation and over the facets of what was found."""

from bot.models.offline.understanding import attention, recollection, rewriting, scope, small_talk
from bot.models.offline.understanding.kept_choice import kept, named_instead, with_choice, with_folder_named
from bot.models.offline.understanding.message_kind import MessageKind, MessageKinds
from bot.models.offline.understanding.pasted_code import about_code
from bot.models.offline.understanding.small_talk import SmallTalk
from bot.models.offline.writing.wishes import summarised
from graph import patterns
from graph.asking import called_in
from graph.asking.clarification import assuming
from graph.asking.document_filters import filter_in
from graph.asking.facets import divides
from graph.asking.replies import LAST, says_nothing
from graph.context import Case
from graph.documents.questions import wanted
from graph.memory import previous_question
from graph.passages import Facet
from graph.state import Exchange, Memory, PlannedClarification, Route, Understanding, plainly
from graph.text.markdown import columns_of
from graph.text.names import names
from graph.text.phrases import phrase_of
from graph.text.tool_questions import calls_in
from graph.text.wording import GOES_ON_WITH_NOTHING, MEANS_NOTHING, spoken
from graph.text.words import content_words, language_of, stems, words

_EVERY_READING = patterns.compile(
    r"(?P<every>both|all(?: of (?:them|these))?|each|either|every one|beide[ns]?|alle)"
    r"(?:,? (?:please|pls|bitte|por favor))?",
    patterns.IGNORE_CASE,
)

_GOES_ON = patterns.compile(r"(?:and|or|und|oder|e|ou|et|y|o|ed|en|of)\s", patterns.IGNORE_CASE)
_OF_SOMETHING = patterns.compile(
    r"(?P<and>and|und|e|et|y) (?P<rest>(?:for|in|at|from|with|on|during|after|before|für|im|bei|mit|em|no|na|nos|nas"
    r"|para|à|en|pour) \S+(?: \S+)?)\s?\?",
    patterns.IGNORE_CASE,
)
"""What only goes on with a question: "And in Hamburg?"."""
_AND = {"und": "de", "e": "pt"}
"""The languages that a short fragment shows by its first word only."""
_ASKS = patterns.compile(r"[?？][\s!.]*$")
_POINT = patterns.compile(
    r"\b(?:points?|bullets?|items?|sentences?|lines?|punkte?|satz|ponto|tópico|frase)\b", patterns.IGNORE_CASE
)
_SAID_TO_NOTHING = frozenset({"gives_up", "leaves_it", "rejects_all", "agrees"})
_CALLS_FOR_HELP = patterns.compile(
    r"\b(?:help(?: (?:me|us))?(?: out| here| with (?:this|that|something))?|(?:mir|uns|me) (?:bitte )?(?:helfen|ajudar)"
    r"|(?:a|one|two|three|some) (?:quick )?questions?|(?:any|some)(?:one|body)(?: here| there| around| know)*"
    r")(?:,? (?:please|bitte|por favor))?\s?\?$",
    patterns.IGNORE_CASE,
)
"""What nobody looks up in documents, beside a question: "Can somebody help me?"."""
WHOLE_QUESTION = 5
"""Words of a question that has one content word only."""
MOST_NAMED = 4
"""Options that the question itself names; of more, the menu does."""


def understood(case: Case, kinds: MessageKinds) -> Understanding:
    """Return what the turn is; the first rule that applies decides."""
    case = {**case, "question": recollection.without_earlier_requests(case["question"], case["memory"]["exchanges"])}
    reading = _by_rules(case, kinds)
    only = filter_in(case["question"], case["today"]) if reading["route"] in ("retrieve", "clarify") else None
    return {**reading, "only": only} if only else reading


def _by_rules(case: Case, kinds: MessageKinds) -> Understanding:
    if "choice" in case:
        return _chosen(case)
    if meant := _of_people(case):
        return _asked(meant)
    question = case["question"]
    is_meant = case["addressed"] or not attention.reason_for_silence(case)
    if is_meant and (calls := calls_in(question, case["today"])):
        return {**_as("retrieve", question, "A tool answers it.", 0.9), "tools": calls}
    return _understood(case, kinds)


def _of_people(case: Case) -> Case | None:
    """Return the case of what people asked each other, if the bot is called to it."""
    is_called = case["addressed"] and called_in.calls_the_bot_in(case["question"])
    asked = called_in.last_question(case["memory"]) if is_called else None
    if asked is None:
        return None
    memory: Memory = {**case["memory"], "overheard": asked.before}
    return {**case, "question": asked.question, "memory": memory}


def _understood(case: Case, kinds: MessageKinds) -> Understanding:
    question = case["question"]
    recalling = recollection.is_about_the_conversation(question, case["memory"]["exchanges"])
    kind = "question" if recalling else _kind(case, kinds)
    reply = "" if kind in ("question", "outside") else small_talk.reply_to(kind, question, case["topics"])
    if not case["addressed"] and (silence := attention.reason_for_silence(case)) and not _thanked(case, reply):
        return _as("stay_silent", question, silence, 0.7)
    if recalling:
        return _recalled(case)
    if reply:
        return {**_as("converse", question, "It is small talk.", 0.95), "reply": reply}
    if (kind == "outside" and not _goes_on(case)) or scope.overrules(question, case["passages"]):
        return _as("out_of_scope", question, "It is about the world, not the documents.", 0.8)
    if rewriting.corrects(question):
        return _asked(case)
    return _asked({**case, "question": kinds.without_courtesies(question, case["passages"])})


def _recalled(case: Case) -> Understanding:
    """Return what was said before; of several questions the one that is named is asked alone."""
    question, exchanges = case["question"], case["memory"]["exchanges"]
    if part := _part_named(question, exchanges):
        return _asked({**case, "question": part})
    told = recollection.recalled(question, exchanges)
    asked = _as("answer_from_conversation", told.question, "It asks for what was said before.", 0.8)
    return {**asked, "reply": told.text, "cites": list(told.cites)}


def _part_named(said: str, exchanges: list[Exchange]) -> str:
    """Return the one of several questions that a message names; empty if it names a point of an answer."""
    place = recollection.place_named(said)
    if place is None or _POINT.search(said):
        return ""
    asked = (one["question"] for one in reversed(exchanges) if recollection.place_named(one["question"]) is None)
    parts = _parts(next(asked, ""))
    return parts[place if place == LAST else place - 1] if parts and place <= len(parts) else ""


def _kind(case: Case, kinds: MessageKinds) -> MessageKind | SmallTalk:
    """Return the kind of a message; what the documents bear on is a question, whatever it sounds like.

    Not so a set phrase: there is no question open any more that it could be said to. But "Resolved?" asks.
    """
    said = small_talk.in_words(case["question"])
    if not said:
        return small_talk.without_words(case["question"], is_first=not case["memory"]["exchanges"])
    if small_talk.is_test(said):
        return "test"
    if case["memory"]["exchanges"] and rewriting.corrects(said):
        return "question"
    if phrase_of(said) in _SAID_TO_NOTHING:
        return "question" if _ASKS.search(said) else "closing"
    if scope.bears(said, case["passages"]) or about_code(said, case["passages"]):
        return "question"
    announced = bool(case["memory"]["exchanges"]) and attention.announces(said)
    return "thanks" if announced else kinds.of(said, case["passages"])


def _goes_on(case: Case) -> bool:
    """Tell whether a message goes on with what was asked before: "Et à Paris ?" is not about the world."""
    return bool(case["memory"]["exchanges"]) and _GOES_ON.match(case["question"]) is not None


def _thanked(case: Case, reply: str) -> bool:
    """Tell whether a person who is alone with the bot thanks it. Who only announces something needs no reply."""
    said = case["question"]
    return bool(
        reply
        and not says_nothing(said)
        and (attention.is_thankful(said) or not attention.announces(said))
        and case["memory"]["exchanges"]
        and len(case["memory"]["people"]) <= 1
    )


def _asked(case: Case) -> Understanding:
    if searched := about_code(case["question"], case["passages"]):
        return _as("retrieve", searched, "It asks about pasted code.", 0.8)
    question = _standalone(case)
    is_of_documents = wanted(question) is not None
    readings = [] if is_of_documents else _readings(question, case)
    if (reply := _pointing_to_nothing(case, readings)) is not None:
        return {**_as("converse", question, "It speaks of something that nobody has named.", 0.7), "reply": reply}
    known = _known_from(case["memory"]["exchanges"], readings)
    if known is None and not is_of_documents:
        known = kept(question, previous_question(case["memory"]), case["passages"])
    if not readings and not known:
        return {**_as("retrieve", question, "It is a clear question.", 0.8), "subquestions": _parts(question)}
    if known:
        return _assuming(f"{question.rstrip(' ?')} ({known['label']})?", known, "The thread is about this reading.")
    if not case["may_ask"]:
        return _assuming(question, readings[0], "It may mean several things, and nobody may be asked.")
    return {
        **_as("clarify", question, f"What was found differs by {readings[0]['attribute']}.", 0.8),
        "clarification": PlannedClarification(
            question=_asking_back(question, readings), options=[reading["id"] for reading in readings]
        ),
    }


def _readings(question: str, case: Case) -> list[Facet]:
    """Return the readings of a question. The sections of what is to be summarised are none."""
    readings = divides(question, case["facets"], case["passages"])
    is_of_sections = bool(readings) and readings[0]["attribute"].startswith("heading:")
    return [] if is_of_sections and summarised(question) else readings


def _pointing_to_nothing(case: Case, readings: list[Facet]) -> str | None:
    """Return what to ask of a first question that only points ("Is that allowed?"); its readings may be options."""
    question = case["question"]
    if case["memory"]["exchanges"] or case["memory"]["overheard"]:
        return None
    if goes_on := _OF_SOMETHING.fullmatch(question.strip()):
        language = _AND.get(goes_on["and"].lower()) or language_of(question)
        return spoken(GOES_ON_WITH_NOTHING, language, words=goes_on["rest"])
    word = rewriting.pointer(question)
    if not word or (readings and rewriting.says_what(question)):
        return None
    return spoken(MEANS_NOTHING, language_of(question), word=word)


def _chosen(case: Case) -> Understanding:
    question, choice = _standalone(case), case.get("choice")
    if choice is None or choice["kind"] == "just_answer":
        readings = divides(question, case["facets"], case["passages"])
        if readings:
            return _assuming(question, readings[0], "The choice was left to the bot.")
        return _as("retrieve", question, "The choice was left to the bot.", 0.7)
    if choice["kind"] == "text" and _EVERY_READING.fullmatch(choice["label"].strip(" .!")):
        return _as("retrieve", question, "Every reading was meant.", 0.9)
    if len(content_words(choice["label"])) > 1 and choice["label"].rstrip().endswith("?"):
        return _as("retrieve", choice["label"], "The person asked again.", 0.8)
    return _as(
        "retrieve", f"{question.rstrip(' ?.')} ({choice['label'].strip()})?", "The person said what was meant.", 0.95
    )


def _standalone(case: Case) -> str:
    previous = previous_question(case["memory"])
    if not previous:
        return case["question"]
    if every := _EVERY_READING.fullmatch(case["question"].strip(" .!?")):
        return with_choice(previous, every["every"].lower())
    if label := named_instead(case["question"], previous, case["facets"]):
        return with_choice(previous, label)
    cited = {title for exchange in case["memory"]["exchanges"][-1:] for title in exchange["sources"]}
    others = {passage["title"] for passage in case["passages"]} - cited
    known = {name for passage in case["passages"] for name in names(passage["text"])}
    columns = (cells for passage in case["passages"] for cells in columns_of(passage["text"]))
    alone = rewriting.standalone(case["question"], previous, case["facets"], others, known, columns=columns)
    is_new = alone == case["question"]
    return (is_new and with_folder_named(case["question"], previous, case["passages"], cited)) or alone


def _known_from(exchanges: list[Exchange], readings: list[Facet]) -> Facet | None:
    """Return the one reading that the thread's last question named."""
    said = stems(exchanges[-1]["standalone"]) if exchanges else frozenset[str]()
    named = [reading for reading in readings if stems(reading["label"]) & said]
    return named[0] if len(named) == 1 else None


def _assuming(question: str, reading: Facet, reason: str) -> Understanding:
    return assuming(_as("retrieve", question, reason, 0.6), reading)


def _asking_back(question: str, readings: list[Facet]) -> str:
    *labels, last = map(_named, readings)
    language = language_of(question)
    if len(readings) > MOST_NAMED:
        return spoken("Which one do you mean?", language)
    options = spoken("{listed} or {last}", language, listed=", ".join(labels), last=last)
    return spoken("Do you mean {options}?", language, options=options)


def _named(reading: Facet) -> str:
    """Return a reading's name as it reads in a sentence: a heading may be a sentence itself."""
    is_heading = reading["attribute"].startswith("heading:")
    return f"“{reading['label']}”" if is_heading else reading["label"]


def _parts(question: str) -> list[str]:
    """Return the sentences of a message that asks several questions; none if it asks one."""
    every = [f"{part.strip()}?" for part in question.split("?")[:-1] if part]
    asked = [part for part in every if not _CALLS_FOR_HELP.search(part)]
    return asked if len(asked) > 1 and all(map(_says_what, asked)) else []


def _says_what(part: str) -> bool:
    """Tell whether a sentence says by itself what it asks for: "How long is the warranty?", but not "Really?"."""
    said = content_words(part)
    return len(said) > 1 or (len(said) == 1 and len(words(part)) >= WHOLE_QUESTION)


def _as(route: Route, standalone: str, reason: str, confidence: float) -> Understanding:
    return plainly(route, standalone, reason=reason, confidence=confidence)
