"""A source that lists all its documents tells a part at a time which of them changed."""

import json

import pytest

from bot.knowledge.connectors.listed import Listed, renewed, states_in
from bot.knowledge.connectors.slack.paths import path_of


def test_a_cursor_of_an_earlier_version_still_tells_which_documents_were_read() -> None:
    earlier = json.dumps({"threads": {"1700000000.000100": "now"}})

    cursor = renewed(earlier, "threads", path_of)

    assert {"slack/1700000000.000100.md": "now"} == states_in(cursor)
    changes = Listed({"slack/1700000000.000100.md": "now", "slack/2.md": "new"}).changes(cursor)
    assert ["slack/2.md"] == changes.paths


@pytest.mark.parametrize("cursor", ["", "{}", '{"a.md": "1"}', '{"pages": {"a": "1"}}', '{"threads": 7}', "[", "null"])
def test_another_cursor_stays_as_it_is(cursor: str) -> None:
    assert cursor == renewed(cursor, "threads", path_of)
