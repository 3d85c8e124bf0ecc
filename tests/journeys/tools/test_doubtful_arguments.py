"""Asks first if it is open what a tool that writes is to be called with: from a Slack payload to the Slack calls."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.journeys.conversations.test_groq import Request, form_of
from tests.journeys.harness import ADA, BEN, LOOK, SUPPORT, Harness, labels_of, text_of
from tests.journeys.tools.test_tool_approvals import Tracked
from tests.journeys.tools.test_tool_servers import serving
from tests.models.groq_server import GroqServer, Reply
from tests.models.obliging import may_ask_back, oblige, reading
from tests.tools.test_mcp_servers import noted

SAID = "Anna Meier found that the printer on floor 2 is broken, and Anna Rossi repairs printers."
ORDER = "assign TR-12 to Anna"
WHICH = "Which Anna do you mean?"
ANNAS = ("Anna Meier", "Anna Rossi")
OTHERS = ["Something else…", "Just answer"]


def doubting(*labels: str, argument: str = "person", takes: str = "") -> Callable[[Request], Reply]:
    """Return a model that asks which of the labels is meant, and plans the call with what was answered, or `takes`."""

    def script(request: Request) -> Reply:
        if form_of(request) != "understand":
            return oblige(request)
        asks, prompt = may_ask_back(request), request["messages"][-1]["content"]
        answered = prompt.partition("they answered:")[2].partition("The message:")[0]
        chosen = takes or next((name for name in (*labels, *ANNAS) if name in answered), "Anna")
        given = {"issue": "TR-12", "person": "Anna", argument: "" if asks else chosen}
        arguments = [{"name": name, "value": value} for name, value in given.items()]
        clarification = {"question": WHICH, "options": [*labels]}
        return reading(
            tools=[{"tool": "tracker.assign_issue", "arguments": arguments}],
            **({"route": "clarify", "clarification": clarification} if asks else {}),
        )

    return script


@asynccontextmanager
async def tracked(harness: Harness, folder: Path, script: Callable[[Request], Reply]) -> AsyncGenerator[Tracked]:
    """Run the bot with a model and a server that may assign issues."""
    at = Tracked(harness, folder / "calls")
    async with GroqServer.serve(script) as groq, serving(harness, groq, at.calls, writes=("assign_issue",)):
        yield at


async def asked(harness: Harness, order: str = ORDER) -> tuple[str, Sequence[str]]:
    """Call the bot into a thread in which both were named, and return the thread and the labels of the card."""
    root = await harness.playground.person(BEN).post(SUPPORT, SAID)
    await harness.ask(order, root=root)
    return root, labels_of(await harness.card(root))


async def approved(at: Tracked, root: str) -> list[str]:
    """Approve the call, wait for its answer, and return the calls that arrived."""
    await at.approve(root)
    answer = await at.saying(root, "as you approved")
    await at.harness.settled()
    assert "Assigned TR-12" in text_of(answer)
    return noted(at.calls, "assign")


async def test_two_people_of_the_thread_are_offered_and_the_chosen_one_is_called_with(
    harness: Harness, tmp_path: Path
) -> None:
    async with tracked(harness, tmp_path, doubting(*ANNAS)) as at:
        root, labels = await asked(harness)
        assert [] == noted(at.calls, "assign"), "Nothing is called before the approval."
        await harness.click(root, "Anna Rossi")
        card = await at.card(root)
        calls = await approved(at, root)

    assert [*ANNAS, *OTHERS] == labels
    assert "Tracker: assign_issue" in text_of(card)
    assert ["assign_issue TR-12 Anna Rossi low"] == calls


async def test_a_click_that_is_lost_in_a_restart_can_be_made_after_it(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path, doubting(*ANNAS)):
        root, _ = await asked(harness)
        await harness.settled()
        harness.playground.faults.drop_deliveries()
        await harness.click(root, "Anna Rossi")
    async with tracked(harness, tmp_path, doubting(*ANNAS)) as at:
        await harness.click(root, "Anna Rossi")
        calls = await approved(at, root)

    assert ["assign_issue TR-12 Anna Rossi low"] == calls


async def test_values_of_the_tools_own_schema_are_offered_and_no_others(harness: Harness, tmp_path: Path) -> None:
    script = doubting("low", "high", "immediate", argument="priority")
    async with tracked(harness, tmp_path, script) as at:
        root, labels = await asked(harness)
        await harness.click(root, "high")
        calls = await approved(at, root)

    assert ["low", "high", *OTHERS] == labels
    assert ["assign_issue TR-12 Anna high"] == calls


async def test_whom_nobody_named_is_no_option_but_people_are_asked_in_their_own_words(
    harness: Harness, tmp_path: Path
) -> None:
    async with tracked(harness, tmp_path, doubting("Anna Kovacs", "Anna Sousa")) as at:
        root, labels = await asked(harness)
        await harness.say("Anna Rossi", root)
        calls = await approved(at, root)

    assert OTHERS == labels
    assert ["assign_issue TR-12 Anna Rossi low"] == calls


async def test_a_call_without_the_chosen_value_is_not_offered_for_approval(harness: Harness, tmp_path: Path) -> None:
    async with tracked(harness, tmp_path, doubting(*ANNAS, takes="Anna Meier")) as at:
        root, _ = await asked(harness)
        await harness.click(root, "Anna Rossi", person=ADA)
        await harness.settled()

    assert [] == noted(at.calls, "assign")
    assert not [one for one in harness.said(root) if LOOK in labels_of(one)]
