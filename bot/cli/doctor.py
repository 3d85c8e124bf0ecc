"""`askback doctor`: checks everything that the bot needs, and says how to fix each problem."""

import asyncio
import math
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from slack_sdk.web.async_client import AsyncWebClient

from bot import dotenv, secret_files
from bot.audience import ALL, GROUP
from bot.cli.console import inert
from bot.cli.start import make_ready
from bot.errors import (
    AskbackError,
    DatabaseUnfitError,
    DatabaseUnsafeError,
    KnowledgeError,
    SettingsError,
    StandbyError,
)
from bot.knowledge import source_store
from bot.knowledge.audience_store import named, read_as
from bot.knowledge.connectors.installed import installed_kinds
from bot.knowledge.connectors.kinds import KINDS, faults_of
from bot.knowledge.embeddings import store as embeddings
from bot.knowledge.flags import flag_store
from bot.knowledge.readers.ocr.engine import is_installed as is_recognition_installed
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.sandbox.parent import BOUNDS, bounds_that_hold
from bot.knowledge.search import Library, everything
from bot.models.choice import chosen_model, model_id
from bot.models.llm.language_models import open_models
from bot.models.llm.probe import Findings, names_at, probe
from bot.models.llm.servers import ModelAt, models_of
from bot.models.multilingual import PASSAGE_SECONDS, is_available
from bot.models.offline.understanding.examples import read_examples
from bot.models.opened import limits_of
from bot.models.remote.model import RemoteModel
from bot.models.remote.probe import measure
from bot.postgres import vector_index
from bot.postgres.addresses import addresses
from bot.postgres.pool import Database
from bot.postgres.serving_role import APP_ROLE
from bot.postgres.standby import Standby
from bot.settings import Settings
from bot.slack.doctor import CheckResult, examine_groups, fault, fine, warning
from bot.slack.doctor import examine as examine_slack
from bot.tools.web import opened_web
from graph.context import ModelError
from graph.tools import ToolError

PATIENCE_SECONDS = 120.0
"""Limits of a probe here: long enough to measure a model that is too slow for the settings."""


async def examine(settings: Settings, console: Console) -> bool:
    """Print a line for each check. Return whether nothing urgent is wrong."""
    findings = [
        *_examine_settings(settings),
        *await _examine_slack(settings),
        *await _examine_dimensions(settings),
        *await _examine_database(settings),
        *await _examine_models(settings),
        *await _examine_web(settings),
        await _examine_readers(settings),
        _examine_recognition(settings),
        *_examine_connectors(),
    ]
    for finding in findings:
        console.print(f"{_mark(finding)} {inert(finding.what)}", soft_wrap=True)
        if finding.how_to_fix:
            console.print(f"     {inert(finding.how_to_fix)}", soft_wrap=True)
    return all(finding.ok or not finding.is_urgent for finding in findings)


def _mark(finding: CheckResult) -> str:
    if finding.ok:
        return "[green]ok[/green]  "
    return "[red]fix[/red] " if finding.is_urgent else "[yellow]warn[/yellow]"


def _examine_settings(settings: Settings) -> list[CheckResult]:
    findings: list[CheckResult] = []
    if file := dotenv.trusted():
        findings.append(fine(f"Settings are read from {file}; the environment comes first."))
        if dotenv.is_readable_by_others(file):
            findings.append(_readable(file))
    findings += [_readable(file) for file in settings.files_with_secrets() if secret_files.is_open_to_others(file)]
    for given, meant in settings.misspelt().items():
        what, fix = f"{given} is no setting, so it changes nothing.", f"Did you mean {meant}?"
        findings.append(warning(what, fix))
    findings += _examine_examples(settings)
    if settings.sends_tokens_openly:
        what = f"The Slack tokens go to {settings.slack_api_url} without encryption."
        findings.append(warning(what, "Set SLACK_API_URL to https."))
    if settings.asks_models_openly:
        what = "Questions, passages and keys go to a model's server without encryption, outside your own network."
        findings.append(warning(what, "Use https://, and unset ASKBACK_MODEL_OVER_HTTP."))
    return findings


def _examine_examples(settings: Settings) -> list[CheckResult]:
    if settings.examples is None:
        return []
    try:
        read_examples(settings.examples)
    except SettingsError as error:
        return [fault(str(error), "Mend the file, or unset ASKBACK_EXAMPLES.")]
    return [fine(f"Your own examples of messages are read from {settings.examples}.")]


