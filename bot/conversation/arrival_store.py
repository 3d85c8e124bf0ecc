"""Messages in SQL as they arrive: stored, refused with a notice, or left to people."""

from dataclasses import dataclass, replace
from typing import Any, Final

from psycopg.types.json import Jsonb

from bot.conversation import store, transitions
from bot.conversation.address import Ts
from bot.conversation.contents import NoticeContent, TurnContent, compact
from bot.conversation.inputs import PAUSE, UNLIMITED, Message, QueueLimits, notice_key
from bot.conversation.items import Surface, new_reference
from bot.conversation.message_kinds import MessageRefused
from bot.postgres import fetch
from bot.postgres.pool import Connection
from graph.context import Clock

_NOTICE: Final = """
    notice AS (
        INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, address, content, due_at,
                           reference, received_at)
        SELECT %(surface)s, %(workspace)s, %(thread_id)s || ':notice', %(position)s, 'notice', %(notice_key)s,
               %(address)s, why, 'epoch', 'N' || %(reference)s, %(now)s
        FROM told
        ON CONFLICT DO NOTHING
    )
"""
"""Stores what the writer of a message is told, in a thread of its own: it does not wait behind what it is about."""
_ADMIT: Final = f"""
    WITH theirs AS (
        SELECT rank FROM inbox
        WHERE person = %(person)s AND kind = 'turn' AND status IN ('waiting', 'asking')
        ORDER BY rank DESC LIMIT %(per_person)s
    ), load AS (
        SELECT (
            SELECT min(rank) FROM inbox WHERE surface = %(surface)s AND status IN ('waiting', 'asking')
        ) AS next_rank, (
            SELECT max(rank) FROM theirs
        ) AS last_rank, (
            SELECT count(*) FROM theirs
        ) >= %(per_person)s AS person_has_enough, (
            SELECT count(*) FROM (
                SELECT FROM inbox WHERE kind = 'turn' AND status IN ('waiting', 'asking')
                LIMIT %(altogether)s
            ) everybodys
        ) >= %(altogether)s AS all_have_enough
    ), stored AS (
        INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, message_key, address, content,
                           status, person, rank, due_at, reference, received_at, changed_at)
        SELECT %(surface)s, %(workspace)s, %(thread_id)s, %(position)s, 'turn', %(event_key)s, %(message_key)s,
               %(address)s, %(content)s,
               CASE WHEN person_has_enough OR all_have_enough THEN 'refused' ELSE 'waiting' END,
               %(person)s, GREATEST(next_rank, last_rank + 1, 0), 'epoch', %(reference)s, %(now)s,
               %(changed_at)s::numeric
        FROM load
        WHERE %(addressed)s OR %(untagged)s
           OR EXISTS (SELECT FROM inbox
                      WHERE thread_id = %(thread_id)s AND (position < %(position)s OR %(earlier_too)s))
        ON CONFLICT DO NOTHING
        RETURNING status
    ), told AS (
        SELECT CASE WHEN person_has_enough THEN %(person_limit)s::jsonb ELSE %(total_limit)s END AS why
        FROM stored, load
        WHERE status = 'refused' AND %(addressed)s AND NOT EXISTS (
            SELECT FROM inbox
            WHERE person = %(person)s AND status = 'refused' AND received_at > %(now)s - %(pause)s
        )
    ), {_NOTICE}
    SELECT FROM stored
"""  # noqa: S608 - of literals only


