"""The reviewers' card in each of its states, its modals, and the refusals of decisions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, assert_never

from bot.conversation.asks.review import Review, ReviewRefused
from bot.slack.blocks.answers import source_line
from bot.slack.blocks.elements import Block, actions, button, context, field, first_of, form, section, whole_lines
from bot.slack.blocks.markdown import escaped, linked, pieces, safe
from bot.slack.payloads import buttons
from bot.slack.payloads.buttons import ModalOrigin
from graph.state import Excerpt, ReviewPacket
from graph.text.grounding import citations

UNDER_REVIEW: Final = (
    "I am not sure enough of my answer to show it. A colleague will look at it first. Then it appears here."
)

NOTHING_WRITTEN: Final = "Write something for the asker, or press Cancel."

_QUESTION: Final = 1000
_DRAFT: Final = 6000
"""Characters of a draft on the card; "Edit…" shows all of it."""
_ISSUES: Final = 5
_ISSUE: Final = 300
_FIELD: Final = 3000
"""Characters of one field in a modal, says Slack."""
_FIELDS: Final = 20
_REASON: Final = 1000
_GOOD: Final = 0.7
"""The card does not mention scores from here on."""
_LOW: Final[Mapping[str, str]] = {
    "faithful": "It may say more than its sources do.",
    "responsive": "It may not answer what was asked.",
}


def open_card(review: Review, link: str) -> list[Block]:
    """Return what a reviewer decides by: why they are asked, question, draft, evidence; and the buttons."""
    decisions = [
        button("Approve", buttons.APPROVE, review.token) | {"style": "primary"},
        button("Edit…", buttons.EDIT, review.token),
        button("Reject…", buttons.REJECT, review.token) | {"style": "danger"},
    ]
    return [*_case(review, link), actions(*decisions)]


def decided_card(review: Review, link: str) -> list[Block]:
    """Return the card after its review was decided or closed."""
    lines = escaped(review.words, limit=_QUESTION).splitlines()[:3]
    said = [section(f">{line}") for line in lines if line.strip()]
    return [*_case(review, link), section(f"*{_outcome(review.outcome, review.decided_by)}*"), *said]


def edit_modal(origin: ModalOrigin, packet: ReviewPacket) -> Block:
    """Return the view that takes the answer in the reviewer's words, beginning with the draft."""
    fields = answer_fields(buttons.EDITED, packet["draft"])
    cited = "\n".join(source_line(source) for source in packet["sources"])
    hint = [context(whole_lines(f"Cite these by their number:\n{cited}"))] if cited else []
    return form(buttons.EDITED, origin, "Edit the answer", "Publish", [_asked(packet), *fields, *hint])


def answer_fields(name: str, text: str) -> list[Block]:
    """Return the inputs that take an answer, beginning with a text; Slack limits what one of them holds."""
    parts = pieces(text, limit=_FIELD)[:_FIELDS] or [""]
    return [
        _field(f"{name}:{place}", "The answer" if place == 0 else "…", part, is_optional=place > 0)
        for place, part in enumerate(parts)
    ]


def reject_modal(origin: ModalOrigin, packet: ReviewPacket) -> Block:
    """Return the view that asks why there is no answer; the asker reads it."""
    reason = _field(buttons.REJECTED, "What should the asker know?", "", is_optional=False, most=_REASON)
    return form(buttons.REJECTED, origin, "Reject the answer", "Reject", [_asked(packet), reason])


def refusal_in_modal(refused: ReviewRefused) -> str:
    """Return, as plain text, why what a reviewer wrote changed nothing."""
    said = refusal(replace(refused, by=None)).replace("Your click", "Your text")
    return f"{said} Copy your text if you still need it, then press Cancel."


def refusal(refused: ReviewRefused) -> str:
    """Return, as mrkdwn, why a reviewer's click changed nothing."""
    match refused.reason:
        case "approved" | "edited" | "rejected":
            return f"{_outcome(refused.reason, refused.by)} Your click changed nothing."
        case "expired" | "superseded":
            return f"{_outcome(refused.reason, None)} Your click changed nothing."
        case "no_reviewer":
            return "Only the reviewers of this workspace can decide this."
        case "reviewers_unknown":
            return "Slack does not tell me who the reviewers are just now, so this changed nothing. Please try again."
        case "open" | "unknown":
            return "I do not know this review any more."
        case _:
            assert_never(refused.reason)


