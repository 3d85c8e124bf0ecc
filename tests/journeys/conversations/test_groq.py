"""The same conversations with a model server over real sockets, in Groq's protocol."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.journeys.harness import Harness, labels_of, text_of
from tests.models.groq_server import Fails, GroqServer, Reply, Says
from tests.models.obliging import may_ask_back, oblige, reading
from tests.support.waiting import PATIENCE

AMBIGUOUS = "How many vacation days do I have?"
PLAIN = "What is the limit for a hotel night?"
LIMIT = "The limit for a hotel night is 145 EUR [1]."

Request = dict[str, Any]


def form_of(request: Request) -> str:
    """Return the form that a request asks for; empty if it asks for text."""
    return request.get("response_format", {}).get("json_schema", {}).get("name", "")


def offices(request: Request) -> list[str]:
    """Return the labels of the interpretations that are offices."""
    return re.findall(r"(?m)^(.+) \(office\):", request["messages"][-1]["content"])


def passage_in(request: Request, number: int) -> tuple[str, str]:
    """Return the title of a passage in a prompt, and its last sentence."""
    prompt = request["messages"][-1]["content"]
    found = re.search(rf"<passage {number} (\w+)>\n(.*?)\n\n(.*?)\n</passage {number} \1>", prompt, re.DOTALL)
    assert found
    title = found[2].splitlines()[0].split(" › ")[0]
    return title, found[3].split("\n")[-1].removesuffix(".").split(". ")[-1]


def with_groq(harness: Harness, server: GroqServer):  # noqa: ANN201
    """Run the bot with the server as its model."""
    return harness.bot(groq_api_key="gsk_local", groq_base_url=server.url)


def writing(*replies: Reply) -> Callable[[Request], Reply]:
    """Return a script that writes the replies one after another, repeats the last, and answers everything else well."""
    left = list(replies)

    def script(request: Request) -> Reply:
        if form_of(request):
            return oblige(request)
        return left.pop(0) if len(left) > 1 else left[0]

    return script


async def test_a_question_takes_three_calls_and_streams_its_answer(harness: Harness) -> None:
    async with GroqServer.serve(writing(Says(LIMIT, pause_seconds=0.2))) as groq, with_groq(harness, groq):
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)

    assert "145 EUR" in text_of(answer)
    assert Counter({"understand": 1, "": 1, "validate": 1}) == Counter(map(form_of, groq.requests))
    assert harness.playground.calls("chat.startStream")


async def test_sources_count_from_one_in_the_order_in_which_the_answer_cites_them(harness: Harness) -> None:
    titles: list[str] = []
    is_seen = asyncio.Event()

    def script(request: Request) -> Reply:
        if form_of(request):
            return oblige(request)
        third, first = (passage_in(request, number) for number in (3, 1))
        titles[:] = [third[0], first[0]]
        text = f"{third[1]} [3]. {first[1]} [1]. Again: {third[1]} [3][1]."
        return Says(f"EVIDENCE: full\n{text}", size=len(text) - 20, held_until=is_seen, held_at=2)

    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask(PLAIN)
        await harness.playground.until(lambda: "[1]" in streamed(harness), timeout=PATIENCE)
        is_seen.set()
        (answer,) = await harness.answers(root)

    (text,) = [block["text"] for block in answer["blocks"] if block["type"] == "markdown"]
    below = [line for line in text_of(answer).splitlines() if re.match(r"\[\d\] ", line)]
    assert ["1", "2", "1", "2"] == re.findall(r"\[(\d)\]", text)
    assert [f"[{place}] {title}" for place, title in enumerate(titles, 1)] == [named(line) for line in below]
    assert "[3]" not in streamed(harness)
    assert not harness.playground.calls("chat.update"), "What was streamed has the same numbers."


def streamed(harness: Harness) -> str:
    """Return what was streamed so far."""
    return str([call.arguments for call in harness.playground.calls() if call.method.endswith("Stream")])


def named(line: str) -> str:
    """Return a line about a source without its address and heading."""
    return re.sub(r"<[^|]*\||( ›.*)?>.*", "", line)


async def test_a_server_of_ones_own_answers_like_groq(harness: Harness) -> None:
    async with GroqServer.serve(writing(Says(LIMIT)), path="/v1") as server:
        own = {"model_url": f"{server.url}/v1", "model_key": "gsk_local", "first_word_seconds": 60.0}
        async with harness.bot(**own):
            root = await harness.ask(PLAIN)
            (answer,) = await harness.answers(root)

    assert "145 EUR" in text_of(answer)
    assert {request["model"] for request in server.requests} == {"openai/gpt-oss-20b", "openai/gpt-oss-120b"}


async def test_the_models_question_becomes_buttons_and_the_click_is_answered_without_another_reading(
    harness: Harness,
) -> None:
    def script(request: Request) -> Reply:
        if form_of(request) != "understand":
            return oblige(request)
        if "Porto" not in str(request["messages"]) or not may_ask_back(request):
            return reading()
        return reading(route="clarify", clarification={"question": "Which office?", "options": offices(request)})

    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask(AMBIGUOUS)
        card = await harness.card(root)
        label = labels_of(card)[0]
        await harness.click(root, label)
        await harness.answers(root)

    assert "Which office?" in text_of(card)
    (understood,) = [request for request in groq.requests if form_of(request) == "understand"]
    (written,) = [request for request in groq.requests if not form_of(request)]
    assert understood is groq.requests[0]
    assert f"({label})?" in str(written["messages"])


async def test_an_answer_from_the_conversation_shows_the_sources_of_the_earlier_answer(harness: Harness) -> None:
    def script(request: Request) -> Reply:
        if form_of(request) == "understand" and "in short" in request["messages"][-1]["content"]:
            return reading(route="answer_from_conversation", reply="It is 145 EUR.")
        return oblige(request) if form_of(request) else Says(LIMIT)

    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask(PLAIN)
        await harness.answers(root)
        await harness.say("in short, please", root)
        first, second = await harness.answers(root, 2)

    source = next(line for line in text_of(first).splitlines() if line.startswith("[1] "))
    assert "It is 145 EUR [1]." in text_of(second)
    assert source in text_of(second).splitlines()


async def test_a_cut_stream_is_withdrawn_and_written_again_in_the_same_message(harness: Harness) -> None:
    cut = Says("Half an answer that is wrong [1]. And then it", cut_after=4)
    async with GroqServer.serve(writing(cut, Says(LIMIT))) as groq, with_groq(harness, groq):
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)
        await harness.settled()

    assert "145 EUR" in text_of(answer)
    assert "Half an answer" not in text_of(answer)
    assert 1 == len(harness.said(root))


async def test_a_busy_model_is_asked_again_when_it_says(harness: Harness) -> None:
    busy = Fails(429, headers={"retry-after": "0.2"})
    async with GroqServer.serve(writing(busy, Says(LIMIT))) as groq, with_groq(harness, groq):
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)

    assert "145 EUR" in text_of(answer)
    assert "could not be reached" not in text_of(answer)


async def test_what_a_model_makes_up_does_not_get_through(harness: Harness) -> None:
    made_up = Says("Ask <!channel> or see [this](https://evil.example/x) [1]. It costs 145 EUR a night [9].")
    async with GroqServer.serve(writing(made_up)) as groq, with_groq(harness, groq):
        root = await harness.ask(PLAIN)
        (answer,) = await harness.answers(root)

    sent = str([call.arguments for call in harness.playground.calls() if call.method.startswith("chat.")])
    assert "evil.example" not in sent
    assert "<!channel" not in sent
    assert "[9]" not in sent
    assert text_of(answer)
