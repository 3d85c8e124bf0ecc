"""A tool that writes is called once its asker has approved the call, and once only, whatever happens in between."""

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.crashes.wire import Side, wire
from tests.journeys.changes.test_changes import delete, edit
from tests.journeys.changes.test_stops import react
from tests.journeys.conversations.test_deadlines import OFTEN, make_due
from tests.journeys.conversations.test_groq import Request, form_of, offices
from tests.journeys.harness import (
    ADA,
    BEN,
    DENY,
    LOOK,
    PATIENCE,
    SUPPORT,
    BotProcess,
    Harness,
    Message,
    labels_of,
    text_of,
)
from tests.journeys.holding import held_back
from tests.journeys.people.test_forget_on_request import forgetter
from tests.journeys.people.test_forgetting import grow_quiet, tables_that_hold
from tests.journeys.tools.test_tool_servers import planning, serving
from tests.models.groq_server import GroqServer, Reply
from tests.models.obliging import may_ask_back, oblige, reading
from tests.tools.test_mcp_servers import noted, tracker

ORDER = "Create an issue in the tracker: the printer on floor 2 is broken."
TITLE = "The printer on floor 2 is broken"
TOOL = "Tracker: create_issue"
HOSTILE = "<!here> *bold* ~gone~ &amp; <@U0BEN>\nurgent\nfalse\n```"


@dataclass
class Tracked:
    """A bot whose model plans to create an issue, and the file of the server's calls."""

    harness: Harness
    calls: Path

    @property
    def created(self) -> list[str]:
        """The calls that arrived."""
        return noted(self.calls, "create") if self.calls.exists() else []

    def is_connected(self) -> bool:
        """Tell whether the bot has asked the server for its tools."""
        return self.calls.exists() and bool(noted(self.calls, "listed"))

    async def card(self, root: str) -> Message:
        """Wait for the open card."""
        return await self.saying(root, LOOK)

    async def saying(self, root: str, words: str) -> Message:
        """Wait for a message with these words, or a button of that name."""

        def there() -> list[Message]:
            return [one for one in self.harness.said(root) if words in "\n".join([text_of(one), *labels_of(one)])]

        return (await self.harness.playground.until(there, timeout=PATIENCE))[-1]

    async def press(self, root: str, label: str, *, person: str = ADA) -> None:
        """Press a button of the open card."""
        card = await self.card(root)
        await self.harness.playground.person(person).click(SUPPORT, card["ts"], label=label)

    async def look(self, root: str) -> dict[str, Any]:
        """Open the modal that shows the arguments."""
        ada = self.harness.playground.person(ADA)
        before = ada.open_view
        await self.press(root, LOOK)
        seen = self.harness.playground.until
        return await seen(lambda: (view := ada.open_view) and view != before and view, timeout=PATIENCE)

    async def approve(self, root: str) -> None:
        """Look, and approve."""
        await self.harness.playground.person(ADA).submit(await self.look(root), {})


OTHER_TITLE = """UPDATE asks SET payload = jsonb_set(payload, '{change,arguments,title}', '"Other"')"""
"""It changes what the call would do, after a person was shown it."""


@asynccontextmanager
async def tracked(
    harness: Harness, folder: Path, tool: str = "create_issue", **arguments: str
) -> AsyncGenerator[Tracked]:
    """Run the bot with a model and a server that may write."""
    calls = folder / "calls"
    script = planning(f"tracker.{tool}", "", **({"title": TITLE} | arguments))
    async with GroqServer.serve(script) as groq, serving(harness, groq, calls, writes=(tool,)):
        yield Tracked(harness, calls)


async def test_an_approved_call_is_made_once_and_its_result_is_cited(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path, urgent="true") as at:
        root = await harness.ask(ORDER)
        card = await at.card(root)
        assert [] == at.created, "Nothing is called before the click."
        view = await at.look(root)
        await harness.playground.person(ADA).submit(view, {})
        answer = await at.saying(root, "as you approved")
        await harness.settled()

    assert [f"create_issue {TITLE} True"] == at.created
    assert f"“{TOOL}” was called once, as you approved. [1]" in text_of(answer)
    assert "Created TR-13." in text_of(answer)
    assert f"[1] {TOOL}" in text_of(answer)
    assert TOOL in text_of(card)
    assert f"Only <@{ADA}>" in text_of(card)
    assert "printer" not in json.dumps(harness.said(root)), "The arguments are not for the channel."
    assert TITLE in json.dumps(view)
    assert "true" in json.dumps(view)