def refusal_to_ask(refused: ReviewRefused) -> str:
    """Return, as mrkdwn, why "Ask a human" changed nothing."""
    match refused.reason:
        case "open":
            who = f"<@{refused.by}>" if refused.by else "Somebody"
            return f"{who} has asked already; a colleague will look at it."
        case "approved" | "edited" | "rejected":
            return f"<@{refused.by}> has looked at this already."
        case "expired":
            return "A colleague was asked already, but nobody could look at it in time."
        case "superseded":
            return "This answer is not the current one any more."
        case "no_reviewer":
            return "Only people of this workspace can ask for a colleague."
        case "unknown" | "reviewers_unknown":
            return "I do not know this answer, or am not quite done with it. Please try again in a moment."
        case _:
            assert_never(refused.reason)


def _case(review: Review, link: str) -> list[Block]:
    packet = review.packet
    links = frozenset(source["url"] for source in packet["sources"] if source["url"])
    draft = pieces(safe(packet["draft"], links=links), limit=_DRAFT)
    place = linked(link, "in a thread") if link else "in a thread"
    shown = draft[0] + ("\n\n_… “Edit…” shows the rest._" if len(draft) > 1 else "") if draft else "_Nothing._"
    return [
        section(_why(review)),
        section(f"<@{packet['asker']}> asked {place}:\n*{escaped(packet['question'], limit=_QUESTION)}*"),
        *([section(_issues(issues))] if (issues := [*_shortfalls(packet["scores"]), *packet["issues"]]) else []),
        {"type": "divider"},
        {"type": "markdown", "text": shown},
        *([context(_evidence(packet))] if packet["sources"] else []),
    ]


def _why(review: Review) -> str:
    if review.requester:
        return f"⚠️ *<@{review.requester}> asks for a person to look at this answer.* It is shown already."
    return "⚠️ *I am not sure enough of this answer.* Nobody sees it until one of you decides."


def _issues(issues: Sequence[str]) -> str:
    lines = [f"• {escaped(issue, limit=_ISSUE)}" for issue in dict.fromkeys(issues)]
    return "\n".join(["What falls short:", *first_of(lines, _ISSUES)])


def _shortfalls(scores: Mapping[str, float]) -> list[str]:
    """Return, in words, which scores are low; what is good enough is not worth a line."""
    return [said for name, said in _LOW.items() if scores.get(name, 1.0) < _GOOD]


def _evidence(packet: ReviewPacket) -> str:
    cited = citations(packet["draft"])
    # What the draft rests on comes first, because there may be no room for all.
    sources = sorted(packet["sources"], key=lambda source: source["number"] not in cited)
    return whole_lines("\n".join(f"{source_line(source)}\n{_quoted(source)}" for source in sources))


def _quoted(source: Excerpt) -> str:
    return "_" + escaped(" ".join(source["text"].split())).replace("_", "-") + "_" if source["text"].strip() else ""


def _outcome(status: str, by: str | None) -> str:
    who = f"<@{by}>" if by else "somebody"
    return {
        "approved": f"Approved by {who}.",
        "edited": f"Edited by {who}.",
        "rejected": f"Rejected by {who}.",
        "expired": "Nobody decided in time; the answer is shown with a caveat.",
        "superseded": "The question was edited, deleted or answered again, so nobody needs to decide this.",
    }[status]


def _asked(packet: ReviewPacket) -> Block:
    return section(f"*{escaped(packet['question'], limit=_QUESTION)}*")


def _field(name: str, label: str, value: str, *, is_optional: bool, most: int = _FIELD) -> Block:
    words = {"type": "plain_text_input", "multiline": True, "max_length": most}
    return field(name, label, {**words, "initial_value": value} if value else words, is_optional=is_optional)
