"""How many questions that need a tool the rules answer with it, and that no other message calls one."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bot.tools.toolbox import Toolbox, built_in
from graph.text.tool_questions import calls_in

HERE = Path(__file__).parent
TODAY = "2026-11-26"
CLINC = Path(os.environ.get("ASKBACK_EVALS", HERE.parents[2] / "shared/evals")) / "routing/clinc_val.jsonl"
OF_TOOLS = {"calculator", "date"}
"""The intents of CLINC150 that a tool serves."""


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def said_by_tools(question: str) -> str:
    """Return what the tools say to a question; empty if none is called."""
    calls = calls_in(question, TODAY)
    return " ".join([result["text"] for call in calls for result in await Toolbox(built_in()).use(call)])


async def test_of_20_questions_that_need_a_tool_19_are_answered_with_it() -> None:
    asked = rows(HERE / "tools.jsonl")

    wrong = [row["id"] for row in asked if row["result"] not in await said_by_tools(row["question"])]

    assert 20 == len(asked)
    # What rules do not know: the time zones of cities.
    assert ["tools-19"] == wrong


@pytest.mark.parametrize(
    "name", ["questions", "strangers", "unanswerable", "languages", "metadata", "channel_talk", "channel_strangers"]
)
def test_no_question_for_documents_and_no_talk_calls_a_tool(name: str) -> None:
    asked = [row["question"] for row in rows(HERE / f"{name}.jsonl")]

    assert [] == [question for question in asked if calls_in(question, TODAY)]
    assert len(asked) >= 16


@pytest.mark.skipif(not CLINC.exists(), reason="The shared data are not there.")
async def test_of_strangers_messages_only_those_for_a_tool_call_one() -> None:
    called = Counter(row["intent"] for row in rows(CLINC) if calls_in(row["text"], TODAY))

    assert called.keys() <= OF_TOOLS
    assert called["calculator"] >= 11
    assert called["date"] >= 7
