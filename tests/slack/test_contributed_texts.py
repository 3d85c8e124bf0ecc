"""What people read of verified answers and flagged documents, word for word."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.contributions.flag import FlaggedDocument, FlagNotice, Outcome, Report, Voice
from bot.contributions.maintain import Asker, Dispute, KeptAnswer
from bot.contributions.verify import VerifiedUntil
from bot.conversation.address import ChannelId, PersonId, Ts
from bot.slack import verified_news
from bot.slack.blocks.contributed import flag_cards, verified_cards
from tests.slack.test_review_cards import with_draft

ADA, BEN = PersonId("U0ADA"), PersonId("U0BEN")
DAY = date(2026, 3, 3)
NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
QUESTION = "Who waters the plants?"
ANSWER = "Olga does, on Fridays."
KEPT = VerifiedUntil(until=NOON, origin="o")
CARD: list[dict[str, Any]] = [{"type": "section", "text": {"type": "mrkdwn", "text": "…"}}]


def verified() -> dict[str, list[dict[str, Any]]]:
    """Return each card of a verified answer."""
    asker = Asker(person=ADA, channel=ChannelId("C0"), asked_ts=Ts("1.0"), asked_on=DAY, question=QUESTION)
    answer = KeptAnswer(
        origin="o", question=QUESTION, text=ANSWER, writer=BEN, writer_name="Ben", kept_on=DAY, until=NOON
    )
    dispute = Dispute(answer=answer, title="Plants", dated=DAY, said="Ada waters them.")
    return {
        "offered": verified_cards.offer(with_draft(ANSWER), "1.0"),
        "kept on a card": verified_cards.verified_card(CARD, BEN, KEPT),
        "kept in words": verified_cards.verified_words(KEPT),
        "retired": verified_cards.retired_card(CARD, BEN),
        "ends soon": verified_cards.did_it_hold(answer),
        "answered since": verified_cards.answered_since(answer, asker, ""),
        "contradicted": verified_cards.who_is_right(dispute),
        "objected to": verified_cards.objected_to(answer),
        "checked": verified_cards.checked(KEPT),
        "renewed": verified_cards.held(KEPT),
        "doubted": verified_cards.held_not(answer),
        "doubted by somebody": verified_cards.doubted_by(ADA, answer),
    }


def flagged() -> dict[str, list[dict[str, Any]]]:
    """Return each card of a flagged document."""
    voice = Voice(reason="wrong", words="It is 12.", person=ADA, other="", other_dated=None)
    other = Voice(reason="contradicted", words="", person=None, other="Hotels", other_dated=DAY)
    notice = FlagNotice(
        document_id=1, title="Travel", path="travel.md", url=None, since=NOON, voices=[voice, other], can_reread=True
    )
    outcomes: tuple[Outcome, ...] = ("right", "changed", "removed")
    reports = (Report(id=1, person=ADA, title="Travel", url=None, reported_at=NOON, outcome=one) for one in outcomes)
    card = flag_cards.flagged(notice, {})
    return {
        "told": card,
        "settled": flag_cards.settled(card, BEN, DAY),
        "read again": flag_cards.reread(card),
        **{f"ended: {report.outcome}": flag_cards.outcome(report) for report in reports},
    }


@pytest.mark.parametrize("cards", [verified(), flagged()], ids=["verified", "flagged"])
def test_cards_say(cards: dict[str, list[dict[str, Any]]], snapshot: SnapshotAssertion) -> None:
    said = [f"# {name}\n" + "\n".join(line for block in card for line in texts(block)) for name, card in cards.items()]

    assert snapshot == "\n\n".join(said)


def test_notices_say(snapshot: SnapshotAssertion) -> None:
    fates = [FlaggedDocument(title="Travel", fate=fate) for fate in ("sought", "told", "right", "nobody")]
    notices = [
        flag_cards.thanks(fates),
        flag_cards.REREADING,
        flag_cards.OUTCOME,
        flag_cards.NOTIFICATION,
        flag_cards.NOT_YOURS,
        verified_cards.RETIRED,
        verified_cards.REVISED,
        verified_cards.NOT_CONFIRMED,
        *(getattr(verified_news, name) for name in ("QUESTION", "DISPUTED", "OBJECTED", "ANSWERED")),
    ]

    assert snapshot == "\n\n".join(notices)


def texts(block: Any) -> Iterator[str]:
    """Yield what people read of a block."""
    match block:
        case {"type": "mrkdwn" | "plain_text" | "markdown", "text": str(text)}:
            yield text
        case {"type": "button", "text": {"text": str(text)}}:
            yield f"[{text}]"
        case dict():
            yield from (text for value in block.values() for text in texts(value))
        case list():
            yield from (text for value in block for text in texts(value))
        case _:
            pass
