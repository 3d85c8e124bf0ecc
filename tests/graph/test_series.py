"""Which minutes, and the news of which release, a question is for."""

import pytest

from graph.documents.series import news_asked_for, of_the_time_asked
from graph.events import AnswerCompleted
from graph.passages import Passage
from graph.run import run_alone
from graph.turn import Turn
from tests.graph.evidence import passage
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Written, context


def minutes(day: str, *, title: str = "Operations meeting") -> Passage:
    return passage(f"minutes/{day}-{title.split(maxsplit=1)[0].lower()}.md", "We decided.", title=title, dated=day)


OLD, FEBRUARY, MAY = (minutes(day) for day in ("2025-05-14", "2026-02-11", "2026-05-13"))
BOARD = minutes("2026-03-18", title="Board")
RULES = passage("rules/operations.md", "Rules.", title="Operations")
ALL = [OLD, FEBRUARY, MAY, BOARD, RULES]


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What did the meeting in May say about corks?", [MAY, BOARD, RULES]),
        ("and who was at the ops meeting in may", [MAY, BOARD, RULES]),
        ("and the minutes of may 2025?", [OLD, BOARD, RULES]),
        ("Was stand im Februar im Protokoll?", [FEBRUARY, BOARD, RULES]),
        ("What was decided at the meeting on 13 May 2026?", [MAY, BOARD, RULES]),
        ("What did the May meeting decide?", [MAY, BOARD, RULES]),
        ("May I bring a guest to the meeting?", ALL),
        ("What did the meetings in February and May decide?", ALL),
        ("What was decided since the meeting in February?", ALL),
        ("What did May report?", ALL),
        ("Who will march to the meeting?", ALL),
        ("In which meeting was the May festival decided?", ALL),
        ("Which minutes mention the move in May?", ALL),
        ("In which meeting was the move of 13 May 2026 decided?", ALL),
        ("What did the meeting in March decide?", ALL),
        ("What did the meetings of 2026 decide?", ALL),
        ("Who may come to the meeting?", ALL),
        ("When is the next operations meeting?", [MAY, BOARD, RULES]),
        ("What did the last meeting decide?", [MAY, BOARD, RULES]),
        ("Wann ist die nächste Sitzung?", [MAY, BOARD, RULES]),
        ("What did the last two meetings decide?", ALL),
        ("What was new in the last meetings?", ALL),
        ("What did the latest meeting decide?", [MAY, BOARD, RULES]),
        ("O que decidiu a última reunião?", [MAY, BOARD, RULES]),
        ("Was steht im neuesten Protokoll?", [MAY, BOARD, RULES]),
        ("What did the last meeting of 2025 decide?", ALL),
        ("What did last year's meeting decide?", ALL),
        ("What did the second last meeting decide?", ALL),
        ("What did the last few meeting notes say?", ALL),
        ("Was wurde in den letzten drei Besprechungen beschlossen?", ALL),
        ("Was stand in den letzten Protokollen?", ALL),
        ("What were the next steps from the meeting?", ALL),
        ("How does the last meeting differ from the one before?", ALL),
        ("Qu'a-t-on dit depuis la dernière réunion ?", ALL),
        ("When is the last day to report it?", ALL),
        ("What is closed in May?", ALL),
    ],
)
def test_the_minutes_that_a_question_is_for_stay(question: str, left: list[Passage]) -> None:
    assert of_the_time_asked(ALL, question) == left


def test_a_page_that_tells_no_time_is_no_older_than_the_newest_minutes() -> None:
    page = passage("minutes/operations.md", "The operations meeting is on Wednesdays.", title="Operations meeting")
    assert of_the_time_asked([OLD, page, MAY], "When is the next operations meeting?") == [page, MAY]


def test_a_number_without_end_in_a_name_is_no_time() -> None:
    endless = passage(f"minutes/{'9' * 5_000}-operations.md", "Corks.", title="Operations meeting")
    assert of_the_time_asked([endless, MAY], "When is the next operations meeting?") == [endless, MAY]


