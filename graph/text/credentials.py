"""Removes credentials from text: keys, tokens and passwords that no document, model or log may show (pure).

It knows the prefixes that common scanners know. It leaves random-looking words alone, because documents are full of
order numbers.
"""

import unicodedata
from typing import Final

from graph import patterns

REMOVED: Final = "[removed]"
_FORMS: Final = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----(?:[^-]|-[^-])*(?:-----END [A-Z0-9 ]{0,40}-----)?",
    r"xox[a-z](?:\.xox[a-z])?-[\w-]{8,}|xapp-[\w-]{8,}",
    r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{16,}",
    r"(?:sk|gsk|pk|rk)[-_](?:[a-z]{2,8}\d{0,2}[-_]){0,3}[A-Za-z0-9]{16,}[\w-]*",
    r"gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|soat)-[\w-]{16,}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
    r"AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}",
    r"eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*",
    r"npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}|dckr_pat_[\w-]{20,}|hf_[A-Za-z0-9]{30,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}|(?:shpat|shpss|shpca)_[0-9a-fA-F]{32}|dop_v1_[0-9a-f]{64}|AGE-SECRET-KEY-1[0-9A-Z]{50,}",
    r"(?:ntn|secret)_[A-Za-z0-9]{40,}|ATATT[\w=-]{40,}|lin_api_\w{30,}|glsa_\w{30,}|hv[sb]\.[\w-]{20,}",
)
_CREDENTIAL: Final = patterns.compile("|".join(f"(?:{form})" for form in _FORMS))
_IN_AN_ADDRESS: Final = patterns.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*://[^\s/@:]*):(?P<password>[^\s/@]+)@", patterns.IGNORE_CASE
)
_DIGIT: Final = patterns.compile(r"\d|PRIVATE KEY")
_BEARER: Final = patterns.compile(r"(?P<word>\bBearer )[\w.~+/=-]{16,}")
_UNSEEN: Final = dict.fromkeys([0x00AD, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF])


def redacted(text: str) -> str:
    """Return a text without credentials, including those with invisible characters inside."""
    shown = _without(text)
    plain = unicodedata.normalize("NFKC", shown).translate(_UNSEEN)
    if plain == shown:
        return shown
    bare = _without(plain)
    return shown if bare == plain else bare


def _without(text: str) -> str:
    # A long word without digits is no key: "task_internationalisation".
    text = _CREDENTIAL.sub(lambda found: REMOVED if _DIGIT.search(found[0]) else found[0], text)
    text = _IN_AN_ADDRESS.sub(lambda found: f"{found['scheme']}:{REMOVED}@", text)
    return _BEARER.sub(lambda found: found["word"] + REMOVED, text)
