"""What holds in a channel, in SQL; call everything here within the workspace."""

from dataclasses import replace

from bot.conversation.policy import MayAnswer, Policy
from bot.postgres.pool import Connection


async def rules_for(connection: Connection, rules: Policy, asking_id: int) -> Policy:
    """Return the rules with what holds in the channel of the item that asked."""
    cursor = await connection.execute(
        "SELECT may_answer FROM channels JOIN inbox ON channel = address ->> 'channel' WHERE inbox.id = %(id)s",
        {"id": asking_id},
    )
    row = await cursor.fetchone()
    return replace(rules, may_answer=row["may_answer"]) if row else rules


async def all_channels(connection: Connection) -> dict[str, MayAnswer]:
    """Return who may answer in the channels that differ."""
    cursor = await connection.execute("SELECT channel, may_answer FROM channels ORDER BY channel")
    return {row["channel"]: row["may_answer"] for row in await cursor.fetchall()}


async def let_answer(connection: Connection, workspace: str, channel: str, may_answer: MayAnswer) -> None:
    """Let somebody answer in a channel, whatever the settings say."""
    await connection.execute(
        """
        INSERT INTO channels (workspace, channel, may_answer) VALUES (%(workspace)s, %(channel)s, %(may_answer)s)
        ON CONFLICT (workspace, channel) DO UPDATE SET may_answer = excluded.may_answer
        """,
        {"workspace": workspace, "channel": channel, "may_answer": may_answer},
    )


async def let_settings_hold(connection: Connection, channel: str) -> None:
    """Let the settings hold in a channel again."""
    await connection.execute("DELETE FROM channels WHERE channel = %(channel)s", {"channel": channel})