def test_of_two_meetings_in_one_month_both_may_be_meant() -> None:
    later = minutes("2026-05-27")
    assert of_the_time_asked([OLD, MAY, later], "What did the meeting in May decide?") == [MAY, later]


def test_the_news_of_the_release_that_a_question_names_stay() -> None:
    news = [passage(f"app/news-v{number}.md", "New.", title=f"News v{number}") for number in ("2.1", "2.2")]
    assert of_the_time_asked(news, "What is new in v2.1?") == news[:1]
    assert of_the_time_asked(news, "what changed with 2.1") == news[:1]
    assert of_the_time_asked(news, "What is new since v2.1?") == news
    assert of_the_time_asked(news, "What is new in v3?") == news
    assert of_the_time_asked(news, "What is new?") == news


NOTES = [
    passage(f"releases/{number}.md", "New.", title=f"Release notes: Grotto {number}")
    for number in ("3.9", "3.10", "3.8")
]


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("what changed in 3.9?", NOTES[:1]),
        ("What was fixed in the latest release?", NOTES[1:2]),
        ("Was ist in der neuesten Version neu?", NOTES[1:2]),
        ("What was fixed in the last releases?", NOTES),
        ("What was fixed in the release before the last release?", NOTES),
        ("What was fixed?", NOTES),
    ],
)
def test_a_number_beside_release_notes_is_a_release(question: str, left: list[Passage]) -> None:
    assert of_the_time_asked(NOTES, question) == left


def test_the_latest_version_of_something_else_is_no_release() -> None:
    minuted = [
        passage(f"minutes/{day}-lab.md", "We met.", title="Lab meeting", dated=day)
        for day in ("2026-01-07", "2026-02-04")
    ]
    assert of_the_time_asked(minuted, "Is the latest version of the hub in the lab?") == minuted


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what's new in 3.9?", NOTES[:1]),
        ("whats changed in grotto 3.8", NOTES[2:]),
        ("What is new in the latest release?", NOTES[1:2]),
        ("Was ist neu in Version 3.9?", NOTES[:1]),
        ("O que mudou na versão 3.9?", NOTES[:1]),
        ("What's new in 5.0?", []),
        ("What changed between 3.8 and 3.9?", []),
        ("What changed for the lamps in 3.9?", []),
        ("Which lamps are there in 3.9?", []),
        ("What is new?", []),
        ("Was ist zum 3.9. neu?", []),
        ("Was ist am 3.9. neu?", []),
    ],
)
def test_the_notes_tell_what_is_new_in_a_release(question: str, found: list[Passage]) -> None:
    assert news_asked_for(question, NOTES) == found


def test_a_section_of_the_notes_is_asked_for_by_its_heading() -> None:
    fixed: Passage = {**NOTES[1], "id": 1_000_000, "heading_path": ["Fixed"]}
    removed: Passage = {**NOTES[1], "id": 1_000_001, "heading_path": ["Removed"]}
    found = [*NOTES, removed, fixed]

    assert [fixed] == news_asked_for("What was fixed in the latest release?", found)
    assert [removed] == news_asked_for("what was removed in 3.10", found)
    assert [] == news_asked_for("was the lamp removed in 3.10", found)
    assert [] == news_asked_for("When was 3.10 removed?", found)
    assert [] == news_asked_for("Who fixed the latest release?", found)


class _Unsure:
    """A grader that finds nothing relevant."""

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        return [0.01 for _ in passages]


async def test_what_is_new_in_a_release_is_told_whatever_the_grades_say() -> None:
    quoting = Written([["New [1]."]])
    given = context(retriever=FoundPassages(NOTES), grader=_Unsure(), writers=(quoting,))
    turn = Turn(question="what's new in 3.9?", asker="U", addressed=True)

    ended = (await events(run_alone(given).start(turn)))[-1]

    assert isinstance(ended, AnswerCompleted)
    assert "answered" == ended.outcome
    assert [NOTES[0]["id"]] == [one["id"] for brief in quoting.briefs for one in brief["passages"]]
