"""The log holds every decision on a message, without the message."""

from structlog.testing import capture_logs

from bot.models.logged import LoggedUnderstander
from tests.models.cases import make_case
from tests.support.fakes import Understood, understanding


async def test_route_and_confidence_are_logged_and_the_reason_only_for_debugging() -> None:
    case = make_case()
    decision = understanding(case["question"], route="converse", confidence=0.7, reason="They said hello to Umbrella.")

    with capture_logs() as lines:
        assert await LoggedUnderstander(Understood(lambda _: decision)).understand(case) == decision

    [shown, why] = lines
    assert shown == {
        "event": "message_understood",
        "log_level": "info",
        "route": "converse",
        "confidence": 0.7,
    }
    assert (why["log_level"], why["reason"]) == ("debug", "They said hello to Umbrella.")
