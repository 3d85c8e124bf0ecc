"""Questions about pasted code, without a model."""

import pytest

from bot.models.offline.understanding.pasted_code import MOST_NAMES, about_code
from tests.models.offline import understood
from tests.models.test_offline_understander import after, case
from tests.support.fakes import passage

TERMINAL = passage(1, "terminal:\n  offline_limit_hours: 6\n  sync_every_seconds: 45", title="Booking terminals")
CODES = passage(2, "E44: the ticket has been scanned today. E90: call Yusuf.", title="Codes")
FOUND = [TERMINAL, CODES]


@pytest.mark.parametrize(
    ("asked", "searched"),
    [
        ("what does this do: ```offline_limit_hours: 8```", "what does this do: offline_limit_hours?"),
        ("is this config right?\n```\nterminal:\n  colour: red\n```", "is this config right: terminal?"),
        ("```\nERROR E44 ticket refused by foo.bar\n``` what does it mean?", "what does it mean: E44 ticket?"),
        ("what is this?\n```\nsync_every_seconds: 5", "what is this: sync_every_seconds?"),
        ("what does this do? ```kubectl get pods```", "what does this do: kubectl pods?"),
        ("is this config right?\n~~~\nterminal:\n  colour: red\n~~~", "is this config right: terminal?"),
        ("is this config right?\n````\nterminal:\n```\n````", "is this config right: terminal?"),
        ("```\nERROR E44 ticket ~~~\n~~~\n``` what does it mean?", "what does it mean: E44 ticket?"),
    ],
)
def test_it_is_searched_for_by_its_words_and_the_names_that_documents_hold(asked: str, searched: str) -> None:
    understanding = understood(case(asked, passages=FOUND, memory=after("How much does parking cost?")))

    assert ("retrieve", searched) == (understanding["route"], understanding["standalone"])
    assert [] == understanding["subquestions"]


def test_of_a_long_log_only_a_few_names_are_searched_for() -> None:
    log = " ".join(f"name{number}x" for number in range(50))

    assert about_code(f"what is this? ```{log}```", [passage(1, log)]).count("name") == MOST_NAMES


@pytest.mark.parametrize(
    "said",
    ["How is the VPN started?", "```How is the VPN started?```", "``` ```", "What does `sync` do?", "why? ``````",
     "Why is ```` no fence? It said ```x", "How is it ~~~booked~~~ cancelled?"],
)  # fmt: skip
def test_what_has_no_code_beside_its_words_is_left_alone(said: str) -> None:
    assert "" == about_code(said, FOUND)