def _readable(file: Path) -> CheckResult:
    return warning(f"Other accounts on this machine may read the secrets in {file}.", f"Run: chmod 600 {file}")


async def _examine_slack(settings: Settings) -> list[CheckResult]:
    if settings.slack_bot_token is None or settings.slack_app_token is None:
        what = "SLACK_BOT_TOKEN and SLACK_APP_TOKEN are not both set. `askback run` needs both, `askback demo` neither."
        return [fault(what, "Create the app from `askback manifest`, install it, and set both tokens in `.env`.")]
    client = AsyncWebClient(settings.slack_bot_token.get_secret_value(), base_url=settings.slack_api_url)
    app_token = settings.slack_app_token.get_secret_value()
    return await examine_slack(client, app_token, settings.review_channel, settings.reviewers)


async def _examine_database(settings: Settings) -> list[CheckResult]:
    kind = "The database" if settings.database_url else "The embedded database"
    try:
        with addresses(settings) as found:
            make_ready(settings, found)
            async with Database.open(
                found.serving, size=1, workspace=settings.workspace, pooler=settings.pooler
            ) as database:
                through = ", through the pooler too" if settings.pooler else ""
                what = f"{kind} answers{through}, is up to date, and keeps workspaces apart; {APP_ROLE} can only serve."
                sources = await _examine_sources(settings, database)
                standby = await _examine_standby(settings, database)
                embedding = await _examine_embedding(settings, database)
                return [fine(what), *standby, *sources, *embedding]
    except (DatabaseUnfitError, DatabaseUnsafeError) as error:
        return [fault(str(error))]
    except AskbackError as error:
        return [fault(str(error), "Look at DATABASE_URL." if settings.database_url else "")]


async def _examine_standby(settings: Settings, database: Database) -> list[CheckResult]:
    if not settings.search_url:
        return []
    async with Standby.open(settings.search_url.get_secret_value(), size=1, workspace=settings.workspace) as standby:
        library = Library(database, settings.workspace, reader=everything, standby=standby)
        try:
            async with library.searching_standby():
                return [fine("The standby answers and has every change of the documents.")]
        except StandbyError:
            what = "The standby at ASKBACK_SEARCH_URL does not answer, or lacks changes. DATABASE_URL does its work."
            return [warning(what, "Look at pg_stat_replication on the primary.")]


async def _examine_sources(settings: Settings, database: Database) -> list[CheckResult]:
    async with database.transaction(settings.workspace) as connection:
        sources = await source_store.all_sources(connection)
        groups = sorted(one.removeprefix(GROUP) for one in await named(connection) if one.startswith(GROUP))
        unowned = await flag_store.unowned(connection)
    findings: list[CheckResult] = []
    if groups and settings.slack_bot_token is not None:
        client = AsyncWebClient(settings.slack_bot_token.get_secret_value(), base_url=settings.slack_api_url)
        findings += await examine_groups(client, groups)
    if broken := [one.location for one in sources if one.error]:
        what = f"The last reading failed for: {', '.join(broken)}."
        findings.append(warning(what, "Run: askback sources show, with the name of a source."))
    if unowned:
        what = f"Readers reported documents, and nobody could be told, of: {', '.join(unowned)}."
        findings.append(warning(what, "Give the source an owner: askback sources set, with its name and --owner."))
    if any(one.every for one in sources) and not settings.sync_sources:
        what = "Sources have a schedule, but ASKBACK_SYNC_SOURCES keeps the bot from reading them again."
        findings.append(warning(what, "Let cron run: askback sources sync --due"))
    return findings


async def _examine_dimensions(settings: Settings) -> list[CheckResult]:
    """Ask a provider's embedding model for its dimensions if they are not set."""
    provider, colon, name = settings.embedding.partition(":")
    if not colon or settings.embedding_dimensions:
        return []
    try:
        measured = await asyncio.to_thread(measure, provider, name, settings.of_embedding)
    except (ModelError, SettingsError) as error:
        return [fault(f"{settings.embedding} cannot be asked: {error}")]
    what = f"The vectors of {settings.embedding} have {measured.dimensions} dimensions."
    return [fault(what, f"Set ASKBACK_EMBEDDING_DIMENSIONS={measured.dimensions}.")]


