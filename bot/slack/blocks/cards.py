"""The clarification card in each of its states, its modal, and the refusals of clicks."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, assert_never

from bot.conversation.address import PersonId
from bot.conversation.inputs import ClickRefused, Refusal
from bot.conversation.message_kinds import CardOutcome
from bot.slack.blocks.elements import (
    Block,
    actions,
    button,
    context,
    field,
    form,
    moment,
    option,
    plain_text,
    section,
    select,
    without_buttons,
)
from bot.slack.blocks.limit_notices import GUEST, UNCHECKED
from bot.slack.blocks.markdown import escaped, plain
from bot.slack.blocks.menus import changeable_text
from bot.slack.blocks.pages import stopped_by
from bot.slack.payloads import buttons
from bot.slack.payloads.buttons import ModalOrigin, with_token
from graph.asking.approvals import DENY
from graph.events import Option
from graph.tools import PlannedChange, fingerprint

APPROVAL: Final = "Approve a change"
"""The title of a modal."""
FORGOTTEN: Final = "Next time I will ask you."
NOTHING_TYPED: Final = "Write what you meant, or press Cancel."
THANKS: Final = {
    "good": "Thank you, I have noted that this helped.",
    "bad": "Thank you, I have noted that this did not help. Ask again in other words, and I will try again.",
}
ELSEWHERE: Final = "This belongs to another conversation, so it changed nothing."
FOREIGN: Final = "Only people of the company that I work for can use my buttons. Your click changed nothing."
SHARED: Final = (
    "People of another company can read this channel now, so this changed nothing. Please ask me in a direct message."
)
NOT_KNOWN_WHO_READS: Final = "I could not check who can read this channel, so this changed nothing. Please try again."
NOT_SERVED: Final = {"stranger": FOREIGN, "guest": GUEST, "unchecked": UNCHECKED}
FORM_OUT_OF_DATE: Final = "This form is out of date: copy your text, and open it again."
MODAL_OUT_OF_DATE: Final = "This is out of date, so nothing was approved: open it again."
BUTTON_OUT_OF_DATE: Final = "This button is of another version of me, so it did nothing."
OFFER_OUT_OF_DATE: Final = "This button is out of date, so it asked nothing. Please write the question."
NOT_FOUND: Final = "I could not read your message again. Please try again, or write it once more."
_MOST_BUTTONS: Final = 4
"""Options that are buttons, beside one another; a row of more is hard to read."""
_SHOWN: Final = 300
"""Characters of a question or label that are shown; more is nobody's question."""
_VALUE: Final = 2900
"""Characters of an argument; Slack takes 3,000 with the mark of a cut."""
_OFFERED: Final = 1000
"""The most characters of all options together on a card with an outcome."""
_WHY_NOT: Final[Mapping[Refusal, str]] = {
    "repeated": "",
    "superseded": "This question was closed. Press “Ask this again” on its card if it is there, or ask again.",
    "open": "I have asked this already. Please choose on that card.",
    "expired": "Nobody answered in time, so I went on with the most likely meaning. Ask again if you meant another.",
    "unapproved": "The time to approve this is over, so I did nothing. Ask again if you still want it.",
    "not_yours": "Only the person who asked can answer this.",
    "unknown": "I do not know this question any more. Please ask again.",
    "too_late": "This was chosen too long ago to be changed. Please ask again.",
    "elsewhere": ELSEWHERE,
    "changed": "This is not what you were shown, so your click changed nothing. Please look again.",
    "held": "What was just written here is still being read. Please try again in a moment.",
}
_ANSWERED_MEANWHILE: Final = "Somebody has answered this in the meantime, so your text changed nothing."


def open_card(token: str, question: str, options: Sequence[Option]) -> list[Block]:
    """Return the question with its options, a button for other words, and one to go on without.

    Up to four options are buttons; more are one menu, with all of them.
    """
    others = [
        button("Something else…", buttons.SOMETHING_ELSE, token),
        button("Just answer", buttons.JUST_ANSWER, token),
    ]
    return [_question(question), actions(*_choices(token, options), *others)]


def approval_card(token: str, question: str, asker: str) -> list[Block]:
    """Return the question whether a tool may change something. Others read along, so it shows no argument."""
    choices = [
        button("Look and approve…", buttons.LOOK_AT_CHANGE, token),
        button("Do not", f"{buttons.OPTION}:{DENY}", with_token(token, DENY)),
    ]
    only = context(f"Only <@{asker}> can see exactly what it would do, and approve it.")
    return [_question(question), only, actions(*choices)]


def approval_modal(origin: ModalOrigin, change: PlannedChange) -> Block:
    """Return the view that shows every argument of a change, as plain text in which nothing works, and approves it."""
    shown = [block for name, value in change["arguments"].items() for block in _argument(name, value)]
    said = section(f"*{escaped(change['title'], limit=_SHOWN)}* would be called once, with this:")
    approved = origin.model_copy(update={"fingerprint": fingerprint(change)})
    return form(buttons.LOOK_AT_CHANGE, approved, APPROVAL, "Approve", [said, *shown])