async def test_a_second_click_and_a_repeated_delivery_call_nothing_more(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        view = await at.look(root)
        again = await at.look(root)
        harness.playground.faults.duplicating = 1
        ada = harness.playground.person(ADA)
        await ada.submit(view, {})
        await ada.submit(again, {})
        await at.saying(root, "as you approved")
        await harness.settled()

    assert 1 == len(at.created)
    assert 2 == len(harness.said(root))


@pytest.mark.parametrize("label", [LOOK, DENY])
async def test_a_click_of_somebody_else_is_explained_and_decides_nothing(
    harness: Harness, tmp_path: Path, label: str
) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        await at.press(root, label, person=BEN)
        assert await harness.ephemeral(BEN, "Only the person who asked")
        await harness.settled()
        assert LOOK in labels_of(await at.card(root)), "It still waits for its asker."
        assert harness.playground.person(BEN).open_view is None
        assert [] == at.created
        await at.approve(root)
        await at.saying(root, "as you approved")

    assert 1 == len(at.created)


async def test_a_rejection_is_final_for_the_turn_and_said(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        await at.press(root, DENY)
        answer = await at.saying(root, "You did not approve it")
        await harness.settled()
        card, *others = harness.said(root)

    assert [] == at.created
    assert "Do not" in text_of(card)
    assert [] == labels_of(card)
    assert [answer["ts"]] == [one["ts"] for one in others]


async def test_words_approve_nothing_and_a_new_question_closes_the_card(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        await at.card(root)
        for said in ("yes", "Approve", "1", "go ahead"):
            await harness.say(said, root)
            await harness.settled()
        assert 5 == len(harness.said(root))
        assert "Only a click" in text_of(harness.said(root)[-1])
        await harness.say("never mind", root)
        closed = await at.saying(root, "needs no answer any more")
        await harness.settled()

    assert [] == at.created
    assert [] == labels_of(closed)


async def test_a_doubtful_argument_is_asked_back_before_the_approval(harness: Harness, tmp_path: Path) -> None:
    def script(request: Request) -> Reply:
        if form_of(request) != "understand":
            return oblige(request)
        asks = may_ask_back(request)
        title = "vacation" if asks else "vacation in Porto"
        use = {"tool": "tracker.create_issue", "arguments": [{"name": "title", "value": title}]}
        clarification = {"question": "Which office?", "options": offices(request)}
        return reading(tools=[use], **({"route": "clarify", "clarification": clarification} if asks else {}))

    at = Tracked(harness, tmp_path / "calls")
    async with GroqServer.serve(script) as groq, serving(harness, groq, at.calls, writes=("create_issue",)):
        root = await harness.ask("Create an issue about how many vacation days I have")
        await harness.click(root, "Porto")
        await at.approve(root)
        await at.saying(root, "as you approved")

    assert ["create_issue vacation in Porto False"] == at.created


async def test_nobody_approves_it_in_time(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        view = await at.look(root)
        await harness.settled()
        await make_due(harness, "expire")
        async with harness.bot(cadence=OFTEN):
            await at.saying(root, "Nobody approved it in time")
        answer = await harness.playground.person(ADA).submit(view, {})
        await harness.settled()

    assert [] == at.created
    assert "update" == answer["response_action"], "A late approval is explained in its modal."
    assert "so I did nothing" in str(answer["view"])
    assert "most likely meaning" not in str(answer["view"])


@pytest.mark.parametrize("change", ["edit", "delete", "stop"])
async def test_what_ends_the_question_between_click_and_call_ends_the_call(
    harness: Harness, tmp_path: Path, change: str
) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        view = await at.look(root)
        await harness.settled()
        async with held_back(harness):
            await harness.playground.person(ADA).submit(view, {})
            match change:
                case "edit":
                    await edit(harness, root, "Hello")
                case "delete":
                    await delete(harness, root)
                case _:
                    await react(harness, root)
            await harness.playground.until(lambda: all(one.settled for one in harness.playground.deliveries()))
        await harness.settled()
        assert [] == at.created
        if change == "stop":
            after_all = await at.saying(root, "Answer after all")
            await harness.playground.person(BEN).click(SUPPORT, after_all["ts"], label="Answer after all")
            await at.saying(root, "does not hold any more")

    assert [] == at.created
    with psycopg.connect(harness.database_url) as owner:
        assert (0,) == owner.execute("SELECT count(*) FROM tool_calls").fetchone()


@pytest.mark.parametrize("change", ["edit", "delete", "stop"])
async def test_a_call_that_is_ended_on_its_way_is_told(harness: Harness, tmp_path: Path, change: str) -> None:
    async with tracked(harness, tmp_path, "create_and_hang") as at:
        root = await harness.ask(ORDER)
        await at.approve(root)
        await harness.playground.until(lambda: at.created, timeout=PATIENCE)
        told = "do not know what came of it"
        match change:
            case "edit":
                await edit(harness, root, "Hello")
                assert await harness.ephemeral(ADA, told)
            case "delete":
                await delete(harness, root)
                assert await harness.ephemeral(ADA, told)
            case _:
                await react(harness, root)
                assert "Stopped by" in text_of(await at.saying(root, told))
        await harness.settled()

    assert 1 == len(at.created)


async def test_an_open_card_closes_with_its_question(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        view = await at.look(root)
        await react(harness, root)
        await at.saying(root, "Stopped by")
        answer = await harness.playground.person(ADA).submit(view, {})
        await harness.settled()

    assert "update" == answer["response_action"]
    assert [] == at.created


async def test_a_modal_that_was_open_during_a_restart_still_approves(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        view = await at.look(root)
        await harness.settled()
        assert [] == at.created
    async with tracked(harness, tmp_path) as at:
        await harness.playground.person(ADA).submit(view, {})
        answer = await at.saying(root, "as you approved")
        await harness.settled()

    assert 1 == len(at.created)
    assert "Created TR-13." in text_of(answer)


async def test_a_click_and_a_submission_that_are_lost_can_be_made_again(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        await at.card(root)
        harness.playground.faults.drop_deliveries()
        await at.press(root, LOOK)
        view = await at.look(root)
        harness.playground.faults.drop_deliveries()
        with pytest.raises(TimeoutError):
            await harness.playground.person(ADA).submit(view, {})
        assert [] == at.created
        await harness.playground.person(ADA).submit(view, {})
        await at.saying(root, "as you approved")
        await harness.settled()

    assert 1 == len(at.created)


async def test_what_differs_from_what_was_shown_is_not_approved(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        view = await at.look(root)
        await harness.settled()
        async with harness.owning() as owner:
            await owner.execute(OTHER_TITLE)
        answer = await harness.playground.person(ADA).submit(view, {})
        await harness.settled()

    assert "not what you were shown" in json.dumps(answer)
    assert [] == at.created
    assert LOOK in labels_of(await at.card(root))


async def test_what_differs_from_what_was_approved_is_not_called(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        view = await at.look(root)
        await harness.settled()
        async with held_back(harness):
            await harness.playground.person(ADA).submit(view, {})
            async with harness.owning() as owner:
                await owner.execute(OTHER_TITLE)
        await at.saying(root, "does not hold any more")

    assert [] == at.created


async def test_hostile_arguments_are_shown_whole_and_do_nothing(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path, title=HOSTILE, urgent="") as at:
        root = await harness.ask(f"{ORDER} {HOSTILE}")
        await harness.settled()
        assert not [one for one in harness.said(root) if LOOK in labels_of(one)], "An empty text is no boolean."

    long = "x" * 1_900
    async with tracked(harness, tmp_path, title=f"{HOSTILE} {long}", urgent="true") as at:
        root = await harness.ask(f"{ORDER} {HOSTILE} {long}")
        view = await at.look(root)

    values = [block["text"] for block in view["blocks"][1:] if block["type"] == "section"]
    assert [f"{HOSTILE} {long}", "true"] == [value["text"] for value in values], "A long value hides no other one."
    assert {"plain_text"} == {value["type"] for value in values}


async def test_what_a_result_says_orders_nothing_and_links_nowhere(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path, "create_with_orders") as at:
        root = await harness.ask(ORDER)
        await at.approve(root)
        answer = await at.saying(root, "Created TR-14")

    assert "PWNED" not in text_of(answer)
    assert "<https://evil" not in text_of(answer)


async def test_a_call_that_its_tool_refuses_is_told_and_not_made_again(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path, "create_and_fail") as at:
        root = await harness.ask(ORDER)
        await at.approve(root)
        await at.saying(root, "refused the call, or could not be reached")
        await harness.settled()

    assert 1 == len(at.created)


async def test_a_deleted_question_leaves_no_word_of_its_call(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path, title="zebra crossing") as at:
        root = await harness.ask("Create an issue: zebra crossing")
        await at.approve(root)
        await at.saying(root, "as you approved")
        await harness.settled()
        assert {"asks", "tool_calls"} <= set(tables_that_hold(harness.database_url, "zebra"))
        await delete(harness, root)
        await harness.settled()
    await grow_quiet(harness)

    assert [] == tables_that_hold(harness.database_url, "zebra")
    assert 1 == len(at.created)


async def test_a_forgotten_person_leaves_no_word_of_their_call(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path, title="zebra crossing") as at:
        root = await harness.ask("Create an issue: zebra crossing")
        await at.approve(root)
        await at.saying(root, "as you approved")
        await harness.settled()
    async with forgetter(harness.database_url) as forgets:
        await forgets.person(ADA)

    assert [] == tables_that_hold(harness.database_url, "zebra")


@pytest.mark.parametrize("label", ["approve", DENY])
async def test_a_decision_counts_if_the_run_that_asked_is_gone(harness: Harness, tmp_path: Path, label: str) -> None:
    async with tracked(harness, tmp_path) as at:
        root = await harness.ask(ORDER)
        await at.card(root)
        await harness.settled()
        async with harness.owning() as owner:
            for table in ("checkpoint_writes", "checkpoint_blobs", "checkpoints"):
                await owner.execute(f"DELETE FROM {table}".encode())
        await (at.approve(root) if label == "approve" else at.press(root, label))
        await at.saying(root, "as you approved" if label == "approve" else "You did not approve it")
        await harness.settled()

    assert (1 if label == "approve" else 0) == len(at.created)


@pytest.mark.parametrize(
    ("moment", "calls", "said"),
    [
        (("into tool_calls", "before"), 1, "as you approved"),
        (("into tool_calls", "after"), 0, "do not know what came of it"),
        (("tool_calls", "before"), 1, "do not know what came of it"),
        (("tool_calls", "after"), 1, "as you approved"),
    ],
)
async def test_killed_around_the_call_it_is_made_at_most_once(
    harness: Harness, tmp_path: Path, moment: tuple[str, Side], calls: int, said: str
) -> None:
    at, file = Tracked(harness, tmp_path / "calls"), tmp_path / "servers.json"
    file.write_text(
        json.dumps({"mcpServers": {"tracker": tracker(at.calls, reads=[], writes=["create_issue"]).model_dump()}})
    )
    deadly = {moment}
    processes: list[BotProcess] = []

    def watch(written: frozenset[str], when: Side) -> bool:
        if not any((write, when) in deadly for write in written):
            return False
        deadly.clear()
        for process in processes:
            assert process._process
            process._process.kill()
        return True

    async with AsyncExitStack() as stack:
        groq = await stack.enter_async_context(GroqServer.serve(planning("tracker.create_issue", "", title=TITLE)))
        url = await stack.enter_async_context(wire(harness.app_url, watch))
        environment = {"GROQ_API_KEY": "gsk_local", "GROQ_BASE_URL": groq.url, "ASKBACK_MCP_SERVERS": str(file)}
        process = await stack.enter_async_context(harness.bot_process(DATABASE_URL=url, **environment))
        processes.append(process)
        await harness.playground.until(at.is_connected, timeout=PATIENCE)
        root = await harness.ask(ORDER)
        await at.approve(root)
        await harness.playground.until(lambda: not deadly, timeout=PATIENCE)
        await process.kill()
        await process.start(harness.playground)
        await at.saying(root, said)
        await harness.settled()

    assert calls == len(at.created)
    assert 2 == len(harness.said(root)), "A card and one answer."
