"""Addresses in a text: which ones people may click, and how the others are shown."""

from collections.abc import Iterable
from typing import Final

from graph import patterns

_WEB: Final = patterns.compile(r"https?://[^\s<>|\"`]+", patterns.IGNORE_CASE)
_LONGEST: Final = 3000
"""Characters that Slack takes for an address."""
_LONGEST_CODE: Final = 1_000
_SCHEMES: Final = "https?|mailto|tel|sms|ftp|file|data|javascript|vbscript|slack"
_ENDINGS: Final = (
    "com|org|net|edu|gov|mil|int|io|app|dev|info|biz|xyz|site|online|shop|cloud|link|click|top|eu|example"
    "|zip|mov|live|pro|club|store|tech|icu|vip|work|page|me|space|fun|web|name|mobi|support|help|live|email|today|world"
    r"|xn--[\w-]+"
)
_RARER: Final = (
    "academy|accountant|actor|adult|agency|apartments|art|asia|associates|attorney|auction|audio|auto|autos|baby"
    "|band|bank|bar|bargains|beauty|beer|best|bet|bid|bike|bingo|bio|black|blog|blue|boats|boo|book|boutique|box"
    "|build|builders|business|buzz|cab|cafe|cam|camera|camp|capital|car|cards|care|career|careers|cars|casa|cash"
    "|casino|catering|center|ceo|cfd|charity|chat|cheap|church|city|claims|cleaning|clinic|clothing|coach|codes"
    "|coffee|college|community|company|computer|condos|construction|consulting|contact|contractors|cool|coop"
    "|country|coupons|courses|credit|cruises|cyou|dad|dance|date|dating|day|deals|degree|delivery|democrat|dental"
    "|dentist|design|diamonds|diet|digital|direct|directory|discount|doctor|dog|domains|download|earth|eco"
    "|education|energy|engineer|engineering|enterprises|equipment|estate|events|exchange|expert|exposed|express"
    "|fail|faith|family|fan|fans|farm|fashion|film|finance|financial|fish|fit|fitness|flights|florist|flowers|foo"
    "|football|forex|forsale|forum|foundation|fund|furniture|fyi|gallery|game|games|garden|gay|gift|gifts|gives"
    "|glass|global|gmbh|gold|golf|google|graphics|gratis|green|gripe|group|guide|guitars|guru|hair|haus|health"
    "|healthcare|hockey|holdings|holiday|homes|horse|hospital|host|hosting|house|how|immo|immobilien|industries"
    "|ink|institute|insurance|insure|international|investments|irish|jetzt|jewelry|jobs|kaufen|kim|kitchen|kiwi"
    "|land|lat|law|lawyer|lease|legal|lgbt|life|lighting|limited|limo|llc|loan|loans|lol|london|love|ltd|luxe"
    "|luxury|maison|makeup|management|market|marketing|markets|mba|media|meme|memorial|men|menu|miami|moda|mom"
    "|monster|mortgage|movie|museum|music|network|new|news|ngo|ninja|now|nyc|observer|one|ong|onl|ooo|organic"
    "|paris|partners|parts|party|pet|phd|photo|photography|photos|pics|pictures|pink|pizza|place|plumbing|plus"
    "|poker|porn|post|press|productions|prof|promo|properties|property|protection|pub|quest|racing|recipes|red"
    "|rehab|reise|reisen|ren|rent|rentals|repair|report|rest|restaurant|review|reviews|rip|rocks|rodeo|rsvp|run"
    "|sale|salon|sbs|school|schule|science|security|services|sex|sexy|shoes|shopping|show|singles|ski|skin|soccer"
    "|social|software|solar|solutions|spa|sport|stream|studio|study|style|sucks|supplies|supply|surf|surgery"
    "|systems|tattoo|tax|taxi|team|technology|tel|tennis|theater|theatre|tickets|tienda|tips|tires|tokyo|tools"
    "|tours|town|toys|trade|trading|training|travel|tube|university|uno|vacations|vegas|ventures|vet|viajes|video"
    "|villas|vin|vision|vodka|vote|voting|voyage|wang|watch|webcam|website|wedding|wiki|win|wine|works|wtf|xin"
    "|xxx|yachts|yoga|zone"
)
"""Endings that are words too."""
_COUNTRIES: Final = (
    "a[c-gilmoq-uwxz]|b[abd-jmnorstvwyz]|c[acdf-ik-oru-z]|d[ejkmoz]|e[cegrstu]|f[ijkmor]|g[abd-ilmnp-uwy]|h[kmnrtu]"
    "|i[delmnoq-t]|j[emop]|k[eghimnprwyz]|l[abcikr-vy]|m[acdeghk-z]|n[acefgilopruz]|om|p[ae-hk-nrstwy]|qa|r[eosuw]"
    "|s[a-eg-or-vx-z]|t[cdfghj-ortvwz]|u[agksyz]|v[aceginu]|w[fs]|y[et]|z[amw]"
)
_WORDS: Final = f"{_COUNTRIES}|{_RARER}"
_FOREIGN: Final = "x{2,12}"
"""An ending in another script, as `patterns` reads it."""
_DOT: Final = "[.。．｡]"
"""A dot, and what a browser takes for one."""
_NAME: Final = r"[\w-][\w¿-]*"
"""A part of a host's name; `¿` is any sign that `patterns` does not know, because some readers skip hidden ones."""
_SIGN: Final = r"[|~+=$^¿]"
"""What no host's name can hold, but some readers take for a part of one."""
_ADDRESS: Final = patterns.compile(
    r"<(?P<target>[^<>|\s]+)(?:\|(?P<label>[^<>]*))?>"
    r"|//[^\s<>`|\\./]+\.[^\s<>`|\\]*"
    r"|<[^\s<>()`|\\@]+@[^\s<>()`|\\@]+"
    r"|[^\s<>()`|\\@]+@[^\s<>()`|\\@]+\.[\w-]+"
    # Low lines before an address may begin an emphasis, and those behind a host end one.
    rf"|\b_*(?:(?:[a-z][a-z0-9+.-]*://|(?:{_SCHEMES}):|www\.)[^\s<>`|\\]+"
    rf"|www{_DOT}[^\s<>`|\\]+|(?:(?:{_NAME}{_DOT})+[a-z][a-z]+|(?:\d{{1,3}}{_DOT}){{3}}\d{{1,3}})(?:/|:\d)[^\s<>`|\\]*"
    ")"
    rf"|(?:\b{_NAME}|{_SIGN}){_DOT}(?:{_NAME}{_DOT})*(?:{_ENDINGS})_*\b"
    # "on Friday.It" is two sentences without a space.
    rf"|(?:\b{_NAME}|{_SIGN})\.(?:{_NAME}\.)*(?-i:{_WORDS}|{_WORDS.upper()}|{_FOREIGN})_*\b",
    patterns.IGNORE_CASE,
)
"""What Slack may make a link of by itself: with a scheme, a name of the web, a mail address, or in its own markup."""
_LABELLED: Final = patterns.compile(
    r"<(?P<target>[a-z][a-z0-9+.-]*:[^<>|\s]+)\|(?P<label>[^<>]+)>", patterns.IGNORE_CASE
)
_PLACE: Final = patterns.compile(r"[\w.~%+-]*")
"""A place in a page; more could be another address."""
_AFTER: Final = ".,;:!?'\"*_]"


