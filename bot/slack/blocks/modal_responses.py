"""How a modal that somebody sent is acknowledged (pure)."""

from typing import Any

from bot.slack.blocks.cards import APPROVAL, FORM_OUT_OF_DATE, MODAL_OUT_OF_DATE
from bot.slack.blocks.elements import modal, section
from bot.slack.payloads.shapes import Entries, Payload, ViewSubmission


def form_response(values: Entries, wrong: str) -> dict[str, Any]:
    """Return how a modal with these fields is acknowledged: it closes, or stays open and says what is wrong.

    Slack shows that below the first field; a modal without fields shows nothing else any more.
    """
    if not wrong:
        return {}
    if field := next(iter(values), ""):
        return {"response_action": "errors", "errors": {field: wrong}}
    return replaced_by(APPROVAL, wrong)


def replaced_by(title: str, mrkdwn: str) -> dict[str, Any]:
    """Return how a modal is acknowledged that says something instead of what it was opened for."""
    return {"response_action": "update", "view": modal(title, [section(mrkdwn)])}


def out_of_date(body: Payload) -> dict[str, Any]:
    """Return how a modal is acknowledged whose origin we cannot read: it shows why.

    An earlier version of Askback may have opened it, so what a person typed must not be lost without a word.
    """
    values = ViewSubmission.model_validate(body).view.state.values
    return form_response(values, FORM_OUT_OF_DATE if values else MODAL_OUT_OF_DATE)
