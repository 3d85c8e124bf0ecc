"""No key, token or password is shown, in any form."""

import random
import re
import string
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from re import _constants as kinds  # pyright: ignore[reportAttributeAccessIssue]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any, Final, cast

import pytest
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import RegexBasedDetector

from graph.answer.guard import Guard
from graph.text.credentials import redacted

A20, A36, A40 = (
    "a1B2c3D4e5F6g7H8i9J0",
    "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0",
)
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{A40}\n{A40}==\n-----END RSA PRIVATE KEY-----"

SAMPLES: Final = 40
NOT_OURS: Final = {
    "IPPublicDetector": "an address of a machine is no secret",
    "NpmDetector": "it takes anything behind npm_",
    "PrivateKeyDetector": "it looks at the first line only; see PEM",
    "SoftlayerDetector": "its dots are any sign",
    "CloudantDetector": "24 small letters may be words",
    "ArtifactoryDetector": "a word may begin with AP",
}
MISSED: Final = 0.1
"""Share of random text that looks like words."""
SIGNS: Final = string.ascii_letters + string.digits + string.punctuation + " "


def scanners_patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the patterns of a scanner that others keep, without those that guess."""
    for kind in get_mapping_from_secret_type_to_class().values():
        if issubclass(kind, RegexBasedDetector) and kind.__name__ not in NOT_OURS:
            yield from ((kind.__name__, pattern) for pattern in cast("Iterable[re.Pattern[str]]", kind.denylist))


def made_of(parts: Iterable[Any], chance: random.Random) -> str:
    """Return a text that a pattern of these parts finds."""
    return "".join(_made_of(kind, value, chance) for kind, value in parts)


def _made_of(kind: Any, value: Any, chance: random.Random) -> str:
    match kind:
        case kinds.LITERAL:
            return chr(value)
        case kinds.IN:
            return chance.choice(_signs_in(tuple(value)))
        case kinds.BRANCH | kinds.SUBPATTERN:
            return made_of(chance.choice(value[1]) if kind is kinds.BRANCH else value[3], chance)
        case kinds.MAX_REPEAT | kinds.MIN_REPEAT:
            least, most, repeated = value
            return "".join(made_of(repeated, chance) for _ in range(chance.randint(least, min(most, least + 20))))
        case _:
            return chance.choice(string.ascii_lowercase) if kind is kinds.ANY else ""


@cache
def _signs_in(parts: tuple[Any, ...]) -> str:
    return "".join(sign for sign in SIGNS if _is_in(parts, sign))


def _is_in(parts: Sequence[Any], sign: str) -> bool:
    """Tell whether a set of signs holds one."""
    (first, _), *rest = parts
    if first is kinds.NEGATE:
        return sign.isalnum() and not _is_in(rest, sign)
    return any(
        (kind is kinds.LITERAL and chr(value) == sign)
        or (kind is kinds.RANGE and chr(value[0]) <= sign <= chr(value[1]))
        or (kind is kinds.CATEGORY and (sign.isspace() if value is kinds.CATEGORY_SPACE else sign.isdigit()))
        for kind, value in parts
    )


IGNORED: Final = [
    0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010),
    *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0,
    *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000),
]  # fmt: skip
"""What Unicode calls `Default_Ignorable_Code_Point`: a reader is shown nothing of it."""


def holds_credentials(text: str) -> bool:
    return redacted(text) != text


@pytest.mark.parametrize(
    "key",
    [
        f"xoxb-123456789012-{A20}",
        f"xoxe.xoxp-1-{A20}",
        f"xapp-1-A0-{A20}",
        f"https://hooks.slack.com/services/T000/B000/{A20}",
        f"gsk_{A40}",
        f"sk-proj-{A40}",
        f"sk_live_{A20}",
        f"ghp_{A36}",
        f"github_pat_{A20}_{A36}",
        f"glpat-{A20}",
        "AKIAIOSFODNN7EXAMPLE",
        f"AIza{A36[:35]}",
        f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{A20}",
        f"npm_{A36}",
        f"pypi-{A40}",
        f"hf_{A36}",
        f"SG.{A20}.{A20}",
        f"hvs.{A20}",
        PEM,
    ],
    ids=lambda key: key[:12],
)
@pytest.mark.parametrize("around", ["{}", "It is {}.", "key={}", "x{}", "`{}`", "[{}](https://a.example)"])
def test_keys_of_every_form_are_removed(key: str, around: str) -> None:
    shown = redacted(around.format(key))

    assert "[removed]" in shown
    assert A20[:12] not in shown
    assert "IOSFODNN7" not in shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("postgresql://bot:hunter2@db/x", "postgresql://bot:[removed]@db/x"),
        (f"Authorization: Bearer {A40}", "Authorization: Bearer [removed]"),
        (f"xoxb\u200b-123456789-{A20}", "[removed]"),
        (f"ｘｏｘｂ-123456789-{A20}", "[removed]"),
        (f"xoxb-1234\u202e56789-{A20}", "[removed]"),
        (f"ghp_\x08{A36}", "[removed]"),
        ("A\u200bB", "A\u200bB"),
        (
            "Ask for order SK-2024-0815 or https://wiki.example:8080/a@b.",
            "Ask for order SK-2024-0815 or https://wiki.example:8080/a@b.",
        ),
        ("The prefix of a bot token is xoxb-.", "The prefix of a bot token is xoxb-."),
        ("Ask in #ask-people-team-channel-1.", "Ask in #ask-people-team-channel-1."),
        ("See desk-booking-instructions-2024.md", "See desk-booking-instructions-2024.md"),
        ("task_internationalisationoftheapp", "task_internationalisationoftheapp"),
        ("Commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "Commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"),
    ],
)
def test_passwords_and_hidden_keys_go_and_the_rest_stays(written: str, shown: str) -> None:
    assert shown == redacted(written)
    assert holds_credentials(written) is (shown != written)


@pytest.mark.parametrize(
    "text",
    [
        'password = "{}"', "password: {}", "The admin password is {}!", "Das Passwort lautet {}.", "senha: {}",
        "DB_PASSWORD={}", "PGPASSWORD={} psql", "Server=db;User Id=sa;Password={};", "<password>{}</password>",
        '<add key="Password" value="{}" />', "curl -u admin:{} https://x", 'curl --user="ada:{}" x', "curl -u :{} x",
        "curl -u {}: https://x", "curl -H 'Authorization: Api-Token {}'", 'curl -H "X-Api-Key: {}"',
        "mysql -u root -p{}", "sshpass -p '{}' ssh x", "machine api.example login ada password {}",
        "Set-Cookie: session={}Ab3dEf6h; path=/", "kind: Secret\ndata:\n  any: {}=\n",
        'apiVersion: v1\ndata:\n  tls.key: "{}"\nkind: "Secret"\n', "BUNDLE_GEMS__CONTRIBSYS__COM: dc4a097b:02c1fd4e",
        "184387161380233|smuig8400id__ho-g-3bz-1-pquvfqk5f6_si8f", "https://s3.example/x?X-Amz-Signature=" + A20,
        "https://x.blob.example/c?se=2024&sig=a1B2c3D4e5F6g7H8i9J0%3D",
        "ZXlKaGJHY2lPaUpJVXpJMU5p\nJsb1IxY0NJNklrcFhWQ0o5LmV5\nSnpkV0=",
        "----- BEGIN RSA PRIVATE KEY -----\nMIIEabc\n----- END RSA PRIVATE KEY -----",
    ],
)  # fmt: skip
def test_a_password_is_known_by_its_place(text: str) -> None:
    for password in ("Sommer2024", "xxIhck5w0i"):
        written = text.format(password)
        shown = redacted(written)

        assert "[removed]" in shown
        assert password not in shown
        for part in ("02c1fd4e", "pquvfqk5f6", A20, "i9J0%3D", "LmV5", "MIIEabc"):
            assert part not in shown


@pytest.mark.parametrize(
    "text",
    [
        "The one password you remember has at least 16 characters.", "Password: at least 12 characters",
        "password: changeme", "Password policy: minimum-length-12", "Passwort: siehe Tresor",
        "password=${DB_PASSWORD1}",
        "password: <Your-Password-1>",
        "The secret is https://wiki.example/Page1",
        "Your password (Kestrel2) is in the vault.", "secret: none",
        "curl -u ada https://x", "curl -u $USER:$TOKEN https://x", "curl -H 'Authorization: Bearer <token>'",
        "kind: ConfigMap\ndata:\n  colour: blue\n", "Cookie: we use 3 cookies", "Is the password still valid in 2024?",
        "mysql -p secret", "Authorization: Managers-and-leads",
    ],
)  # fmt: skip
def test_what_speaks_of_passwords_stays(text: str) -> None:
    assert text == redacted(text)


def test_no_sign_that_nobody_sees_hides_a_key() -> None:
    shown = {
        f"U+{code:04X}"
        for code in (*IGNORED, 0x336, 0x20D2, 0x20E0)
        if "efghij12" in redacted(f"xoxb-{chr(code)}1234567890{chr(code)}12-abcd{chr(code)}efghij12")
    }

    assert set() == shown


@pytest.mark.parametrize(("scanner", "pattern"), list(scanners_patterns()), ids=lambda value: str(value)[:40])
def test_what_a_scanner_finds_is_removed(scanner: str, pattern: re.Pattern[str]) -> None:
    chance, parts = random.Random(scanner), parser.parse(pattern.pattern)
    found = [match for _ in range(SAMPLES) if (match := pattern.search(made_of(parts, chance)))]
    missed = [
        match[0]
        for match in found
        if (max(filter(None, match.groups()), key=len, default="") or match[0]) in redacted(match[0])
    ]

    assert found
    assert len(missed) <= MISSED * SAMPLES, missed[0]


@pytest.mark.parametrize(
    "split",
    ["xoxb-12345<!here>6789-abcdefgh", "xoxb-12345<@U0BEN>", "gsk_abcdefgh<#C1|>ijklmnop1234", "ghp_<!channel>" + A36],
)
def test_a_key_that_is_joined_by_a_removal_is_removed(split: str) -> None:
    shown = Guard([]).clean(f"It is {split}.")

    assert not holds_credentials(shown)
    assert A36 not in shown


@pytest.mark.parametrize("piece", ["xoxb-", "eyJ", "a://b:", "-----BEGIN RSA PRIVATE KEY-----", "sk-", "Bearer ", "-"])
def test_hostile_repetition_takes_no_time(piece: str) -> None:
    began = time.process_time()

    redacted(piece * (100_000 // len(piece)))

    assert time.process_time() - began < 2


def test_a_document_full_of_beginnings_of_keys_takes_no_time() -> None:
    """One pattern with all forms has more states than RE2 keeps, and takes ten times as long."""
    chance = random.Random(1)
    signs = string.ascii_letters + string.digits + "-_./=:+ "
    begins = ["xoxb-", "sk-", "eyJ", "key = ", "password: ", "curl -u ", "ghp_", "AKIA", "glpat-", PEM[:31]]
    text = "".join(chance.choice(begins) + "".join(chance.choices(signs, k=30)) for _ in range(8_000))
    redacted(text)
    began = time.process_time()

    redacted(text)

    assert time.process_time() - began < 0.35
