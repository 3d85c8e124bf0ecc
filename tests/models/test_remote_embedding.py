"""A provider's embedding model, by LangChain's client and a server on a real socket."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from typing import Any

import numpy as np
import pytest
import structlog

from bot.errors import SettingsError
from bot.models.choice import OpenedEmbeddings, chosen_model, load_embedding, model_id
from bot.models.embedding import Embedding
from bot.models.grading import CalibratedGrader
from bot.models.llm.retries import RetryPolicy
from bot.models.llm.usage import Usage
from bot.models.remote import embedding as remote_embedding
from bot.models.remote.embedding import RemoteEmbedding, unit_vectors
from bot.models.remote.model import RemoteModel
from bot.models.remote.scale import anchors, scale_of
from bot.settings import EmbeddingSettings, Settings
from graph.context import ModelError, TextRefusedError
from graph.passages import contextual
from tests.models.embedding_server import KEY, WIDE, EmbeddingServer, Vectors, wide
from tests.models.groq_server import Fails
from tests.support.fakes import passage
from tests.support.waiting import be_patient

pytest.importorskip("langchain_openai", reason="The extra is not installed.")
QUESTION = "How long may I go on vacation?"
LEAVE, PARKING = "Everybody gets 28 days of paid leave.", "Parking in the yard is free on Sundays."


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no retry wait, and let the server on this busy machine take its time."""
    be_patient(monkeypatch)
    for is_query in (True, False):
        pauses = (0.0,) * len(remote_embedding.RETRIES[is_query].pauses)
        policy = RetryPolicy(pauses=pauses, patience_seconds=1.0, budget_seconds=60.0)
        monkeypatch.setitem(remote_embedding.RETRIES, is_query, policy)


def settings_of(server: EmbeddingServer, **given: Any) -> EmbeddingSettings:
    """Return settings that name the server."""
    return Settings(**{**server.settings, **given}).of_embedding


@asynccontextmanager
async def remote(server: EmbeddingServer, **given: Any) -> AsyncGenerator[RemoteEmbedding]:
    """Open the server's model as the settings name it."""
    settings = settings_of(server, **given)
    with closing(OpenedEmbeddings(settings, count=lambda _usage: None)) as opened:
        embedding = opened.of(chosen_model(settings, None))
        assert isinstance(embedding, RemoteEmbedding)
        yield embedding


async def embedded(embedding: Embedding, texts: list[str]) -> Any:
    """Embed passages while the server's loop runs."""
    return await asyncio.to_thread(embedding.embed_passages, texts)


async def asked(embedding: Embedding, text: str = QUESTION) -> Any:
    """Embed a question while the server's loop runs."""
    return await asyncio.to_thread(embedding.embed_query, text)


async def test_passages_and_questions_get_the_providers_vectors_in_batches_that_servers_take() -> None:
    texts = [f"Door {number} opens at night." for number in range(70)]
    async with EmbeddingServer.serve() as server, remote(server) as embedding:
        vectors, question = await embedded(embedding, texts), await asked(embedding)
        again = await asked(embedding)

    assert "openai:bge-m3@1024" == embedding.model
    assert (70, WIDE) == vectors.shape
    np.testing.assert_allclose(vectors, wide(texts), atol=1e-5)
    np.testing.assert_allclose(question, again)
    assert [32, 32, 6, 1] == sorted((len(one) for one in server.asked), reverse=True)
    assert {KEY} == set(server.keys)


async def test_prefixes_stand_before_what_is_embedded_and_are_part_of_the_models_id() -> None:
    prefixes = {"embedding_query_prefix": "query: ", "embedding_passage_prefix": "passage: "}
    async with (
        EmbeddingServer.serve(prefixes=("query: ", "passage: ")) as server,
        remote(server, **prefixes) as embedding,
    ):
        await embedded(embedding, [LEAVE])
        await asked(embedding)

    assert [f"passage: {LEAVE}", f"query: {QUESTION}"] == server.texts
    assert "openai:bge-m3@1024|passage: " == embedding.model
    assert RemoteModel(
        provider="openai", name="bge-m3", dimensions=WIDE, passage_prefix="passage: "
    ) == RemoteModel.read(embedding.model)


async def test_vectors_are_cut_to_the_dimensions_of_the_setting_and_have_unit_length_again() -> None:
    async with EmbeddingServer.serve() as server, remote(server, embedding_dimensions=256) as embedding:
        vectors = await embedded(embedding, [LEAVE, PARKING])

    assert (2, 256) == vectors.shape
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


async def test_ollama_is_asked_in_its_own_protocol() -> None:
    pytest.importorskip("langchain_ollama", reason="The extra is not installed.")
    async with EmbeddingServer.serve() as server:
        url = server.url.removesuffix("/v1")
        async with remote(server, embedding="ollama:bge-m3:latest", embedding_url=url) as embedding:
            vectors, question = await embedded(embedding, [LEAVE]), await asked(embedding)

    assert "ollama:bge-m3:latest@1024" == embedding.model
    assert ((1, WIDE), (WIDE,)) == (vectors.shape, question.shape)


