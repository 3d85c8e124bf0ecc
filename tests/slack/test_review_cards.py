"""The review card and its modals hold everything for a decision, within Slack's limits, and nothing harmful."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.clock import SystemClock
from bot.conversation.address import ChannelId, PersonId
from bot.conversation.asks.review import Decision, Review, ReviewRefused
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import Pace
from bot.slack.blocks.review_cards import decided_card, edit_modal, open_card, refusal, refusal_to_ask
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.review_listeners import ReviewListeners
from bot.slack.payloads import buttons
from bot.slack.payloads.actions import words_of
from bot.slack.payloads.buttons import ModalOrigin
from bot.slack.payloads.shapes import Entered
from bot.slack.people.reviewers import Reviewers
from graph.state import Excerpt, ReviewPacket
from tests.slack.payloads import US, action, submission
from tests.slack.recording import Acquainted, RecordingReviews

LINK = "https://slack.example/archives/C0/p100"
SOURCE = Excerpt(
    number=1,
    title="Travel",
    heading="Hotels",
    url="https://handbook.example/travel",
    dated="2026-01-01",
    passage_id=7,
    text="A night costs at most 145 EUR.",
)
PACKET = ReviewPacket(
    asker="U0ADA", question="What may a night cost?", standalone="What may a night cost?", key="100.000000",
    mode="conversational", outcome="answered", draft="It is 999 EUR [1].", sources=[SOURCE],
    issues=["The number is another one."], scores={"faithful": 0.2}, confidence=0.2,
    is_unsure=True, notes=[], of_writer=[], recalled="",
)  # fmt: skip
REVIEW = Review(
    id=1, token="token", inbox_id=1, thread_id="T0:C0:100.000000", channel=ChannelId("C0"), interrupt_id="i",
    person=None, payload=PACKET, status="open", due_at=datetime(2026, 11, 22, tzinfo=UTC),
)  # fmt: skip
ORIGIN = ModalOrigin(token="token", channel="C0PEOPLE", thread_ts="")
HERE = ORIGIN.model_copy(update={"channel": "D1"})


def with_draft(draft: str, **given: Any) -> Review:
    return replace(REVIEW, payload=ReviewPacket(**{**PACKET, "draft": draft, **given}))


def test_a_card_holds_all_that_a_decision_takes() -> None:
    shown = str(open_card(REVIEW, LINK))

    for part in (
        "What may a night cost?",
        LINK,
        "999 EUR",
        "another one",
        "more than its sources",
        "145 EUR",
        "Travel",
    ):
        assert part in shown


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ({"faithful": 1.0, "responsive": 1.0}, []),
        ({}, []),
        ({"faithful": 1.0, "responsive": 0.3}, ["It may not answer what was asked."]),
        (
            {"faithful": 0.2, "responsive": 0.3},
            ["It may say more than its sources do.", "It may not answer what was asked."],
        ),
    ],
)
def test_a_card_says_in_words_only_what_falls_short(scores: dict[str, float], told: list[str]) -> None:
    shown = str(open_card(with_draft("It is 145 EUR [1].", scores=scores, issues=[], confidence=1.0), LINK))

    assert told == [
        line for line in ("It may say more than its sources do.", "It may not answer what was asked.") if line in shown
    ]
    assert ("What falls short" in shown) == bool(told)
    assert not any(part in shown for part in ("faithful", "responsive", "confidence", "1.00"))


def test_what_the_draft_cites_is_shown_before_what_it_does_not() -> None:
    others = [Excerpt(**{**SOURCE, "number": number, "text": "x" * 300}) for number in range(1, 12)]
    cited = Excerpt(**{**SOURCE, "number": 12, "text": "A night costs at most 145 EUR."})

    assert "145 EUR." in str(open_card(with_draft("It is 145 [12].", sources=[*others, cited]), LINK))


def test_a_card_says_who_asked_for_a_person() -> None:
    assert "<@U0BEN> asks" in str(open_card(replace(REVIEW, person=PersonId("U0BEN")), LINK))


def test_a_card_calls_nobody_and_links_nowhere_by_what_a_draft_or_a_document_says() -> None:
    source = Excerpt(**{**SOURCE, "text": "<!channel> see https://evil.example/x"})
    shown = str(open_card(with_draft("<!here> [this](https://evil.example/x) @everyone", sources=[source]), LINK))

    assert "<!here>" not in shown
    assert "<!channel>" not in shown
    assert "](https://evil.example" not in shown


@pytest.mark.parametrize("length", [0, 100, 5_000, 30_000])
def test_a_card_and_its_modal_fit_slack(length: int) -> None:
    long = with_draft("It is so [1]. " * (length // 14), issues=["x" * 2000] * 30, sources=[SOURCE] * 10)
    blocks = open_card(long, LINK)
    view = edit_modal(ORIGIN, long.packet)

    assert max(len(block["text"]["text"]) for block in blocks if block["type"] == "section") <= 3000
    assert max(len(block["elements"][0]["text"]) for block in blocks if block["type"] == "context") <= 3000
    assert sum(len(block["text"]) for block in blocks if block["type"] == "markdown") <= 12_000
    fields = [block for block in view["blocks"] if block["type"] == "input"]
    assert all(len(field["element"].get("initial_value", "")) <= 3000 for field in fields)
    assert len(view["title"]["text"]) <= 24


@pytest.mark.parametrize("status", ["approved", "edited", "rejected", "expired", "superseded"])
def test_a_settled_card_has_no_buttons_and_says_what_became_of_it(status: Any) -> None:
    decision = {"kind": status, "text": "Because <!channel>."}
    stored = status if status in ("expired", "superseded") else "decided"
    settled = replace(REVIEW, status=stored, decided_by=PersonId("U0BEN"), decision=decision)
    blocks = decided_card(settled, LINK)

    assert "actions" not in {block["type"] for block in blocks}
    assert "<!channel>" not in str(blocks)


def test_every_refusal_is_explained() -> None:
    reasons = get_args(ReviewRefused.__annotations__["reason"])

    assert all(refusal(ReviewRefused(reason=reason, by=PersonId("U0BEN"))) for reason in reasons)
    assert all(refusal_to_ask(ReviewRefused(reason=reason, by=PersonId("U0BEN"))) for reason in reasons)


def test_a_long_draft_comes_back_from_its_fields_as_it_was() -> None:
    paragraphs = [f"{place} " + "word " * 300 for place in range(12)]
    view = edit_modal(ORIGIN, with_draft("\n\n".join(paragraphs)).packet)
    fields = [block for block in view["blocks"] if block["type"] == "input"]
    values = {one["block_id"]: {one["block_id"]: Entered(value=one["element"]["initial_value"])} for one in fields}
    assert len(fields) > 2

    words = words_of(dict(reversed(values.items())), buttons.EDITED)

    assert "".join("\n\n".join(paragraphs).split()) == "".join(words.split())


class Deciding(RecordingReviews):
    """A review intake that keeps what is decided."""

    def __init__(self) -> None:
        self.decisions: list[Decision] = []

    async def decide(self, decision: Decision) -> ReviewRefused | None:
        self.decisions.append(decision)
        return None


async def decided(act: Callable[[ReviewListeners], Awaitable[object]]) -> list[Decision]:
    """Let a reviewer act, and return what they decided."""
    messenger, reviews = Messenger(AsyncWebClient(base_url="http://127.0.0.1:9/"), pace=Pace()), Deciding()
    async with BackgroundTasks() as tasks:
        access_check = AccessCheck(Acquainted(messenger, US), messenger, tasks, SystemClock())
        await act(ReviewListeners(reviews, access_check, Reviewers("", messenger, channel="D1")))
    return reviews.decisions


@pytest.mark.parametrize(
    ("words", "metadata", "expected"),
    [
        ("No.", HERE.as_text(), [("rejected", "No.", "token", "UADA")]),
        (" ", HERE.as_text(), []),
        *(("No.", forged, []) for forged in ("", "{}", "7", "null", json.dumps(["a"]))),
    ],
)
async def test_a_reason_is_a_rejection(words: str, metadata: str, expected: list[tuple[str, ...]]) -> None:
    values = {"review_rejected": {"review_rejected": {"value": words}}}
    body = submission(None, metadata, callback_id="review_rejected", state={"values": values})
    decisions = await decided(lambda listeners: listeners.submit(body))

    assert expected == [(one.kind, one.words, one.token, one.person) for one in decisions]


@pytest.mark.parametrize(("button", "expected"), [("review_approve", [("approved", "tok")]), ("review_burn", [])])
async def test_only_a_button_that_approves_approves(button: str, expected: list[tuple[str, str]]) -> None:
    decisions = await decided(lambda listeners: listeners.act(action(button, "tok", channel={"id": "D1"})))

    assert expected == [(one.kind, one.token) for one in decisions]