class Links:
    """The addresses that may be clicked; with a fragment of their own, too."""

    def __init__(self, urls: Iterable[str] = ()) -> None:
        self._urls = frozenset(url for url in urls if linkable(url))

    def __contains__(self, url: str) -> bool:
        page, _, place = url.partition("#")
        return url in self._urls or (page in self._urls and _PLACE.fullmatch(place) is not None)


def linkable(url: str) -> bool:
    """Say whether a person may be offered `url` to click."""
    return len(url) <= _LONGEST and _WEB.fullmatch(url) is not None


def inert(text: str, links: Links) -> str:
    """Return text in which other addresses than `links` are code, which nobody can click."""
    text = _LABELLED.sub(lambda found: found[0] if found["target"] in links else _apart(found, text), text)
    return _ADDRESS.sub(lambda found: _marked(found, links) if found.has("target") else _bare(found[0], links), text)


def _apart(found: patterns.Match, text: str) -> str:
    """Return the label of Slack's link, apart from what stands beside it: together they could be an address."""
    before, after = text[: found.start()][-1:], text[found.end() :][:1]
    return f"{' ' if before.strip() else ''}{found['label']}{' ' if after.strip() else ''}"


def _marked(found: patterns.Match, links: Links) -> str:
    target, label = found["target"], found["label"]
    if target in links:
        return explicit(inert(label, Links()) if label else target, target)
    if "@" in target[1:] or _ADDRESS.fullmatch(target):
        return inert(label, Links()) if label else _bare(target, links)
    # Anything else in angle brackets is a placeholder, such as <name>.
    return f"<{inert(target, links)}{f'|{inert(label, links)}' if found.has('label') else ''}>"


def _bare(address: str, links: Links) -> str:
    url = address.rstrip(_AFTER)
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(_AFTER)
    rest = address[len(url) :]
    return f"{explicit(url, url) if url in links else in_code(url)}{rest}" if url else rest


def in_code(text: str) -> str:
    """Return text without ticks as code within a line, of which each part can be shown alone.

    A long answer goes on in another message: if that began within code, its addresses would work.
    """
    parts = [text[at : at + _LONGEST_CODE] for at in range(0, len(text), _LONGEST_CODE)]
    return " ".join(f"`{part}`" for part in parts if part.strip()) or "` `"


def explicit(label: str, url: str) -> str:
    """Return a Markdown link; an address that is only written down goes on in what follows, for some readers."""
    return f"[{label.replace('[', '(').replace(']', ')') or url}]({url})"
