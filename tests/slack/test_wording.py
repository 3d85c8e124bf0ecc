"""Slack's markup becomes the text that a person reads."""

import pytest

from bot.markup import mentions, readable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("<@UBOT> how long?", "how long?"),
        ("<@UBOT>: how long?", "how long?"),
        ("can <@UBOT|askback>, say how long?", "can , say how long?"),
        ("ask <@U2|ben> or <@U3>", "ask @ben or @U3"),
        ("in <#C2|general> or <#C3>", "in #general or #C3"),
        ("<!here> <!subteam^S1|@ops> <!subteam^S2>", "@here @ops @S2"),
        ("due <!date^1392734382^{date}|18 February>", "due 18 February"),
        ("see <https://a.example/x|the page> and <https://b.example>", "see the page and https://b.example"),
        ("mail <mailto:a@b.example>", "mail a@b.example"),
        ("if a &lt; b &amp;&amp; b &gt; c, &amp;lt; stays", "if a < b && b > c, &lt; stays"),
        ("two\n  lines\u00a0 here", "two\n lines here"),
        ("<@UBOT>", ""),
        ("<@UBOT> :wave: hi", ":wave: hi"),
        ("<@UBOT>: :+1::skin-tone-2: hi", ":+1::skin-tone-2: hi"),
        ("<@UBOT> --help", "--help"),
        ("<@UBOT> - how long?", "how long?"),
        ("what is the \0 limit \ud83d?", "what is the limit ??"),
        ("hi \U000e0049\U000e0067there", "hi there"),
        (": no mention, so nothing is cut", ": no mention, so nothing is cut"),
    ],
)
def test_text_reads_as_in_slack(text: str, expected: str) -> None:
    assert expected == readable(text, without="UBOT")


def test_people_and_groups_are_mentioned_but_broadcasts_and_channels_are_not() -> None:
    assert {"U1", "S1"} == mentions("<@U1|ada> <!subteam^S1|@ops> <!here> <#C1> <https://x.example|@U9> a < b > c")