async def test_what_all_passages_cost_is_logged_in_the_end() -> None:
    async with EmbeddingServer.serve() as server:
        with structlog.testing.capture_logs() as logs:
            async with remote(server) as embedding:
                await embedded(embedding, [LEAVE, PARKING])

    (told,) = [one for one in logs if one["event"] == "passages_embedded"]
    assert ("bge-m3", 2) == (told["model"], told["passages"])
    assert told["tokens"] > 2


async def test_a_text_that_the_provider_refuses_is_told_from_a_provider_that_fails() -> None:
    async with EmbeddingServer.serve(refuses="Parking") as server, remote(server) as embedding:
        for _ in range(2):
            with pytest.raises(TextRefusedError):
                await embedded(embedding, [LEAVE, PARKING])
        assert (1, WIDE) == (await embedded(embedding, [LEAVE])).shape, "It is not left alone for that."

        server.always = changed(lambda vectors: [[0.0] * WIDE for _ in vectors])
        with pytest.raises(TextRefusedError):
            await embedded(embedding, ["A text without a meaning."])
        server.always = Fails(404)
        with pytest.raises(ModelError) as failed:
            await embedded(embedding, ["Another text."])
        assert not isinstance(failed.value, TextRefusedError)

    assert 3 == sum(LEAVE in texts for texts in server.asked)


def changed(change: Callable[[Vectors], Any]) -> Callable[[Vectors], Vectors]:
    """Let the server change its vectors."""
    return change


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Fails(500), "refused the request (HTTP 500)"),
        (Fails(401), "refused the key (HTTP 401)"),
        (Fails(429), "rate limit"),
        (Fails(404), "refused the request (HTTP 404)"),
        (changed(lambda vectors: vectors[1:]), "gave 1 vectors for 2 texts"),
        (changed(lambda vectors: [*vectors, vectors[0]]), "gave 3 vectors for 2 texts"),
        (changed(lambda vectors: [one[:768] for one in vectors]), "set ASKBACK_EMBEDDING_DIMENSIONS=768"),
        (changed(lambda vectors: [vectors[0], vectors[1][:9]]), "cannot be read"),
        (changed(lambda vectors: [[float("nan"), *one[1:]] for one in vectors]), "a vector that is none"),
        (changed(lambda vectors: [[0.0] * len(one) for one in vectors]), "a vector that is none"),
    ],
)
async def test_an_answer_that_is_no_vectors_is_said_in_one_sentence_and_nothing_of_it_is_kept(
    reply: Any, said: str
) -> None:
    async with EmbeddingServer.serve(always=reply) as server, remote(server) as embedding:
        with pytest.raises(ModelError) as caught, structlog.testing.capture_logs() as logs:
            await embedded(embedding, [LEAVE, PARKING])
        assert said in str(caught.value)
        assert KEY not in f"{caught.value!r} {logs}"
        assert not {LEAVE, PARKING} & {text for text, _ in embedding._vectors}


async def test_a_server_that_is_down_fails_at_once_and_is_left_alone_for_a_while() -> None:
    async with EmbeddingServer.serve() as server:
        pass
    async with remote(server) as embedding:
        with pytest.raises(ModelError, match="could not be reached"):
            await asked(embedding)
        with pytest.raises(ModelError, match="left alone for a while"):
            await asked(embedding)


@pytest.mark.parametrize("failure", [Fails(503), Fails(429, headers={"Retry-After": "0"})])
async def test_what_passes_is_asked_again(failure: Fails) -> None:
    async with EmbeddingServer.serve(replies=[failure, failure]) as server, remote(server) as embedding:
        vectors = await embedded(embedding, [LEAVE])

    assert 2 == server.failed
    assert (1, WIDE) == vectors.shape


async def test_nobody_waits_for_a_rate_limit_longer_than_the_policy_says() -> None:
    limit = Fails(429, headers={"Retry-After": "3600"})
    async with EmbeddingServer.serve(always=limit) as server, remote(server) as embedding:
        with pytest.raises(ModelError, match="rate limit"):
            await asked(embedding)

    assert 1 == server.failed


async def test_a_question_does_not_wait_for_a_slow_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RemoteEmbedding, "query_request_seconds", 2.0)
    async with EmbeddingServer.serve(always=asyncio.Event()) as server, remote(server) as embedding:
        with pytest.raises(ModelError, match="too long"):
            await asked(embedding)
        with pytest.raises(ModelError, match="left alone"):
            await asked(embedding)
    assert 1 == len(server.asked)


async def test_questions_are_counted_by_the_name_that_a_price_has() -> None:
    usages: list[Usage] = []
    async with EmbeddingServer.serve() as server:
        settings = settings_of(server)
        with closing(OpenedEmbeddings(settings, count=usages.append)) as opened:
            embedding = opened.of(chosen_model(settings, None))
            await asked(embedding)
            await asked(embedding)

    (usage,) = usages
    assert ("bge-m3", "embedding", True) == (usage.model, usage.role, usage.tokens_in > 0)


