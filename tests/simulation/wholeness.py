"""Promises about answers in several messages, of reviews, and about approved calls."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from playground.wire import Json
from tests.journeys.harness import is_answer, labels_of, text_of
from tests.simulation.harness import Simulation
from tests.simulation.models import LENGTH, TOOL, paragraphs_in, tags_in


async def answers(simulation: Simulation) -> list[list[Json]]:
    """Return all answers, each as its parts."""
    rows = await simulation.rows(
        "SELECT array_agg(ts ORDER BY part) AS parts FROM messages"
        " WHERE workspace = %(workspace)s AND kind = 'answer' GROUP BY inbox_id"
    )
    shown = [[simulation.messages[ts] for ts in row["parts"] if ts in simulation.messages] for row in rows]
    return [answer for answer in shown if answer]


async def parts_broken(simulation: Simulation) -> list[str]:
    """A long answer has all paragraphs in order, each once, unless somebody stopped it."""
    return [fault for answer in await answers(simulation) if is_answer(answer[0]) for fault in _cut_short(answer)]


async def reviews_broken(simulation: Simulation) -> list[str]:
    """Each open review has one card with buttons, no other card has any, and each decision is in force."""
    reviews = await simulation.rows("SELECT * FROM asks WHERE workspace = %(workspace)s AND kind = 'review'")
    failed = {
        row["ask_id"]
        for row in await simulation.rows(
            "SELECT content ->> 'ask_id' AS ask_id FROM inbox"
            " WHERE workspace = %(workspace)s AND kind = 'decision' AND status IN ('failed', 'stopped')"
        )
    }
    open_cards = [one for one in simulation.review_channel.values() if "Approve" in labels_of(one)]
    return [
        *_cards(reviews, open_cards),
        *(
            f"review {one['id']} is {one['status']}, and it is not in force"
            for one in reviews
            if one["status"] in ("decided", "expired")
            if one["concluded_at"] is None and str(one["id"]) not in failed
        ),
    ]


async def calls_broken(simulation: Simulation) -> list[str]:
    """A tool that writes is called at most once for each approval, which its asker alone gives."""
    begun = await simulation.rows(
        """
        SELECT state, decided_by IS DISTINCT FROM person AS by_others
        FROM tool_calls JOIN asks ON asks.id = ask_id WHERE tool_calls.workspace = %(workspace)s
        """
    )
    created, states = simulation.slack.created, Counter(call["state"] for call in begun)
    claimed = [text_of(one) for one in simulation.ours if "as you approved" in text_of(one)]
    return [
        *(["a tool was called more often than approved"] if len(created) > len(begun) else []),
        *(["it is stored that a tool was called, and it was not"] if states["done"] > len(created) else []),
        *("somebody else approved a call" for call in begun if call["by_others"]),
        *(f"an answer invents a call: {text}" for text in claimed if not set(tags_in(text)) & _tags(created)),
    ]


def _tags(titles: list[str]) -> set[str]:
    return {tag for title in titles for tag in tags_in(title)}


def _cut_short(answer: list[Json]) -> Iterator[str]:
    text = "".join(block["text"] for one in answer for block in one["blocks"] if block["type"] == "markdown")
    is_long = any(tag.startswith("l") for tag in tags_in(text)) and TOOL not in text
    is_cut = "Answer after all" in labels_of(answer[-1]) or "Reviewed by" in text_of(answer[-1])
    if (is_long and not is_cut) or paragraphs_in(text):
        expected = (LENGTH,) if not is_cut else tuple(LENGTH[:count] for count in range(len(LENGTH) + 1))
        if paragraphs_in(text) not in expected:
            yield f"a long answer has the paragraphs {paragraphs_in(text)} only: {text[:60]}"


def _cards(reviews: list[dict[str, Any]], open_cards: list[Json]) -> Iterator[str]:
    for review in reviews:
        count = sum(review["token"] in str(card["blocks"]) for card in open_cards)
        if count != (review["status"] == "open"):
            yield f"review {review['id']} is {review['status']} and has {count} open cards"
    if len(open_cards) > sum(review["status"] == "open" for review in reviews):
        yield "a card of no open review can be pressed"
