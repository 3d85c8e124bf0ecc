"""What people see of flagged documents: the modal that asks what was wrong, and what an owner is told."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from bot.contributions.flag import (
    Fate,
    FlaggedDocument,
    FlagNotice,
    FlagReason,
    Objectionable,
    Outcome,
    Report,
    Voice,
)
from bot.conversation.address import Placed
from bot.slack.blocks.elements import Block, actions, button, context, field, first_of, form, option, section, unnamed
from bot.slack.blocks.markdown import escaped, linked
from bot.slack.payloads import buttons
from bot.slack.payloads.buttons import ModalOrigin
from graph.text.wording import day_in

TITLE: Final = "What was wrong?"
TAKE_BACK: Final = "take_back"
"""The choice that undoes the 👎."""
ALL_OF_THEM: Final = "all"
YES: Final = "yes"
LONGEST_WORDS: Final = 300
NOTED: Final = "Noted. Thank you."
TAKEN_BACK: Final = "I have taken your 👎 back."
NOT_THERE: Final = "This answer is no longer there, or you did not rate it, so this changed nothing."
NOT_YOURS: Final = (
    "This changed nothing: the document has changed, somebody has settled it, or somebody else was asked about it."
)
REREADING: Final = (
    "Thank you. I will read the document again within a minute. If it has changed, this is settled. If not, press"
    " again."
)
NOTIFICATION: Final = "Your document may be out of date or wrong."
OUTCOME: Final = "Your report has a result."
_REASONS: Final[Mapping[str, str]] = {
    "outdated": "It is out of date",
    "wrong": "It is wrong",
    "off_topic": "It does not answer my question",
    "other": "Something else",
}
_SAID: Final[Mapping[FlagReason, str]] = {
    "outdated": "says that it is out of date",
    "wrong": "says that it is wrong",
    "contradicted": "says otherwise",
}
_FATES: Final[Mapping[Fate, str]] = {
    "sought": "I will tell the owner of {titles}, if I find one who may read it.",
    "told": "I have told the owner of {titles} before.",
    "right": "The owner of {titles} has said that it is right.",
    "nobody": "I found nobody to tell about {titles}.",
}
_OUTCOMES: Final[Mapping[Outcome, str]] = {
    "right": "Its owner says that it is right.",
    "changed": "It has changed since. Ask me again to get what it says now.",
    "removed": "It is no longer among my documents, or has another name now.",
}
_NAME: Final = 300
_MOST_OPTIONS: Final = 20
_MOST_VOICES: Final = 10


def what_was_wrong(origin: ModalOrigin, asked: Objectionable) -> Block:
    """Return the view that asks a person what was wrong with an answer."""
    reasons = {**_REASONS, **({TAKE_BACK: "Nothing: take my 👎 back"} if asked.said else {})}
    said = "Your 👎 is noted. If you like, say what was wrong. Otherwise press Skip."
    blocks = [section(said), *_fields(reasons, asked)]
    return form(buttons.WHAT_WAS_WRONG, origin, TITLE, "Send", blocks, close="Skip")


def thanks(documents: Sequence[FlaggedDocument]) -> str:
    """Return, as mrkdwn, what a person is told who said what was wrong."""
    if not documents:
        return NOTED
    lines = [
        said.format(titles=", ".join(titles))
        for fate, said in _FATES.items()
        if (titles := [f"*{escaped(one.title, limit=_NAME)}*" for one in documents if one.fate == fate])
    ]
    if any(one.fate != "right" for one in documents):
        lines.append("Answers that cite it say that it was reported. If there is a result, I will tell you, once.")
    return "\n".join([NOTED, *lines, "To change this or take it back, press 👎 again."])


def outcome(report: Report) -> list[Block]:
    """Return what a reader is told of a document that they reported."""
    said = f"On {day_in(report.reported_at.date())} you reported *{linked(report.url, report.title)}*."
    return [section(f"{said} {_OUTCOMES[report.outcome]}")]


def flagged(notice: FlagNotice, links: Mapping[Placed, str]) -> list[Block]:
    """Return what the owner of a flagged document is told, with the links to answers that they may open.

    The question and the answer are not theirs to read, unless they may read the place where it was given.
    """
    title = f"*{linked(notice.url, notice.title)}* ({escaped(notice.path, limit=_NAME)})"
    lines = first_of([_line(voice, links) for voice in notice.voices], _MOST_VOICES)
    told = [f"Since {day_in(notice.since.date())} there are doubts about {title}:", *lines]
    value = str(notice.document_id)
    choices = [button("It is right", buttons.IS_RIGHT, value)]
    if notice.can_reread:
        choices.append(button("I have fixed it", buttons.REREAD, value))
    return [
        section("\n".join(told)),
        actions(*choices),
        context(
            "If you change the document, this is settled once I have read it again. Until then, answers that cite it"
            " say that there are doubts."
        ),
    ]


def settled(card: Sequence[Block], person: str, day: date) -> list[Block]:
    """Return an owner's message, as it was shown, after `person` said that the document is right."""
    return [unnamed(card[0]), context(f"<@{person}> said on {day_in(day)} that it is right. Thank you.")]


def reread(card: Sequence[Block]) -> list[Block]:
    """Return an owner's message, as it was shown, after they said that they changed the document.

    The buttons stay: nobody is told of a document twice, and what was changed may be another one.
    """
    return [*map(unnamed, card[:2]), context(REREADING)]


def _fields(reasons: Mapping[str, str], asked: Objectionable) -> Iterator[Block]:
    radios: Block = {"type": "radio_buttons", "options": [option(label, value) for value, label in reasons.items()]}
    if label := reasons.get(asked.said):
        radios["initial_option"] = option(label, asked.said)
    yield field(buttons.REASON, "The answer", radios, is_optional=True)
    if len(asked.documents) > 1:
        options = [option("All of them", ALL_OF_THEM)]
        options += [option(one.title, str(one.id)) for one in asked.documents[:_MOST_OPTIONS]]
        choice = {"type": "static_select", "options": options, "initial_option": options[0]}
        yield field(buttons.DOCUMENT, "Which document is wrong, if one is?", choice, is_optional=True)
    words = {"type": "plain_text_input", "max_length": LONGEST_WORDS}
    sentence = "In a sentence" + ", for the document's owner" * bool(asked.documents)
    yield field(buttons.WORDS, sentence, words, is_optional=True)
    if asked.documents:
        named = "Say that it was me, with a link to this answer if the owner can open it"
        options = [option("Do not say who reported it", "no"), option(named, YES)]
        named = {"type": "radio_buttons", "options": options, "initial_option": options[0]}
        yield field(buttons.NAMED, "Your name", named, is_optional=True)


def _line(voice: Voice, links: Mapping[Placed, str]) -> str:
    if voice.other:
        of = f" of {day_in(voice.other_dated)}" if voice.other_dated else ""
        return f"• *{escaped(voice.other, limit=_NAME)}*{of} {_SAID[voice.reason]}."
    who = f"<@{voice.person}>" if voice.person else "A reader"
    words = f": “{escaped(voice.words, limit=LONGEST_WORDS)}”" if voice.words else "."
    link = links.get(voice.answered_in) if voice.answered_in else None
    return f"• {who} {_SAID[voice.reason]}{words}" + (f" (<{link}|the answer>)" if link else "")