async def _examine_embedding(settings: Settings, database: Database) -> list[CheckResult]:
    """Say which embedding searches use, and what a change to another one costs."""
    async with database.transaction(settings.workspace) as connection:
        serving = await embeddings.serving_model(connection)
        await read_as(connection, ALL)
        wanted = chosen_model(settings.of_embedding, serving)
        done, passages = await embeddings.counts(connection, wanted)
        remote = RemoteModel.read(wanted)
        lacks_index = remote is not None and not await vector_index.is_there(connection, wanted)
    findings = [_which_embedding(settings.of_embedding.choice, serving, wanted, done, passages)]
    if remote:
        findings.append(await _examine_provider(settings, remote))
    if lacks_index:
        what = f"There is no index for vectors of {wanted}: from 20,000 passages on, searches will be slow."
        findings.append(warning(what, "With ASKBACK_OWNER_DATABASE_URL, run: askback migrate"))
    return findings


def _which_embedding(choice: str, serving: str | None, wanted: str, done: int, passages: int) -> CheckResult:
    if serving not in {None, wanted}:
        what = (
            f"Searches use the embedding {serving} until all passages have a vector of {wanted}: {done} of {passages}."
        )
        return fine(what, "The bot embeds the rest by itself. To do it now, run: askback sources embed")
    what = f"Searches use the embedding {wanted}."
    if choice == "english" or wanted != model_id("english") or not is_available():
        return fine(what)
    minutes = math.ceil(passages * PASSAGE_SECONDS / 60)
    fix = (
        f"The multilingual one is installed. With ASKBACK_EMBEDDING=multilingual, the bot embeds {passages} passages "
        f"again, in about {minutes} minutes of one processor. Until then, searches use the old one."
    )
    return fine(what, fix)


async def _examine_provider(settings: Settings, remote: RemoteModel) -> CheckResult:
    try:
        measured = await asyncio.to_thread(measure, remote.provider, remote.name, settings.of_embedding)
    except (ModelError, SettingsError) as error:
        what = f"{remote.id} does not embed, so only words are searched: {error}"
        return fault(what, "Look at the settings that begin with ASKBACK_EMBEDDING.")
    what = (
        f"{measured.server} gets each question and the text of all documents, and embeds a question in "
        f"{measured.seconds:.1f} s, with {measured.dimensions} dimensions."
    )
    if measured.dimensions < remote.dimensions:
        fix = f"Set ASKBACK_EMBEDDING_DIMENSIONS={measured.dimensions}. Until then, only words are searched."
        return fault(what, fix)
    if not measured.is_quick:
        return warning(what, "That is too slow: only words are searched. Take a smaller model, or a faster server.")
    fix = f"They are cut to {remote.dimensions}, for which the model must be trained (Matryoshka)."
    return fine(what, fix if measured.dimensions > remote.dimensions else "")


async def _examine_models(settings: Settings) -> list[CheckResult]:
    try:
        asked = models_of(settings)
    except SettingsError as error:
        return [fault(str(error))]
    if asked is None:
        return [fine("No language model is set (GROQ_API_KEY, ASKBACK_MODEL_URL, …): answers quote the documents.")]
    offers = (
        [await _examine_offer(*asked)]
        if asked[0].server == asked[1].server
        else [await _examine_offer(each) for each in asked]
    )
    return [*offers, *(await _examine_speed(settings, *asked) if all(offer.ok for offer in offers) else [])]


async def _examine_offer(*asked: ModelAt) -> CheckResult:
    server = asked[0].server
    if server.provider == "other":
        return fine(f"{server.name} is asked by its own library, with its own variables.")
    try:
        offered = await names_at(server)
    except ModelError as error:
        fix = "Look at its address and its key: docs/settings.md names their settings."
        return fault(f"{server.name} does not answer: {error}", fix)
    if missing := sorted({each.name for each in asked} - offered):
        fix = "Set ASKBACK_SMALL_MODEL and ASKBACK_LARGE_MODEL to models that it offers."
        return fault(f"{server.name} does not offer {', '.join(missing)}.", fix)
    names = " and ".join(dict.fromkeys(each.name for each in asked))
    return fine(f"{server.name} answers and offers {names}.")


