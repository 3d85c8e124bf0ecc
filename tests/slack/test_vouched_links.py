"""Links lead only to hosts that an administrator named."""

import pytest

from bot.links import is_vouched, vouched_in

HOSTS = frozenset({"wiki.example.com", "intranet"})


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("https://wiki.example.com/a", True),
        ("HTTPS://WIKI.EXAMPLE.COM/a", True),
        ("http://docs.wiki.example.com:8080/a?b=c#d", True),
        ("https://wiki.example.com./a", True),
        ("http://intranet/a", True),
        ("https://example.com/a", False),
        ("https://evilwiki.example.com/a", False),
        ("https://wiki.example.com.evil.example/a", False),
        ("https://wiki.example.com@evil.example/a", False),
        ("https://evil.example\\\\@wiki.example.com/a", False),
        ("https://evil.example/?next=https://wiki.example.com", False),
        ("https://evil.example%2f.wiki.example.com/a", False),
        ("https://evil.example\u200b.wiki.example.com/a", False),
        ("https://evil.example;.wiki.example.com/a", False),
        ("javascript:alert(1)//wiki.example.com", False),
        ("ftp://wiki.example.com/a", False),
        ("//wiki.example.com/a", False),
        ("https://[wiki.example.com", False),
        ("", False),
    ],
)
def test_only_named_hosts_and_what_is_below_them_are_vouched_for(url: str, known: bool) -> None:
    assert known is is_vouched(url, HOSTS)
    assert not is_vouched(url, ())


def test_any_web_address_is_vouched_for_where_an_administrator_says_so() -> None:
    assert is_vouched("https://evil.example/a", {"*"})
    assert not is_vouched("javascript:alert(1)", {"*"})


def test_addresses_are_found_as_they_stand_in_a_text() -> None:
    text = "See (https://wiki.example.com/a), [b](https://wiki.example.com/b) and https://intranet/c. Not https://x.example."

    assert ["https://wiki.example.com/a", "https://wiki.example.com/b", "https://intranet/c"] == vouched_in(text, HOSTS)