def _argument(name: str, value: str) -> list[Block]:
    """Return one argument, cut by itself, so that a long one hides no other."""
    cut = value if len(value) <= _VALUE else f"{value[:_VALUE]}… (and {len(value) - _VALUE} characters more)"
    said = {"type": "section", "text": {**plain_text(cut), "emoji": False}}
    return [context(escaped(name, limit=_SHOWN)), said if cut.strip() else section("_empty_")]


def _choices(token: str, options: Sequence[Option]) -> list[Block]:
    if len(options) > _MOST_BUTTONS:
        entries = [option(one.label, with_token(token, one.id)) for one in options]
        return [select(f"{buttons.OPTION}:menu", f"Choose one of {len(options)}", entries)]
    return [
        button(one.label, f"{buttons.OPTION}:{place}", with_token(token, one.id)) for place, one in enumerate(options)
    ]


def outcome_card(token: str, question: str, options: Sequence[Option], outcome: CardOutcome) -> list[Block]:
    """Return the card with its outcome, and with the menu to choose again, or to ask again."""
    offered = context(escaped(" · ".join(plain(one.label, limit=_SHOWN) for one in options), limit=_OFFERED))
    match outcome.how:
        case "answered":
            return [_question(question), changeable_text(_choice(outcome.by, outcome.label), outcome.changeable)]
        case "stopped":
            return [_question(question), offered, context(stopped_by(outcome.by)), _again(token)]
        case "edited":
            # Its new words are answered below: there is nothing to ask again.
            return [_question(question), offered, context("The question was edited.")]
        case "given_up":
            return [_question(question), offered, context(f"{_who(outcome.by)} needs no answer any more.")]
        case "superseded":
            return [_question(question), offered, context("A newer message took its place."), _again(token)]
        case "expired":
            assumed = f" I took it to mean *{escaped(outcome.label, limit=_SHOWN)}*." if outcome.label else ""
            return [_question(question), offered, changeable_text(f"Nobody answered.{assumed}", outcome.changeable)]
        case _:
            assert_never(outcome.how)


def asked_again_card(blocks: Sequence[Block], person: str) -> list[Block]:
    """Return a superseded card, as it was shown, after `person` asked its question again."""
    return [*without_buttons(blocks), context(f"<@{person}> asked this again.")]


def reminder(asker: str, question: str, *, until: datetime) -> list[Block]:
    """Return the message that calls the asker to an open question: the one place where we mention somebody."""
    end = moment(until, "{date_short_pretty} at {time}")
    asked = section(f"<@{asker}>, this still waits for you: *{escaped(question, limit=_SHOWN)}*")
    return [asked, context(f"If nobody answers by {end}, I will answer with the most likely meaning.")]


def typed_modal(origin: ModalOrigin, card: Sequence[Block]) -> Block:
    """Return the view that takes an answer in a person's own words, below the question as the `card` shows it."""
    asked = [section(text) for text in _texts(card)][:1]
    words = {"type": "plain_text_input", "multiline": True, "max_length": 1000, "focus_on_load": True}
    fields = [*asked, field(buttons.TYPED_ANSWER, "What did you mean?", words)]
    return form(buttons.TYPED_ANSWER, origin, "Something else", "Answer", fields)


def refusal_in_modal(refused: ClickRefused) -> str:
    """Return, as plain text, why what was typed changed nothing; empty if there is nothing to say."""
    if not (why := _WHY_NOT.get(refused.reason, _ANSWERED_MEANWHILE)):
        return ""
    return f"{why} Copy your text if you still need it, then press Cancel."


def refusal(refused: ClickRefused) -> str:
    """Return, as mrkdwn, why a click changed nothing; empty if there is nothing to say."""
    if refused.reason == "answered":
        return f"{_choice(refused.answered_by, refused.label, already=True)} Your click changed nothing."
    return _WHY_NOT[refused.reason]


def asked_already(person: PersonId) -> str:
    """Return, as mrkdwn, why a click on an offered question asked nothing."""
    return f"{_who(person)} has asked this already. Your click changed nothing."


def refusal_of_denial(refused: ClickRefused) -> str:
    """Return, as mrkdwn, why a wish was not denied; empty if there is nothing to say."""
    if refused.reason == "not_yours":
        return "Only the person who asked can say what belongs to the question."
    return refusal(refused)


def _texts(card: Sequence[Block]) -> list[str]:
    """Return the texts of a card's sections, as Slack sends them back."""
    sections = [block.get("text") for block in card if block["type"] == "section"]
    return [text["text"] for text in sections if isinstance(text, dict) and isinstance(text.get("text"), str)]


def _again(token: str) -> Block:
    return actions(button("Ask this again", buttons.ASK_AGAIN, token))


def _question(question: str) -> Block:
    return section(escaped(question, limit=_SHOWN))


def _who(person: str | None) -> str:
    return f"<@{person}>" if person else "Somebody"


def _choice(by: str | None, label: str, *, already: bool = False) -> str:
    who = _who(by)
    when = " already" if already else ""
    if not label:
        return f"{who}{when} said: just answer."
    return f"{who}{when} {'answered this with' if already else 'chose'} *{escaped(label, limit=_SHOWN)}*."
