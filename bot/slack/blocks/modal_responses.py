"""How a modal that somebody sent is acknowledged (pure)."""

from typing import Any

from bot.slack.blocks.cards import APPROVAL, FORM_OUT_OF_DATE, MODAL_OUT_OF_DATE
from bot.slack.blocks.elements import modal, section
from bot.slack.payloads.actions import Submitted
from bot.slack.payloads.buttons import ModalOrigin
from bot.slack.payloads.shapes import Payload, ViewSubmission


def form_response(submitted: Submitted, wrong: str) -> dict[str, Any]:
    """Return how a modal is acknowledged: it closes, or stays open and says what is wrong.

    Slack shows that below the first field. A damaged payload names none; then it is called as the modal is.
    """
    if not wrong:
        return {}
    return {"response_action": "errors", "errors": {next(iter(submitted.values), submitted.id): wrong}}


def out_of_date(body: Payload) -> dict[str, Any]:
    """Return how a modal is acknowledged whose origin we cannot read: it shows why. Empty for every other modal.

    An earlier version of Askback may have opened it, so what a person typed must not be lost without a word.
    """
    view = ViewSubmission.model_validate(body).view
    if ModalOrigin.of_text(view.private_metadata or ""):
        return {}
    if field := next(iter(view.state.values), ""):
        return {"response_action": "errors", "errors": {field: FORM_OUT_OF_DATE}}
    # Slack shows an error only below a field.
    return {"response_action": "update", "view": modal(APPROVAL, [section(MODAL_OUT_OF_DATE)])}
