"""Families in SQL; call everything here within the workspace.

The *family* of a message are its item and whatever answered the questions that its runs asked.
"""

from bot.conversation import store, transitions
from bot.conversation.address import Placed
from bot.conversation.asks import call_store
from bot.conversation.contents import ChoiceContent
from bot.conversation.items import Item
from bot.postgres import fetch
from bot.postgres.pool import Connection


async def family_of(connection: Connection, *heads: int) -> list[int]:
    """Return the ids of the family of some items, these first, then in the order of the thread."""
    return await fetch.values(
        connection,
        """
        WITH RECURSIVE family AS (
            SELECT id, thread_id, position FROM inbox WHERE id = ANY(%(heads)s)
            UNION
            SELECT reply.id, reply.thread_id, reply.position
            FROM family
            JOIN asks asked ON asked.inbox_id = family.id AND asked.kind = 'clarification'
            JOIN inbox reply ON reply.thread_id = family.thread_id
                            AND (reply.id = asked.decided_in
                                 OR (reply.content ->> 'ask_id')::bigint = asked.id)
        )
        SELECT id FROM family ORDER BY id <> ALL(%(heads)s), position, id
        """,
        heads=list(heads),
    )


async def family_before(connection: Connection, item: Item) -> list[int]:
    """Return the family whose answer a changed choice replaces; empty for any other item."""
    if not isinstance(item.content, ChoiceContent) or not item.content.revision:
        return []
    query = "SELECT inbox_id AS id FROM asks WHERE id = %(id)s AND kind = 'clarification'"
    return await family_of(connection, *await fetch.values(connection, query, id=item.content.ask_id))


async def shows(connection: Connection, message: Placed, *items: int) -> bool:
    """Tell whether a message of ours is about one of some items, or about an item of its family.

    A message may be clicked before it is recorded. Then it is newer than all recorded ones, and no other item has it.
    """
    query = """
        SELECT WHERE EXISTS (
            SELECT FROM messages WHERE inbox_id = ANY(%(family)s) AND (channel, ts) = (%(channel)s, %(ts)s)
        ) OR (
            NOT EXISTS (SELECT FROM messages WHERE (channel, ts) = (%(channel)s, %(ts)s))
            AND NOT EXISTS (
                SELECT FROM messages
                WHERE inbox_id = ANY(%(family)s) AND channel = %(channel)s AND ts::numeric > %(ts)s::numeric
            )
        )
    """
    family = await family_of(connection, *items)
    return await fetch.found(connection, query, family=family, channel=message.channel, ts=message.ts)


async def is_being_replaced(connection: Connection, item_id: int, *, thread_id: str) -> bool:
    """Tell whether a changed choice is about to replace an item's answer."""
    changing = await fetch.values(
        connection,
        """
        SELECT asked.inbox_id AS id
        FROM inbox revision JOIN asks asked ON asked.id = (revision.content ->> 'ask_id')::bigint
        WHERE revision.thread_id = %(thread_id)s AND revision.kind = 'revision'
          AND revision.status IN ('waiting', 'asking')
        """,
        thread_id=thread_id,
    )
    return bool(changing) and item_id in await family_of(connection, *changing)


async def asked_by(connection: Connection, replies: list[int]) -> list[int]:
    """Return the ids of the items whose questions these items have answered, for the first time or again."""
    return await fetch.values(
        connection,
        """
        SELECT DISTINCT asked.inbox_id AS id
        FROM inbox reply JOIN asks asked USING (thread_id)
        WHERE asked.kind = 'clarification' AND reply.id = ANY(%(replies)s)
          AND (reply.id = asked.decided_in OR (reply.content ->> 'ask_id')::bigint = asked.id)
        """,
        replies=replies,
    )


async def question_of(connection: Connection, answer: Placed) -> Item | None:
    """Return the first message of the family whose answer a message of ours shows; `None` if it shows none."""
    shown = "SELECT inbox_id AS id FROM messages WHERE kind = 'answer' AND (channel, ts) = (%(channel)s, %(ts)s)"
    shown_by = await fetch.values(connection, shown, channel=answer.channel, ts=answer.ts)
    found = await first_of(connection, shown_by[0]) if shown_by else None
    return found if found and found.kind == "turn" else None


async def first_of(connection: Connection, item_id: int) -> Item:
    """Return the first message of an item's family: what it answers may itself have been asked by an answer."""
    heads = [item_id]
    while earlier := await asked_by(connection, heads):
        heads = earlier
    return await store.item_by_id(connection, heads[0])


async def forget_words(connection: Connection, items: list[int]) -> None:
    """Forget what is kept of a deleted message beside its own item: edits, questions back, choices, reviews, calls.

    Newer words of a message that was edited to nothing stay.
    """
    edits = await fetch.values(
        connection,
        """
        SELECT edit.id FROM inbox edit JOIN inbox target ON target.id = (edit.content ->> 'target')::bigint
        WHERE edit.kind = 'edit' AND target.id = ANY(%(items)s) AND edit.thread_id = target.thread_id
          AND (edit.content ->> 'changed_at')::numeric > target.changed_at IS NOT TRUE
        """,
        items=items,
    )
    await store.change(connection, [*edits, *items], transitions.without_words)
    await connection.execute(
        """
        WITH reviewed AS (
            UPDATE asks SET decision = decision || '{"text": ""}', payload = payload
                || '{"question": "", "standalone": "", "draft": "", "sources": [], "issues": [], "notes": []}'
            WHERE kind = 'review' AND inbox_id = ANY(%(items)s)
        )
        UPDATE asks SET decision = NULL, payload = payload - 'change' || '{"about": "", "question": "", "options": []}'
        WHERE kind = 'clarification' AND inbox_id = ANY(%(items)s) AND status = 'superseded'
        """,
        {"items": items},
    )
    await call_store.forget_words(connection, items=items)
