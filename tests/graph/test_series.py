"""Which minutes, and the news of which release, a question is for."""

import pytest

from graph.documents.series import of_the_time_asked
from graph.passages import Passage
from tests.graph.evidence import passage


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