@dataclass(frozen=True, kw_only=True)
class Arrivals:
    """The messages of one surface as they arrive."""

    workspace: str
    surface: Surface
    clock: Clock
    limits: QueueLimits = UNLIMITED

    async def admit(
        self, connection: Connection, message: Message, *, changed_at: Ts | None = None, earlier_too: bool = False
    ) -> bool:
        """Store a message in one statement, wake a worker, and return whether it was new and for us.

        What was not said to the bot is stored only in a thread that the bot knows by then, or, with `earlier_too`, at
        all. If too many messages wait, it is refused, and the first refusal in a while brings a notice. `changed_at` is
        the time of its last edit, if that brings it.

        Its rank is its start tag in start-time fair queueing (Goyal, Vin and Cheng, 1996): one more than the person's
        last turn that waits, and no less than that of the turn that is next.
        """
        columns = self._columns(message)
        is_new = await fetch.found(
            connection,
            _ADMIT,
            **columns,
            changed_at=changed_at,
            earlier_too=earlier_too,
            per_person=self.limits.per_person,
            altogether=self.limits.altogether,
            notice_key=notice_key(message.address.person, columns["now"]),
            person_limit=_notice(MessageRefused(of="person", limit=self.limits.per_person)),
            total_limit=_notice(MessageRefused(of="everybody", limit=self.limits.altogether)),
            pause=PAUSE,
        )
        if is_new:
            await store.wake(connection, self.surface)
        return is_new

    async def insert_removed(self, connection: Connection, message: Message, *, changed_at: Ts) -> None:
        """Store a message that was deleted before it arrived, so that it gets no answer when it arrives.

        An earlier message of the thread never arrives, but the bot may have read it as context.
        """
        # The deletion is stored too, under the event's own key.
        unseen = replace(message, event_key=f"{message.event_key}:removed")
        if await replace(self, limits=UNLIMITED).admit(connection, unseen, earlier_too=True):
            stored = await store.known_message(connection, message.message_key)
            await store.change(connection, stored, transitions.removed, changed_at=changed_at, now=self.clock.now())

    async def drop_refused(self, connection: Connection, message: Message) -> None:
        """Delete a message that was refused, so that it can be admitted."""
        query = "DELETE FROM inbox WHERE message_key = %(key)s AND status = 'refused'"
        await connection.execute(query, {"key": message.message_key})

    async def insert_notice(self, connection: Connection, message: Message, why: MessageRefused, *, key: str) -> None:
        """Record, once for each key, that the writer of a message gets a notice. No words of it are stored.

        A message that did not address the bot may be for others, unless its writer has spoken with the bot there.
        """
        await connection.execute(
            f"""
            WITH told AS (
                SELECT %(why)s::jsonb AS why
                WHERE %(addressed)s
                   OR EXISTS (SELECT FROM inbox
                              WHERE thread_id = %(thread_id)s AND kind = 'turn' AND person = %(person)s
                                AND content ->> 'addressed' = 'true')
            ), {_NOTICE}
            SELECT
            """,  # noqa: S608 - of literals only
            {**self._columns(message), "notice_key": key, "why": _notice(why)},
        )
        await store.wake(connection, self.surface)

    async def is_for_us(self, connection: Connection, message: Message, *, earlier_too: bool) -> bool:
        """Tell whether a message is stored, or in a thread that the bot knows or knew then."""
        query = """
            SELECT FROM inbox
            WHERE message_key = %(message_key)s
               OR (thread_id = %(thread_id)s AND (position < %(position)s OR %(earlier_too)s))
            LIMIT 1
        """
        return await fetch.found(connection, query, **self._columns(message), earlier_too=earlier_too)

    def _columns(self, message: Message) -> dict[str, Any]:
        return {
            "surface": self.surface,
            "workspace": self.workspace,
            "thread_id": message.address.thread_id,
            "position": message.address.message_ts,
            "event_key": message.event_key,
            "message_key": message.message_key,
            "address": Jsonb(compact(message.address)),
            "content": Jsonb(TurnContent(turn=message.turn).to_json()),
            "person": message.address.person,
            "addressed": message.turn.addressed,
            "untagged": message.address.untagged,
            "reference": new_reference(),
            "now": self.clock.now(),
        }


def _notice(why: MessageRefused) -> Jsonb:
    return Jsonb(NoticeContent(refused=why).to_json())
