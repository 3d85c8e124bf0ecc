"""Many clicks at the same moment, of any kind: one counts, and each other gets a reason."""

import asyncio
import os
import random
from dataclasses import replace
from typing import Any

from bot.conversation.address import PersonId, Ts
from bot.conversation.asks.ask import AskRules
from bot.conversation.inputs import Click, ClickRefused
from bot.conversation.intake import Intake
from bot.postgres.pool import Database
from bot.slack.blocks.cards import refusal
from graph.turn import Choice
from tests.journeys.harness import is_answer, is_open_card
from tests.simulation.harness import PEOPLE, Simulation
from tests.simulation.host import SlacksClock
from tests.simulation.promises import broken

ADA, BEN = (PersonId(person) for person in PEOPLE)
CLICKS = int(os.environ.get("CLICKS", "1000"))
QUESTIONS = 40
AT_ONCE = 16


async def test_of_all_clicks_on_a_question_one_counts(simulation: Simulation) -> None:
    questions = await asked_back(simulation)
    inboxes = [intake_of(simulation, host.database) for host in simulation.hosts]
    clicks = thrown(questions, random.Random(2026))

    outcomes: list[tuple[Click, ClickRefused | None]] = []
    for start in range(0, len(clicks), AT_ONCE):
        batch = clicks[start : start + AT_ONCE]
        taken = await asyncio.gather(*(inboxes[number % 2].choose(click) for number, click in enumerate(batch)))
        outcomes += zip(batch, taken, strict=True)

    took = [click.token for click, outcome in outcomes if outcome is None]
    refused = [outcome for _, outcome in outcomes if isinstance(outcome, ClickRefused)]
    assert sorted(question["token"] for question in questions) == sorted(took)
    assert CLICKS == len(took) + len(refused)
    assert all(refusal(outcome) for outcome in refused if outcome.reason != "repeated")
    assert {"repeated", "answered", "not_yours", "unknown", "elsewhere"} <= {outcome.reason for outcome in refused}
    await simulation.settle()
    assert [] == await broken(simulation)
    assert QUESTIONS == len([one for one in simulation.messages.values() if is_answer(one)])


async def test_with_every_click_lost_every_question_ends(simulation: Simulation) -> None:
    await asked_back(simulation)
    for card in [one for one in simulation.messages.values() if is_open_card(one)]:
        await simulation.click(card, label="Pine")
    simulation.letters.clear()

    await simulation.pass_days()

    assert [] == await broken(simulation)
    assert QUESTIONS == len([one for one in simulation.messages.values() if is_answer(one)])


async def asked_back(simulation: Simulation) -> list[dict[str, Any]]:
    """Ask many ambiguous questions."""
    for number in range(QUESTIONS):
        await simulation.say(f"Where do I find w{number} a{number}?")
    await simulation.settle()
    return await simulation.rows("SELECT * FROM asks WHERE workspace = %(workspace)s ORDER BY id")


def intake_of(simulation: Simulation, database: Database) -> Intake:
    """Return the intake of a host that lets only the asker answer."""
    return Intake(
        database,
        SlacksClock(simulation.slack.clock),
        workspace=simulation.workspace,
        surface=f"slack:{simulation.workspace}",
        rules=AskRules(may_answer="asker"),
    )


def thrown(questions: list[dict[str, Any]], chance: random.Random) -> list[Click]:
    """Return clicks in any order: valid, repeated, of another person, of another thread, or forged."""
    clicks = [pressed(question, "own", number) for number, question in enumerate(questions)]
    kinds = ("own", "own", "stranger's", "elsewhere", "forged token", "forged option")
    while len(clicks) < CLICKS:
        if chance.random() < 1 / 4:
            clicks.append(chance.choice(clicks))
        else:
            clicks.append(pressed(chance.choice(questions), chance.choice(kinds), len(clicks)))
    chance.shuffle(clicks)
    return clicks


def pressed(question: dict[str, Any], kind: str, number: int) -> Click:
    """Return a click of this kind."""
    option = question["payload"]["options"][number % 2]["id"]
    click = Click(
        event_key=f"{question['token']}:{number}",
        token=question["token"],
        choice=Choice(kind="option", value=option),
        thread_id=question["thread_id"],
        person=ADA,
        clicked_at=Ts(f"{question['asked_at'].timestamp() + 60 + number / 1000:.6f}"),
    )
    match kind:
        case "stranger's":
            return replace(click, person=BEN)
        case "elsewhere":
            return replace(click, thread_id="T0:C0ELSEWHERE:1.000001")
        case "forged token":
            return replace(click, token="guessed")
        case "forged option":
            return replace(click, choice=Choice(kind="option", value="guessed"))
        case _:
            return click
