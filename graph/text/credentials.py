"""Removes credentials from text: keys, tokens and passwords that no document, model or log may show (pure).

Many forms are known by how they begin. Others are known by the name before them, as in `datadog_key = …`: then what
follows must look random, for documents are full of order numbers.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Final

from graph import patterns
from graph.text.invisible import bare

REMOVED: Final = "[removed]"
_KEY: Final = patterns.compile(
    r"-----\s?BEGIN[A-Z0-9 _-]{0,100}PRIVATE KEY[A-Z ]{0,20}-----(?:[^-]|-[^-])*"
    r"(?P<end>-----\s?END [A-Z0-9 ]{0,40}-----)?"
    r"|PuTTY-User-Key-File-\d:(?:[^\n]+\n?)*"
)
"""A private key of several lines."""
_FORMS: Final = (
    r"xox[a-z](?:\.xox[a-z])?-[\w-]{7,}|xapp-[\w-]{8,}",
    r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{16,}|\.webhook\.office\.com/webhookb2/[\w@/-]{30,}",
    r"(?:sk|gsk|pk|rk)[-_](?:[a-z]{2,8}\d{0,2}[-_]){0,3}[A-Za-z0-9]{16,}[\w-]*",
    r"sk-(?:ant|proj|svcacct|admin|or)[-\w]{20,}|[rs]k_(?:test|live|prod)_[A-Za-z0-9]{10,}|sk-[\w-]*T3BlbkFJ[\w-]{10,}",
    r"gh[opsur]_\w{20,}|github_pat_\w{20,}",
    r"gl(?:pat|dt|rt|ft|imt|ptt|agent|oas|ffct|soat|cbt)-[\w-]{16,}|GR1348941[\w-]{20,}",
    r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[0-9A-Z]{16}|ABSK[A-Za-z0-9+/]{60,}|bedrock-api-key-[\w=]{20,}",
    r"AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|AccountKey=[A-Za-z0-9+/=]{60,}|\w{3}\dQ~[\w~.-]{31,34}",
    r"eyJ[\w=-]+\.[\w=/-]+\.?[\w.+/=-]*|ZXlK[A-Za-z0-9+/=_-]{20,}(?:\r?\n[A-Za-z0-9+/_-]{20,}={0,2})*|eyJrIjoi[A-Za-z0-9]{60,}|ey\w{17,}\.ey[\w/\\-]{17,}\.[\w/\\=-]*",
    r"npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}|dckr_pat_[\w-]{20,}|_authToken=\s*[\w.-]{20,}|rubygems_[a-f0-9]{40,}|CLOJARS_\w{50,}",
    r"(?:hf|api_org)_[A-Za-z]{34}|hf_[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{40,}",
    r"SG\.[\w=.-]{40,}|xkeysib-[a-f0-9]{40,}[\w-]*|key-[a-f0-9]{32}|[0-9a-z]{32}-us\d{1,2}",
    r"shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}|sq0(?:atp|csp|idp)-[\w\\-]{22,}|EAAA[\w-]{22,}|EAA[MC][A-Za-z0-9]{90,}|\d{15,16}(?:\||%(?:7C)?)[A-Za-z0-9_-]{27,40}",
    r"do[opr]_v1_[0-9a-f]{60,}|HRKU-[\w-]{30,}|fo1_[\w-]{40,}|fm[12][ar]?_[\w+/=]{60,}|dapi[a-f0-9]{32}",
    r"AGE-SECRET-KEY-1[0-9A-Z]{50,}|A3-[A-Z0-9]{6}-[A-Z0-9-]{26,}|ops_eyJ[\w+/]{60,}",
    r"(?:ntn|secret)_[A-Za-z0-9]{40,}|ATATT[\w=-]{40,}|ATCTT[\w=-]{40,}|lin_api_\w{30,}|PMAK-[a-f0-9-]{50,}",
    r"gl(?:sa|c)_[\w+/=]{30,}|hv[sb]\.[\w-]{20,}|\bs\.[A-Za-z0-9]{24}\b|\w{14}\.atlasv1\.[\w=-]{40,}|dt0c01\.\w{24}\.\w{60,}|sha256~[\w-]{40,}",
    r"sntry[su]_[\w+/=]{40,}|NR(?:AK|II|JS)-[\w-]{19,}|dnkey-[\w=-]{60,}|API-[A-Z0-9]{26}|pul-[a-f0-9]{40}|pnu_\w{30,}|_gitlab_session=\w{32}|softlayer\.com/soap/v[\d.]+/\w{60,}",
    r"AKC[A-Za-z0-9]{40,}|cmVmd[A-Za-z0-9]{50,}|(?:pat|sat)\.[\w-]{22}\.\w{24}\.\w{20}|pat\w{14}\.[a-f0-9]{60,}",
    r"LTAI[A-Za-z0-9]{20}|p8e-[a-z0-9]{32}|v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}|4b1d[A-Za-z0-9]{38}|EZ[AT]K[A-Za-z0-9]{50,}",
    r"pscale_(?:tkn|oauth|pw)_[\w=.-]{30,}|dp\.(?:pt|st|ct)\.\w{40,}|duffel_(?:test|live)_[\w=-]{40,}|fio-u-[\w=-]{60,}",
    r"FLW(?:SEC|PUB)K_TEST-[a-h0-9]{12,}(?:-X)?|ico-[A-Za-z0-9]{32}|rdme_[a-z0-9]{60,}|tk-us-[\w-]{40,}|tfp_[\w.=-]{50,}",
    r"sm_[aps]at_[A-Za-z0-9]{16}|shippo_(?:live|test)_[a-fA-F0-9]{40}|sgp_(?:local_)?[a-fA-F0-9_]{40,}|\w{6}_\w{29}_mmk",
    r"s-s4t2(?:ud|af)-[a-f0-9]{60,}|(?:sc|ext|scauth|authress)_\w{5,30}\.\w{4,6}\.acc[_-][\w-]{10,32}\.[\w+/=-]{30,}",
    r"X-(?:Amz|Goog)-Signature=\w{20,}|[?&]sig=[\w%+/=-]{20,}",
    r"(?i:contribsys__com)[\w \t.-]{0,20}[\s'\"`]{0,4}[=:>|,?]{1,4}[\s'\"`=]{0,6}[a-f0-9]{8}:[a-f0-9]{8}",
    r"(?:AC|SK)(?:[a-z0-9]{32}|[a-fA-F0-9]{32})|\d{5,16}:A[\w-]{34}|\d{8,10}:[\w-]{35}|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}|sl\.[\w=-]{100,}",
)
_AT_ONCE: Final = 6
_CREDENTIALS: Final = (
    patterns.any_of(_KEY),
    *(patterns.any_of(*map(patterns.compile, _FORMS[at : at + _AT_ONCE])) for at in range(0, len(_FORMS), _AT_ONCE)),
)
"""A few patterns: one that knows all forms has more states than RE2 keeps, and takes fifty times as long."""
_NAMES: Final = (
    "access|auth|api|credential|creds|key|pass|passwd|passwort|password|pwd|secret|token|adafruit|adobe|airtable|akamai"
    "|algolia|alibaba|artifactory|asana|atlassian|aws|azure|beamer|bintray|bitbucket|bittrex|clou|cloud|cloudant"
    "|cloudflare|codecov|cohere|coinbase|confluence|confluent|contentful|contribsys__com|datadog|discord|droneci|dropbox"
    "|etsy|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter|gocardless|heroku|hubspot|ibm|intercom|jfrog|jira"
    "|kraken|kucoin|launchdarkly|linear|linkedin|linked[-_]in|lob|looker|mailchimp|mailgun|mapbox|mattermost|meraki"
    "|message[-_]?bird|netlify|new[-_]?relic|newyorktimes|nytimes|okta|plaid|private[-_]?ai|rapidapi|sendbird|sentry"
    "|snyk|softlayer|sonar|squarespace|sumo|telegram|telegr|travis|twilio|twitch|twitter|typeform|xray|yandex|zendesk"
)
_ASSIGNED: Final = patterns.compile(
    rf"(?P<before>(?:{_NAMES})[ \t\w.\[-]{{0,20}}[\s'\"`\]]*"
    r"(?::{1,3}=?|=>|\?=|\|\||[=>,|]|\b(?:is|ist|lautet)\b|\s{2,}|\s?['\"`])[\s'\"`=]*)(?P<value>[\w.~+/=%-]{14,})",
    patterns.IGNORE_CASE,
)
_IN_AN_ADDRESS: Final = patterns.compile(
    r"(?P<scheme>[a-z0-9+.-]*://[^\s/@:]*):(?P<password>[^\s/@$<{\[*….][^\s/@]*)@", patterns.IGNORE_CASE
)
_NAMED: Final = r"(?:password|passwd|passphrase|passwort|kennwort|pwd|senha|secret)[\"'`]?(?:\s+value)?\s{0,3}"
_PASSWORD: Final = patterns.compile(
    rf"(?P<before>{_NAMED}(?:=>|:=|[:=>]|\s(?:is|ist|lautet|é)\s)\s{{0,3}}[\"'`]?)(?P<value>[^\s\"'`<>{{}}]{{6,100}})",
    patterns.IGNORE_CASE,
)
"""A password is shorter than a key, and stands right behind its name."""
_QUOTED: Final = patterns.compile(
    rf"(?P<before>{_NAMED}(?:=>|:=|[:=])\s{{0,3}}(?:\"|'))(?P<value>[^\s\"'<>{{}}$]{{6,100}})[\"']",
    patterns.IGNORE_CASE,
)
"""A password in a program or in a file of settings."""
_PLACED: Final = (
    patterns.compile(
        r"(?P<before>\bcurl\b[^\n]{0,300}\s(?:-u|--user)[\s=]*[\"']?[^\s:\"'<{$]{0,80}:)(?P<value>[^\s\"'<{$]{3,})"
    ),
    # The user of some services is a key, without a password.
    patterns.compile(
        r"(?P<before>\bcurl\b[^\n]{0,300}\s(?:-u|--user)[\s=]*[\"']?)(?P<value>[^\s:\"'<{$]{8,}):(?:[\"'\s]|$)"
    ),
    patterns.compile(r"(?P<before>\bmysql\w*\b[^\n]{0,200}\s-p|\bsshpass\s+-p\s*[\"']?)(?P<value>[^\s\"'<{$]{4,})"),
    patterns.compile(r"(?P<before>\blogin\s+\S{1,80}\s+password\s+)(?P<value>[^\s<{$]{4,})"),
    patterns.compile(r"(?P<before>\bcookie:\s*[\w.-]{1,80}=)(?P<value>[^\s<{$]{16,})", patterns.IGNORE_CASE),
    patterns.compile(
        r"(?P<before><add\s+key=\"\w{0,20}password\"\s+value=\")(?P<value>[^\"<>%{}$*]{4,})", patterns.IGNORE_CASE
    ),
)
"""Places in commands and files where nothing but a password stands."""
_HEADER: Final = patterns.compile(
    r"(?P<before>\b(?:authorization|x-[\w-]{0,30}(?:key|token|secret|auth)[\w-]{0,20}|api-?key)\s{0,2}:\s{0,3}"
    r"(?:[A-Za-z][\w-]{1,20}\s+)?)(?P<value>[^\s\"'`<{$]{8,})",
    patterns.IGNORE_CASE,
)
_MANIFEST: Final = patterns.compile(r"\bkind:\s{0,3}[\"']?Secret\b")
_ENTRY: Final = patterns.compile(
    r"(?P<before>^[ \t]+[\w.\"'-]{1,100}:[ \t]+[\"']?)(?P<value>[A-Za-z0-9+/]{4,}={0,2})[\"']?[ \t]*\r?$",
    patterns.MULTI_LINE,
)
"""A line of a Kubernetes manifest; in one of a secret, its data is encoded and not encrypted."""
_DATA: Final = patterns.compile(r"^(?:data|stringData):[^\n]*\n(?:[ \t]+[^\n]*\n?)+", patterns.MULTI_LINE)
_NO_WORD: Final = patterns.compile(r"\d|[a-z][A-Z]|PRIVATE KEY|^(?:AKIA|ASIA|ABIA|ACCA|hf_|api_org_)")
_BEARER: Final = patterns.compile(r"(?P<word>\b(?:Bearer|Basic) )(?P<value>[\w.~+/=-]{16,})")
_HINTS: Final = (
    patterns.any_of(_IN_AN_ADDRESS, _BEARER, *_PLACED),
    patterns.any_of(_HEADER, _QUOTED, _PASSWORD, _MANIFEST, _ASSIGNED),
)
"""Found in every text with a credential that only its place tells. Most texts have none, and are read twice."""
_REMEMBERED: Final = 2_000
"""Characters of the longest text whose result is remembered."""
_SHORTEST: Final = 8
"""Characters of a password; a shorter one is rather a word or a number."""
_OFTEN: Final = 0.2
"""Share of letters and digits in random text that are followed by another kind: small, capital or digit."""
_STRANGE: Final = frozenset("!@#$%^&*?+~")
"""Signs that a password holds, and a word or a name rarely."""


def redacted(text: str) -> str:
    """Return a text without credentials, including those with invisible characters inside."""
    # A card has one title in many places, and a stream shows its sources with every piece.
    return _redacted_again(text) if len(text) <= _REMEMBERED else _redacted(text)


def _redacted(text: str) -> str:
    shown = _without(text)
    plain = bare(shown)
    if plain == shown:
        return shown
    without = _without(plain)
    return shown if without == plain else without


_redacted_again: Final = lru_cache(maxsize=256)(_redacted)


def keys_of_lines(text: str) -> list[tuple[int, int]]:
    """Return where private keys of several lines begin and end in a text; one that is not closed ends with the text."""
    plain = bare(text)
    keys = [(found.start(), found.end() if found.has("end") else len(text)) for found in _KEY.finditer(plain)]
    # If signs that nobody sees are in it, places are others, and no part of the text is safe to show.
    return [(0, len(text))] if keys and plain != text else keys


def _without(text: str) -> str:
    # Words may be as long as a key, and have no digits: "task_internationalisation".
    for forms in _CREDENTIALS:
        text = forms.sub(lambda found: REMOVED if _NO_WORD.search(found[0]) else found[0], text)
    return _emptied_places(text) if any(hint.search(text) for hint in _HINTS) else text


def _emptied_places(text: str) -> str:
    text = _IN_AN_ADDRESS.sub(lambda found: f"{found['scheme']}:{REMOVED}@", text)
    text = _BEARER.sub(lambda found: found["word"] + REMOVED, text)
    for place in _PLACED:
        text = _emptied(place, text)
    text = _emptied(_HEADER, text, _has_digit)
    text = _emptied(_QUOTED, _emptied(_PASSWORD, text, _looks_chosen), _has_digit)
    if _MANIFEST.search(text):
        text = _DATA.sub(lambda found: _emptied(_ENTRY, found[0]), text)
    return _emptied(_ASSIGNED, text, _looks_random)


def _emptied(place: patterns.Pattern, text: str, is_one: Callable[[str], bool] = bool) -> str:
    """Return a text without the values at a place that are credentials."""
    return place.sub(
        lambda found: (
            found["before"] + REMOVED + found[0][len(found["before"]) + len(found["value"]) :]
            if is_one(found["value"])
            else found[0]
        ),
        text,
    )


def _has_digit(value: str) -> bool:
    return any(sign.isdigit() for sign in value)


def _looks_chosen(value: str) -> bool:
    """Tell whether a value was chosen as a password: letters and digits, with capitals and small letters or a sign."""
    value = value.rstrip(".,;:)")
    kinds = {_kind(sign) for sign in value if sign.isalnum()}
    is_mixed = {1, 2} <= kinds or not _STRANGE.isdisjoint(value)
    return len(value) >= _SHORTEST and 0 in kinds and len(kinds) > 1 and is_mixed and "://" not in value


def _looks_random(value: str) -> bool:
    """Tell whether small letters, capitals and digits follow one another as in no word, name or number."""
    kinds = [_kind(sign) for sign in value if sign.isascii() and sign.isalnum()]
    changes = sum(one != other for one, other in pairwise(kinds))
    return any(sign.isdigit() for sign in value) and changes >= _OFTEN * len(kinds)


def _kind(sign: str) -> int:
    return 0 if sign.isdigit() else 1 if sign.islower() else 2