async def test_stored_vectors_are_compared_on_the_scale_of_the_model_on_this_machine() -> None:
    local = load_embedding("english")
    async with EmbeddingServer.serve() as server, remote(server) as embedding:
        for text, vector in zip((LEAVE, PARKING), wide([LEAVE, PARKING]), strict=True):
            embedding.remember(text, vector)
        near = await asyncio.to_thread(embedding.similarities, QUESTION, [LEAVE, PARKING])

    assert embedding.local is load_embedding(
        "multilingual" if model_id("english") != embedding.local.model else "english"
    )
    if embedding.local is local:
        np.testing.assert_allclose(near, local.similarities(QUESTION, [LEAVE, PARKING]), atol=0.01)
    assert near[0] > near[1]


async def test_what_is_not_stored_never_goes_to_the_provider() -> None:
    secret = passage(1, title="Message", text="The merger is announced on Monday.")
    stored = passage(2, title="Leave", text=LEAVE)
    text = contextual(stored["title"], stored["heading_path"], stored["text"])
    async with EmbeddingServer.serve() as server, remote(server) as embedding:
        embedding.remember(text, wide([text])[0])
        grades = await CalibratedGrader(embedding).grade(QUESTION, [secret, stored])

    assert {QUESTION, *anchors()[0], *anchors()[1]} == set(server.texts)
    assert grades[1] > grades[0]


async def test_while_the_provider_is_away_the_model_on_this_machine_grades() -> None:
    found = [passage(1, title="Leave", text=LEAVE), passage(2, title="Yard", text=PARKING)]
    async with EmbeddingServer.serve(always=Fails(500)) as server, remote(server) as embedding:
        grades = await CalibratedGrader(embedding).grade(QUESTION, found)

    assert await CalibratedGrader(embedding.local).grade(QUESTION, found) == grades


def test_a_model_that_tells_nothing_apart_is_not_believed() -> None:
    same = np.full((3, 3), 0.9, dtype=np.float32)

    with pytest.raises(ModelError, match="does not tell"):
        scale_of(same, np.eye(3, dtype=np.float32))


def test_both_points_of_the_scale_come_out_as_here() -> None:
    there = np.where(np.eye(3, dtype=bool), 0.9, 0.7).astype(np.float32)
    scale = scale_of(there, np.where(np.eye(3, dtype=bool), 0.5, 0.1).astype(np.float32))

    assert (0.5, 0.1) == (pytest.approx(scale.of(0.9), abs=1e-5), pytest.approx(scale.of(0.7), abs=1e-5))


@pytest.mark.parametrize("given", [[[None, 1.0]], ["ab"], [], [[]]])
def test_no_answer_breaks_the_reader(given: Any) -> None:
    with pytest.raises(ModelError):
        unit_vectors(given, 1, 2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"embedding": "openai:x"}, "needs ASKBACK_EMBEDDING_DIMENSIONS"),
        ({"embedding": "openai:x", "embedding_dimensions": 9}, "set OPENAI_API_KEY"),
        ({"embedding": "mistralai:x", "embedding_dimensions": 9}, "To embed with mistralai, install its library"),
        ({"embedding": "nobody:x", "embedding_dimensions": 9}, "nobody cannot be asked"),
    ],
)
def test_what_is_missing_is_said(given: dict[str, Any], said: str) -> None:
    settings = Settings(**given).of_embedding

    with pytest.raises(SettingsError, match=said), closing(OpenedEmbeddings(settings)) as opened:
        opened.of(chosen_model(settings, None))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"embedding": "klingon"}, "give auto, english, multilingual, or provider:model"),
        ({"embedding": "groq:x"}, "groq has no embedding models"),
        ({"embedding_url": "ftp://x"}, "ASKBACK_EMBEDDING_URL is no address"),
        ({"embedding_url": "http://example.com/v1"}, "ASKBACK_EMBEDDING_URL is http:// outside your own network"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Settings(**given)


def test_one_that_only_serves_until_another_one_does_fails_to_embed_if_its_key_is_gone() -> None:
    settings = Settings(embedding="english").of_embedding
    with closing(OpenedEmbeddings(settings)) as opened, structlog.testing.capture_logs() as logs:
        embedding = opened.of("openai:text-embedding-3-small@1536")
        with pytest.raises(ModelError, match="its settings or its library are missing"):
            embedding.embed_query(QUESTION)

    assert ["embedding_unavailable"] == [one["event"] for one in logs]


def test_a_built_in_one_opens_nothing() -> None:
    opened = OpenedEmbeddings(EmbeddingSettings(), count=lambda _usage: None)

    assert load_embedding("english") is opened.of(model_id("english"))
    with pytest.raises(ModelError, match="which this version does not have"):
        opened.of("gone")
