"""Puts an error as of a language model into a right draft: another number or name, a negation, an invention (pure)."""

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from graph.passages import Passage
from graph.text.grounding import sentences

Kind: TypeAlias = Literal["number", "name", "negation", "invention"]

_NUMBER: Final = re.compile(r"(?<![\d.,:\[–-])[1-9]\d*(?:[.,]\d+)*(?![\d\]:])")
_NAME: Final = re.compile(r"(?<![.:|>*\n] )(?<=[ *])[A-ZÄÖÜ][\w-]{2,}\b")
_VERB: Final = re.compile(r"\b(is|are|may|can|must|need|ist|sind|darf|kann|muss|é|são|pode|tem)\b(?! not| nicht| kein)")
_NOT: Final[dict[str, str]] = {
    **dict.fromkeys(("is", "are", "may", "can", "must", "need"), "{} not"),
    **dict.fromkeys(("ist", "sind", "darf", "kann", "muss"), "{} nicht"),
}
_PORTUGUESE: Final = "não {}"


@dataclass(frozen=True, kw_only=True)
class Error:
    """A draft with an error."""

    kind: Kind
    draft: str


def errors(draft: str, passages: Sequence[Passage], elsewhere: Sequence[Passage], dice: random.Random) -> list[Error]:
    """Return a draft with one error of each kind that it has room for; `elsewhere` is what inventions are made of."""
    made: dict[Kind, Callable[[], tuple[int, int, str] | None]] = {
        "number": lambda: _changed(_NUMBER, draft, dice, lambda said: _other_number(said, dice)),
        "name": lambda: _changed(_NAME, draft, dice, lambda _: _other_name(draft, passages, dice)),
        "negation": lambda: _changed(_VERB, draft, dice, lambda said: _NOT.get(said, _PORTUGUESE).format(said)),
        "invention": lambda: (len(draft), len(draft), f" {_sentence(elsewhere, dice)} [1]"),
    }
    changes = [(kind, change) for kind in get_args(Kind) if (change := made[kind]())]
    return [Error(kind=kind, draft=draft[:begins] + said + draft[ends:]) for kind, (begins, ends, said) in changes]


def _changed(
    pattern: re.Pattern[str], draft: str, dice: random.Random, other: Callable[[str], str]
) -> tuple[int, int, str] | None:
    changes = [(match.start(), match.end(), other(match[0])) for match in pattern.finditer(draft)]
    possible = [(begins, ends, said) for begins, ends, said in changes if said not in ("", draft[begins:ends])]
    return dice.choice(possible) if possible else None


def _other_number(said: str, dice: random.Random) -> str:
    shift = dice.randint(1, 8)
    other = "".join(str((int(sign) + shift) % 10) if sign.isdigit() else sign for sign in said)
    return "" if other.startswith("0") else other


def _other_name(draft: str, passages: Iterable[Passage], dice: random.Random) -> str:
    names = {name for passage in passages for name in _NAME.findall(passage["text"])}
    others = sorted(name for name in names if name not in draft)
    return dice.choice(others) if others else ""


def _sentence(elsewhere: Sequence[Passage], dice: random.Random) -> str:
    found = [one for one in sentences(dice.choice(elsewhere)["text"]) if one.endswith(".") and "|" not in one]
    return " ".join(dice.choice(found).split()) if found else "This holds for all offices."
