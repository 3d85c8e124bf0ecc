"""A question for some documents is answered from these, with and without a model: from Slack to Slack."""

from tests.journeys.conversations.test_groq import Request, form_of, with_groq
from tests.journeys.harness import Harness, text_of
from tests.models.groq_server import GroqServer, Reply
from tests.models.obliging import oblige, reading

QUESTION = "What do the pages by Wiebke Jansen say about parking?"
HERS, OTHERS = "Hamburg", "Porto"


async def test_a_model_names_the_owner_and_reads_only_their_pages(harness: Harness) -> None:
    def script(request: Request) -> Reply:
        if form_of(request) == "understand":
            arguments = [{"name": "by", "value": "Wiebke Jansen"}]
            return reading(tools=[{"tool": "documents", "arguments": arguments}])
        return oblige(request)

    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask(QUESTION)
        await harness.answers(root)

    (prompt,) = [one["messages"][-1]["content"] for one in groq.requests if not form_of(one)]
    owners = [line.removeprefix("owner: ") for line in prompt.splitlines() if line.startswith("owner: ")]
    assert {"Wiebke Jansen"} == set(owners)


async def test_without_a_model_a_name_behind_by_does_the_same(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(QUESTION)
        await harness.playground.until(lambda: harness.said(root))
        await harness.settled()
        said = "".join(map(text_of, harness.said(root)))

    assert HERS in said
    assert OTHERS not in said
