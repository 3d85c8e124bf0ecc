"""`askback eval`: the arguments; `bot.cli.evaluation` does the work."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.console import Terminal
from bot.cli.start import run, start

commands = typer.Typer(help="Measure search, questions back and answers on data files.", no_args_is_help=True)

_QUESTIONS = Annotated[Path, typer.Argument(help="A file like tests/evals/questions.jsonl.")]
_FOLDERS = Annotated[list[Path], typer.Argument(help="The documents that the questions are about.")]


@commands.command()
def retrieval(folder: Annotated[Path, typer.Argument(help="The folder kb_product_docs.")]) -> None:
    """Print recall and MRR on a folder's questions, beside the published figures."""
    from bot.cli import evaluation

    run(evaluation.retrieval(start(quiet=True), folder, Terminal(highlight=False)))


@commands.command()
def clarification(questions: _QUESTIONS, folders: _FOLDERS) -> None:
    """Print how often it asks back about ambiguous questions, and how often about clear ones."""
    from bot.cli import evaluation

    run(evaluation.clarification(start(quiet=True), questions, folders, Terminal(highlight=False)))


@commands.command()
def answers(
    questions: _QUESTIONS,
    folders: _FOLDERS,
    missed: Annotated[str | None, typer.Option(help="Also print the wrong answers of this half: dev or held.")] = None,
) -> None:
    """Print how many answers are right, also after a click, and how many questions without an answer get one."""
    from bot.cli import evaluation

    console = Terminal(highlight=False)
    run(evaluation.answers(start(quiet=True), questions, folders, console, missed=missed))


@commands.command()
def outcomes(
    questions: Annotated[Path, typer.Argument(help="A file like tests/evals/strangers.jsonl.")],
    folders: _FOLDERS,
    save: Annotated[Path | None, typer.Option(help="A file for the transcripts.")] = None,
    against: Annotated[Path | None, typer.Option(help="The transcripts of an earlier run to compare with.")] = None,
) -> None:
    """Print how many questions end as expected: answered, asked back, admitted, declined."""
    from bot.cli import evaluation

    console = Terminal(highlight=False)
    run(evaluation.outcomes(start(quiet=True), questions, folders, console, save=save, against=against))
