"""The page's suggested questions behave as expected: asked back, answered, admitted, or small talk."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import get_args

import pytest

from bot.models.multilingual import is_available
from bot.settings import BuiltInEmbedding
from tests.journeys.conftest import handbook_in
from tests.journeys.harness import Harness, labels_of, text_of

SAMPLE = Path(__file__).parents[3] / "playground" / "sample.json"
EXAMPLES: list[str] = json.loads(SAMPLE.read_text("utf-8"))["examples"]
ASKED = {
    "How many vacation days do I have?": {"Porto", "Hamburg"},
    "How long is the warranty?": {"Lumen Hub", "Pine Router"},
}
SAID = {
    "What is the limit for a hotel night?": "145 EUR",
    "What is the difference between the Team plan and the Enterprise plan?": "The first answer comes within 30 minutes",
    "An welchen Tagen sind Hunde im Hamburger Büro willkommen?": "dienstags und donnerstags",
    "Is there a sauna at the office?": "I found nothing in the documents that answers this.",
    "Thanks, what can you do?": "I answer questions from the team's documents",
}
SAID_OTHERWISE = {("multilingual", "Is there a sauna at the office?"): "I am not sure. These come nearest:"}
"""With these vectors, something comes near."""


@pytest.fixture(scope="module", params=get_args(BuiltInEmbedding))
def kind(request: pytest.FixtureRequest) -> BuiltInEmbedding:
    """The embedding; a demo may begin with each."""
    if request.param == "multilingual" and not is_available():
        pytest.skip("The multilingual embedding does not run here.")
    return request.param


@pytest.fixture(scope="module")
def handbook_template(server_url: str, template_url: str, kind: BuiltInEmbedding) -> Generator[str]:
    """The handbook with the embedding's vectors."""
    with handbook_in(server_url, template_url, kind) as url:
        yield url


@pytest.fixture(autouse=True)
async def bot(harness: Harness):  # noqa: ANN201
    """The bot, in this process."""
    async with harness.bot():
        yield


def test_every_example_is_tried_here() -> None:
    assert {f"@Askback {question}" for question in (*ASKED, *SAID)} == set(EXAMPLES)


@pytest.mark.parametrize(("question", "options"), ASKED.items())
async def test_where_it_may_mean_two_things_it_asks(harness: Harness, question: str, options: set[str]) -> None:
    root = await harness.ask(question)

    assert options <= set(labels_of(await harness.card(root)))


@pytest.mark.parametrize(("question", "said"), SAID.items())
async def test_otherwise_it_says_what_there_is(
    harness: Harness, kind: BuiltInEmbedding, question: str, said: str
) -> None:
    root = await harness.ask(question)
    (answer,) = await harness.answers(root)

    assert SAID_OTHERWISE.get((kind, question), said) in text_of(answer)
