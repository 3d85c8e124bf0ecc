"""Questions without an answer for a visible reason: failed, stopped, dropped, or under review."""

from dataclasses import dataclass
from typing import Any

from bot.slack.blocks.pages import TOO_EARLY
from tests.journeys.harness import text_of
from tests.simulation.harness import Simulation
from tests.simulation.models import tags_in
from tests.simulation.wholeness import answers

UNDER_REVIEW = "A colleague will look at it first"


@dataclass(frozen=True)
class Excuses:
    """The tags of such questions, and the messages that show earlier answers."""

    shown: frozenset[str]
    """The tags of questions without an answer, whose reason people can read."""
    stopped: frozenset[str]
    """The tags of stopped questions. The thread remembers them as stopped until they are answered after all."""
    outdone: frozenset[str]
    """The ts of cards whose own turn was answered after all, without asking again."""
    earlier: frozenset[str]
    """The ts of messages that answer earlier words and say that the question was stopped since."""


async def excuses(simulation: Simulation) -> Excuses:
    """Return the questions without an answer, and the reasons."""
    ended, blocks = await _ended(simulation), str([one.get("blocks") for one in simulation.ours])
    told = [row["about"] for row in ended if row["reference"] in blocks]
    return Excuses(
        shown=_tags([*told, *await _under_review(simulation)]),
        stopped=_tags([row["about"] for row in ended if row["was_stopped"]]),
        outdone=frozenset(row["ts"] for row in await _outdone(simulation)),
        earlier=frozenset(
            part["ts"] for answer in await answers(simulation) if TOO_EARLY in text_of(answer[-1]) for part in answer
        ),
    )


async def _ended(simulation: Simulation) -> list[dict[str, Any]]:
    """Return the current words of the questions without an answer. A button of the message has the reference."""
    return await simulation.rows(
        """
        WITH stops AS (
            SELECT (content ->> 'target')::bigint AS id FROM inbox
            WHERE workspace = %(workspace)s AND kind = 'stop' AND status = 'finished'
        )
        SELECT ended.reference, ended.id IN (SELECT id FROM stops) AS was_stopped,
               concat_ws(' ', ended.content ->> 'question', asked.payload ->> 'about', review.payload ->> 'question',
                   (SELECT string_agg(part.content ->> 'question', ' ') FROM inbox part WHERE part.joined_to = ended.id)
               ) AS about
        FROM inbox ended
        LEFT JOIN asks asked ON asked.kind = 'clarification'
              AND (asked.id = (ended.content ->> 'ask_id')::bigint OR asked.decided_in = ended.id)
        LEFT JOIN asks review ON review.kind = 'review' AND review.id = (ended.content ->> 'ask_id')::bigint
        WHERE ended.workspace = %(workspace)s
          AND (ended.status IN ('failed', 'stopped', 'dropped') OR ended.id IN (SELECT id FROM stops))
        """
    )


async def _under_review(simulation: Simulation) -> list[str]:
    """Return the questions that a reviewer must see first, if the thread says so. A typed choice may be one of them."""
    rows = await simulation.rows(
        """
        SELECT ts, concat_ws(' ', payload ->> 'question', item.content ->> 'question') AS about
        FROM asks review JOIN messages USING (inbox_id) JOIN inbox item ON item.id = inbox_id
        WHERE review.workspace = %(workspace)s AND review.kind = 'review' AND review.status = 'open'
        """
    )
    saying_so = {one["ts"] for one in simulation.ours if UNDER_REVIEW in text_of(one)}
    return [row["about"] for row in rows if row["ts"] in saying_so]


async def _outdone(simulation: Simulation) -> list[dict[str, Any]]:
    return await simulation.rows(
        "SELECT card.ts FROM messages card JOIN messages answer USING (workspace, inbox_id)"
        " WHERE workspace = %(workspace)s AND card.kind = 'card' AND answer.kind = 'answer'"
    )


def _tags(texts: list[str]) -> frozenset[str]:
    return frozenset(tag for text in texts for tag in tags_in(text))
