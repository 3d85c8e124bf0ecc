"""The fixed sentences that people read, in one place, in the language of the question (pure)."""

from typing import assert_never

from graph.text.phrases import Unclear
from graph.text.translations import BY_LANGUAGE


def spoken(sentence: str, language: str, **values: str) -> str:
    """Return one of our sentences in a language, with its values filled in; in English where it has no translation."""
    said = BY_LANGUAGE.get(language, {}).get(sentence, sentence)
    return said.format(**values) if values else said


def small_talk(topics: list[str], language: str = "en") -> str:
    """Say what the bot does."""
    does = spoken("I answer questions from the team's documents, with sources.", language)
    return f"{does}{covering(topics, language)}"


def out_of_scope(topics: list[str], language: str = "en") -> str:
    """Say that a question is not for this bot."""
    outside = "That is outside what I can look up: I only answer from the team's documents."
    return f"{spoken(outside, language)}{covering(topics, language)}"


def nearest_found(quoted: str, *, may_answer: bool, has_reviewer: bool = False, language: str = "en") -> str:
    """Say that it is not sure, or found nothing, what comes nearest in the documents, and who may know."""
    begin = "I am not sure." if may_answer else "I found nothing in the documents that answers this."
    said = f"{spoken(begin, language)} {spoken('These come nearest:', language)}"
    # What is nearest may be far: nobody is to take it for an answer because it is quoted.
    end = f"{spoken('If none of it answers you, the documents do not seem to.', language)} " if may_answer else ""
    return f"{said}\n\n{quoted}\n\n{end}{_who_may_know(has_reviewer=has_reviewer, language=language)}"


def nothing_found(*, nearest: bool, has_reviewer: bool = False, language: str = "en") -> str:
    """Say that no document answers the question, and who may: nobody is promised where nobody can be asked."""
    said = [
        "I found nothing in the documents that answers this.",
        "The nearest documents are below." if nearest else "",
    ]
    found = [spoken(sentence, language) for sentence in said if sentence]
    return " ".join([*found, _who_may_know(has_reviewer=has_reviewer, language=language)])


def nothing_to_read(language: str = "en") -> str:
    """Say that there is no document yet that the person may read, and how one comes here."""
    return spoken("I have no documents yet that I may read to you. Who runs me adds them: `askback ingest`.", language)


def _who_may_know(*, has_reviewer: bool, language: str) -> str:
    said = "“Ask a human” brings it to a colleague." if has_reviewer else "A colleague may know more."
    return spoken(said, language)


def assumed(label: str, language: str = "en") -> str:
    """Say which reading was taken without asking."""
    return spoken("I assumed you mean {label}.", language, label=label)


def as_last_time(label: str, language: str = "en") -> str:
    """Say which reading was taken because the asker chose it the last time."""
    return spoken("Assumed {label}, as last time.", language, label=label)


def unread(names: list[str], language: str = "en") -> str:
    """Say which attachments were not read."""
    return spoken("I could not read {names}.", language, names=", ".join(names))


def taken_for_a_wish(phrase: str, language: str = "en") -> str:
    """Say which words of a question were not searched for, as they say how to answer it."""
    return spoken("I took “{phrase}” for a wish, not for a part of the question.", language, phrase=phrase)


def not_confirmed(reason: str, language: str = "en") -> str:
    """Say that a reviewer keeps an answer back, and why."""
    sentence = "A colleague looked at my answer and did not confirm it: {reason}"
    return spoken(sentence, language, reason=reason)


def unclear(why: Unclear, *, options: int, language: str = "en") -> str:
    """Say why a clarifying question stays open, and how to go on."""
    match why:
        case "no_such_option":
            sentence = "There are only {count} options above. Type one's number or name, or your own words."
        case "rejects_all":
            sentence = "Then please say in your own words what you mean, or “never mind”."
        case "asks_what":
            sentence = (
                "The documents answer this differently for each option above."
                " Type one's number or name, or “just answer”."
            )
        case "agrees":
            sentence = "Which one? Type its number or name, or “just answer”."
        case _:
            assert_never(why)
    return spoken(sentence, language, count=str(options))


def covering(topics: list[str], language: str = "en") -> str:
    """Say what the documents are about; nothing where there are none."""
    return f" {spoken('They cover {topics}.', language, topics=', '.join(topics))}" if topics else ""


CONSULTED = "A colleague was asked to look at this."
UNREVIEWED = "No colleague could look at this in time."
OUTDATED = "The documents that it rests on have changed since. Please ask again."
CUT_SHORT = "There was no room for all of the answer; its end is missing."
UNPROVED = "What I had written did not hold against the documents, so this quotes them."
CAVEAT = "I am not sure that the documents support all of this; please check the sources."
IN_ITS_THREAD = "Your own words count in its thread, above."
MEANS_NOTHING = "What do you mean by “{word}”? Nothing was said here yet that it could stand for."
EFFORTS = {
    "quick": "A quick answer: one search, fewer checks.",
    "thorough": "A thorough answer: more searches and checks.",
}
GIVEN_UP = "All right. Ask me any time."
TAKEN_ABOVE = "I took this as the answer to your open question above, and go on there."