async def _examine_speed(settings: Settings, small: ModelAt, large: ModelAt) -> list[CheckResult]:
    limits = replace(
        limits_of(settings),
        form_seconds=PATIENCE_SECONDS,
        first_word_seconds=PATIENCE_SECONDS,
        silence_seconds=PATIENCE_SECONDS,
        timeout_seconds=PATIENCE_SECONDS,
    )
    try:
        async with open_models(small, large, limits, count=lambda _: None) as models:
            found = await probe(models)
    except (ModelError, SettingsError) as error:
        return [fault(f"The models cannot be used: {error}")]
    return [_form(settings, small, found), _first_word(settings, large, found)]


def _form(settings: Settings, small: ModelAt, found: Findings) -> CheckResult:
    how = "by a strict schema" if found.knows_schema else "as JSON, which is checked and asked for once more"
    what = f"{small.name} fills in a form {how}, in {found.form_seconds:.1f} s."
    if found.form_seconds <= settings.form_seconds:
        return fine(what)
    fix = f"That is too slow: rules will do it instead. Set ASKBACK_FORM_SECONDS={_ample(found.form_seconds)}."
    return warning(what, fix)


def _first_word(settings: Settings, large: ModelAt, found: Findings) -> CheckResult:
    seconds = found.first_word_seconds
    what = f"{large.name} writes its first word after {seconds:.1f} s."
    if seconds > settings.first_word_seconds:
        fix = f"That is too slow: answers will be quotations. Set ASKBACK_FIRST_WORD_SECONDS={_ample(seconds)}."
        return warning(what, fix)
    if not found.says_how_far:
        what = f"{what} It does not say how far the passages answer a question, as it is told to."
        return warning(what, "A larger model will answer better.")
    return fine(what)


def _ample(seconds: float) -> int:
    """Return three times the measured seconds, for a question with more passages."""
    return math.ceil(3 * seconds)


async def _examine_web(settings: Settings) -> list[CheckResult]:
    try:
        async with opened_web(settings, lambda _: None) as web:
            if web is None:
                return []
            await web.search("Slack")
    except (SettingsError, ToolError) as error:
        what = f"The web cannot be searched by {settings.web_search}: {error.__cause__ or error}"
        fix = "Look at its address or key. A SearXNG must allow JSON (`search: formats:` in its settings.yml)."
        return [warning(what, fix)]
    return [fine(f"If no document answers a question, {settings.web_search} is asked, and answers.")]


def _examine_recognition(settings: Settings) -> CheckResult:
    if not is_recognition_installed():
        what = "Scanned pages and pictures are not read: text recognition (OCR) is not installed."
        return fine(what, "To read them, run: pip install 'askback[ocr]'")
    if not settings.ocr_pages:
        return fine("Scanned pages and pictures are not read: ASKBACK_OCR_PAGES is 0.")
    return fine(f"Text recognition (OCR) reads pictures, and up to {settings.ocr_pages} scanned pages of a document.")


async def _examine_readers(settings: Settings) -> CheckResult:
    try:
        held = await bounds_that_hold(Limits.of(settings))
    except KnowledgeError as error:
        what = f"No child process can read PDF and Office files: {error}"
        return fault(what, "Raise ASKBACK_READER_MEMORY_MB and ASKBACK_READER_SECONDS.")
    if missing := [f"{bound} ({means})" for bound, means in BOUNDS.items() if bound not in held]:
        what = f"On this machine, the reader of a hostile PDF or Office file has no limit for: {', '.join(missing)}."
        fix = "Use Linux 5.13 or newer on x86_64 or aarch64, with seccomp and Landlock, or ingest only trusted files."
        return warning(what, fix)
    bounds = ", ".join(f"{bound} ({means})" for bound, means in BOUNDS.items())
    return fine(f"PDF and Office files are read in child processes with limits that were tried: {bounds}.")


def _examine_connectors() -> list[CheckResult]:
    """Load the connectors of other packages. A broken one concerns only its own sources."""
    faults = [warning(one, "Install another version of the package, or remove it.") for one in faults_of()]
    if installed := [kind for kind in installed_kinds() if kind not in KINDS]:
        faults.insert(0, fine(f"Packages offer more kinds of sources: {', '.join(installed)}."))
    return faults
