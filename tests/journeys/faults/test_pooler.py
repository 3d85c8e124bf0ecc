"""The whole bot behind PgBouncer in transaction mode."""

from dataclasses import replace

from tests.journeys.harness import Harness, is_answer, text_of
from tests.support.databases import as_app
from tests.support.poolers import SESSIONS, needs_pgbouncer, pooled

pytestmark = needs_pgbouncer
AMBIGUOUS = "How many vacation days do I have?"
PLAIN = "What is the limit for a hotel night?"
MANY = 12
OF_THE_POOLER = "SELECT pid FROM pg_stat_activity WHERE usename = 'askback_app' AND application_name = 'pooled'"


async def test_it_asks_back_is_killed_resumes_and_follows_up(harness: Harness) -> None:
    async with pooled(as_app(harness.database_url)) as through:
        behind = replace(harness, environment={"ASKBACK_POOLER_URL": through})
        async with behind.bot_process() as process:
            root = await behind.ask(AMBIGUOUS)
            await behind.card(root)
            await process.kill()
        async with behind.bot_process():
            await behind.click(root, "Porto")
            (answer,) = await behind.answers(root)
            await behind.say("And in Hamburg?", root)
            _, follow_up = await behind.answers(root, 2)
            await behind.settled()

    assert "25" in text_of(answer)
    assert "30" in text_of(follow_up)
    assert 3 == len(harness.said(root))


async def test_many_questions_share_its_few_sessions_and_each_is_answered_once(harness: Harness) -> None:
    async with pooled(as_app(harness.database_url)) as through:
        behind = replace(harness, environment={"ASKBACK_POOLER_URL": through})
        async with behind.bot_process("receive"), behind.bot_process("work"), behind.bot_process("work"):
            roots = [await behind.ask(PLAIN) for _ in range(MANY)]
            for root in roots:
                await behind.answers(root)
            async with behind.owning() as owner:
                sessions = await (await owner.execute(OF_THE_POOLER)).fetchall()
            await behind.settled()

    assert 0 < len(sessions) <= SESSIONS
    assert all([1, True] == [len(harness.said(root)), is_answer(harness.said(root)[0])] for root in roots)
