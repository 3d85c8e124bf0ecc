"""A question for some documents is answered from these, with and without a model: from Slack to Slack."""

from collections.abc import AsyncGenerator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from playground import Playground
from tests.journeys.conversations.test_groq import Request, form_of, with_groq
from tests.journeys.harness import Harness, text_of
from tests.knowledge.readers.making import drawn_pdf, words
from tests.models.groq_server import GroqServer, Reply
from tests.models.obliging import oblige, reading
from tests.support.databases import as_app

QUESTION = "What do the pages by Wiebke Jansen say about parking?"
HERS, OTHERS = "Hamburg", "Porto"

THIS_MONTH = datetime.now(UTC).date().replace(day=1)
LAST_MONTH = (THIS_MONTH - timedelta(days=1)).replace(day=1)
LONG_AGO = LAST_MONTH.replace(year=LAST_MONTH.year - 1)
SAID = "The bicycle cellar opens at {hour}."
MINUTES = {"seven": LONG_AGO, "eight": LAST_MONTH, "ten": THIS_MONTH}
"""The hour that the minutes of each month say. Were it midnight, the next month would say it, too."""
OF_SOURCES = {"slack": "eleven", "notion": "noon", "web": "one"}
"""The hour that a source of each kind says."""
IN_PDF = "nine"
EVERY = {*MINUTES, *OF_SOURCES.values(), IN_PDF}


async def test_a_model_names_the_owner_and_reads_only_their_pages(harness: Harness) -> None:
    async with GroqServer.serve(naming(by="Wiebke Jansen")) as groq, with_groq(harness, groq):
        root = await harness.ask(QUESTION)
        await harness.answers(root)

    owners = [line.removeprefix("owner: ") for line in read_by(groq).splitlines() if line.startswith("owner: ")]
    assert {"Wiebke Jansen"} == set(owners)


async def test_without_a_model_a_name_behind_by_does_the_same(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(QUESTION)
        await harness.playground.until(lambda: harness.said(root))
        await harness.settled()
        said = "".join(map(text_of, harness.said(root)))

    assert HERS in said
    assert OTHERS not in said


@pytest.fixture
async def cellar(tmp_path: Path, database_url: str) -> AsyncGenerator[Harness]:
    """A bot whose documents say of one cellar that it opens at as many hours as there are documents."""
    # No name holds that of a kind, which would be found in it.
    folders = {name: tmp_path / f"shelf-{number}" for number, name in enumerate(("files", *OF_SOURCES))}
    for folder in folders.values():
        folder.mkdir()
    for hour, day in MINUTES.items():
        write(folders["files"] / f"{hour}.md", f"Minutes of {day:%B %Y}", hour, day)
    for kind, hour in OF_SOURCES.items():
        write(folders[kind] / "cellar.md", f"Cellar {hour}", hour, LONG_AGO)
    (folders["files"] / "cellar.pdf").write_bytes(drawn_pdf(words(SAID.format(hour=IN_PDF))))
    async with Database.open(as_app(database_url), size=4, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [*folders.values()])
    async with Playground.open(ack_seconds=10.0) as playground:
        harness = Harness(playground, database_url)
        async with harness.owning() as owner:
            for kind in OF_SOURCES:
                await owner.execute("UPDATE sources SET kind = %s WHERE location = %s", (kind, str(folders[kind])))
        yield harness


@pytest.mark.parametrize(
    ("question", "named", "hours"),
    [
        (
            "When does the bicycle cellar open, in last month's minutes?",
            {"kind": "minutes", "since": f"{LAST_MONTH}", "until": f"{THIS_MONTH - timedelta(days=1)}"},
            {"eight"},
        ),
        ("When does the bicycle cellar open, says the PDF?", {"kind": "PDF"}, {IN_PDF}),
        *(
            (f"When does the bicycle cellar open, says {kind}?", {"kind": kind}, {hour})
            for kind, hour in OF_SOURCES.items()
        ),
        ("When does the bicycle cellar open?", {}, EVERY),
    ],
    ids=["a month", "a type of file", *OF_SOURCES, "all"],
)
async def test_a_model_reads_only_documents_of_a_time_a_type_and_a_kind_of_source(
    cellar: Harness, question: str, named: dict[str, str], hours: set[str]
) -> None:
    async with GroqServer.serve(naming(**named)) as groq, with_groq(cellar, groq):
        root = await cellar.ask(question)
        await cellar.answers(root)

    assert hours == {hour for hour in EVERY if SAID.format(hour=hour) in read_by(groq)}


@pytest.mark.parametrize(
    ("question", "hours"),
    [
        ("What do last month's minutes say: when does the bicycle cellar open?", {"eight", "ten"}),
        ("In the PDF, when does the bicycle cellar open?", {IN_PDF}),
    ],
)
async def test_rules_know_a_month_and_a_type_of_file(cellar: Harness, question: str, hours: set[str]) -> None:
    async with cellar.bot():
        root = await cellar.ask(question)
        (answer,) = await cellar.answers(root)

    said = {hour for hour in EVERY if SAID.format(hour=hour).removesuffix(".") in text_of(answer)}
    assert said
    assert said <= hours


def write(file: Path, title: str, hour: str, day: date) -> None:
    """Write a dated page that says when the cellar opens."""
    file.write_text(f"---\ndate: {day}\n---\n# {title}\n\n{SAID.format(hour=hour)}\n")


def naming(**named: str):  # noqa: ANN201
    """Return a script that names the documents to read, and answers everything else well."""
    calls = [{"tool": "documents", "arguments": [{"name": name, "value": value} for name, value in named.items()]}]

    def script(request: Request) -> Reply:
        return reading(tools=calls if named else []) if form_of(request) == "understand" else oblige(request)

    return script


def read_by(groq: GroqServer) -> str:
    """Return the first prompt from which an answer was written."""
    return next(one["messages"][-1]["content"] for one in groq.requests if not form_of(one))
