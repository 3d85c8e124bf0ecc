"""Every pattern takes linear time, and reads letters of all Latin scripts."""

import ast
import gc
import importlib
import os
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from re import _constants as kinds  # pyright: ignore[reportAttributeAccessIssue]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph import patterns
from graph.asking.facets import find_facets
from graph.asking.replies import is_closing, read_reply, says_nothing
from graph.text.names import calls_a_person
from tests.models.cases import make_case
from tests.models.offline import understood
from tests.support.fakes import passage

ROOT: Final = Path(__file__).parent.parent.parent
PYTHONS_OWN: Final = {
    "bot/slack/app.py": "Bolt takes Python's own; they meet the ids of our own buttons, at most 255 characters",
    "prompts/__init__.py": "they meet our own prompt files only, and prompts import nothing of ours",
}
CALLS: Final = frozenset({"compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split"})
SMALLEST: Final = int(os.environ.get("PATTERN_SIGNS", "2500"))
SIZES: Final = (SMALLEST, 4 * SMALLEST)
QUICK: Final = 0.02 * SIZES[-1] / 40_000
"""If the longest text takes less than this many seconds, the growth does not matter."""
MOST_GROWTH: Final = 6.25
"""How much longer a text of four times the length may take: linear time is 4, quadratic time 16.

The sizes between are not compared: on a busy machine one of them is easily slow.
"""


class Found(NamedTuple):
    """A pattern in the code."""

    where: str
    text: str
    flags: str
    is_pythons: bool

    def find(self, text: str) -> int:
        return sum(1 for _ in patterns.compile(self.text, self.flags).finditer(text))


def files() -> list[Path]:
    return sorted(path for folder in ("bot", "graph", "prompts") for path in (ROOT / folder).rglob("*.py"))


@cache
def found() -> list[Found]:
    written = [each for path in files() for each in patterns_in(path)]
    texts = {each.text for each in written}
    put_together = {each.text: each for path in files() for each in made_in(path) if each.text not in texts}
    return [*written, *put_together.values()]


def made_in(path: Path) -> Iterator[Found]:
    """Yield the patterns of a module as they are once it is imported: some are made of others."""
    if "patterns." not in path.read_text():
        return
    for name, held in vars(importlib.import_module(module_of(path))).items():
        several = held.values() if isinstance(held, dict) else held if isinstance(held, tuple) else (held,)
        for one in several:
            if isinstance(one, patterns.Pattern):
                yield Found(f"{path.relative_to(ROOT)}:{name}", one.pattern, one.flags, is_pythons=False)


def module_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")


def patterns_in(path: Path) -> Iterator[Found]:
    text, module = path.read_text(), module_of(path)
    # Each process of the tests collects the patterns, and walking all modules would take a second.
    if not re.search(rf"\b(?:re|patterns)\.(?:{'|'.join(CALLS)})\b", text):
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.GeneratorExp(elt=ast.Call() as call, generators=[ast.comprehension(iter=ast.Tuple(elts=texts))]):
                yield from (found for text in texts for found in patterns_of(call, text, path, module))
            case ast.Call(args=[text, *_]) if not isinstance(text, ast.Name) or text.id != "pattern":
                yield from patterns_of(node, text, path, module)
            case _:
                pass


def patterns_of(node: ast.Call, text: ast.expr, path: Path, module: str) -> Iterator[Found]:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re" | "patterns" as of), attr=call)) if call in CALLS:
            flags = "".join(re.findall("IGNORE|MULTI|DOT", ast.unparse(node)))
            letters = flags.replace("IGNORE", "i").replace("MULTI", "m").replace("DOT", "s")
            yield Found(f"{path.relative_to(ROOT)}:{text.lineno}", text_of(text, module), letters, of == "re")
        case _:
            pass


def text_of(node: ast.expr, module: str) -> str:
    """Return a pattern's text, with a word for each part that is known only at run time."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(text_of(value, module) for value in values)
        case ast.FormattedValue(value=value):
            known = eval_in(value, module)
            return known if isinstance(known, str) else "word"
        case _:
            return "word"


def eval_in(node: ast.expr, module: str) -> object:
    try:
        return eval(ast.unparse(node), dict(vars(importlib.import_module(module))))
    except NameError:
        return None


def test_one_module_knows_the_engine_and_few_know_pythons_own() -> None:
    importers = {
        (name.name, path.relative_to(ROOT).as_posix())
        for path in files()
        if re.search(r"\b(?:re2?|regex|fnmatch)\b", path.read_text())
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (node.names if isinstance(node, ast.Import) else [ast.alias(node.module or "")])
    }

    assert {path for name, path in importers if name == "re2"} == {"graph/patterns.py"}
    assert {path for name, path in importers if name in ("re", "regex", "fnmatch")} == set(PYTHONS_OWN)


def test_the_patterns_are_found() -> None:
    assert len(found()) > 100
    assert any(
        each.where.startswith("bot/models/offline/understanding/substitution.py") and "word" in each.text
        for each in found()
    )


def test_patterns_that_are_made_of_others_are_found_too() -> None:
    assert len([each for each in found() if each.where == "graph/text/credentials.py:_CREDENTIALS"]) > 1
    assert any(each.where == "bot/models/orders.py:_TO_ASSISTANTS" for each in found())


def parts_of(tree: Any) -> Iterator[str]:
    """Yield a sample for each part of a parsed pattern, in order."""
    for kind, held in tree:
        match kind:
            case kinds.LITERAL:
                yield chr(held)
            case kinds.NOT_LITERAL | kinds.ANY:
                yield "a"
            case kinds.IN:
                yield sample_of(held)
            case kinds.MAX_REPEAT | kinds.MIN_REPEAT | kinds.POSSESSIVE_REPEAT:
                yield from parts_of(held[2])
            case kinds.SUBPATTERN:
                yield from parts_of(held[3])
            case kinds.BRANCH:
                yield from ("".join(parts_of(branch)) for branch in held[1])
            case kinds.ASSERT | kinds.ASSERT_NOT:
                yield from parts_of(held[1])
            case _:
                pass


def sample_of(members: Any) -> str:
    pattern = re.compile("".join(["[", "".join(map(written, members)), "]"]))
    return next((sign for sign in " \n-a1A.,_*`[](<\"'x" if pattern.match(sign)), "a")


def written(member: tuple[Any, Any]) -> str:
    match member:
        case (kinds.NEGATE, _):
            return "^"
        case (kinds.LITERAL, code):
            return re.escape(chr(code))
        case (kinds.RANGE, (first, last)):
            return f"{re.escape(chr(first))}-{re.escape(chr(last))}"
        case (_, category):
            return {"DIGIT": r"\d", "NOT_DIGIT": r"\D", "SPACE": r"\s", "NOT_SPACE": r"\S", "WORD": r"\w"}.get(
                str(category).removeprefix("CATEGORY_"), r"\W"
            )


def hostile(pattern: str) -> set[tuple[str, str]]:
    """Return beginnings and continuations of texts made of a pattern's own parts."""
    whole = list(parts_of(parser.parse(pattern.replace(r"\z", r"\Z"))))
    # A long list of words is read like a short one.
    parts = [part[:12] for part in dict.fromkeys(whole) if part][:10]
    pairs = {("", one + other) for one, other in pairwise(parts)}
    begun = {("".join(parts[:end]), part) for end, part in enumerate(parts)}
    repeated = {("", "".join(parts[:end])) for end in range(3, len(parts) + 1)}
    return {("", part) for part in parts} | pairs | begun | repeated


def seconds(find: Callable[[str], Any], text: str, *, tries: int) -> float:
    def once() -> float:
        began = time.process_time()
        find(text)
        return time.process_time() - began

    # Many matches would start the garbage collector, which would then also visit the objects of other tests.
    gc.collect(0)
    gc.disable()
    try:
        return min(once() for _ in range(tries))
    finally:
        gc.enable()


def growth(find: Callable[[str], Any], begin: str, piece: str) -> str:
    def text(size: int) -> str:
        return f"{begin}{piece * (size // max(len(piece), 1))}\0"

    if seconds(find, text(SIZES[0]), tries=1) <= QUICK / 16:
        return ""  # Even quadratic time would be short.
    for tries in (1, 5, 15):
        took = [seconds(find, text(size), tries=tries) for size in SIZES]
        if took[-1] <= QUICK or took[-1] <= MOST_GROWTH * took[0]:
            return ""
    return f"{begin!r} + {piece!r} × n: {', '.join(f'{each * 1000:.0f} ms' for each in took)}"


def ours() -> list[Found]:
    return [each for each in found() if not each.is_pythons]


@pytest.mark.parametrize("each", ours(), ids=lambda each: each.where)
def test_a_text_of_the_patterns_own_parts_is_read_in_proportion(each: Found) -> None:
    faults = {growth(each.find, begin, piece) for begin, piece in hostile(each.text)} - {""}

    assert not faults, each.text


@pytest.mark.parametrize(
    ("pattern", "text", "found_there"),
    [
        (r"\bfür\b", "Was gilt für Porto?", ["für"]),
        (r"\bfür\b", "Was gilt fürs Büro?", []),
        (r"\bmar\b", "im März", []),
        (r"\w+", "Überstunden müssen größer sein, São João não", "Überstunden müssen größer sein São João não".split()),
        (r"\b[A-Z]\w+", "die Ärztin aus Évora, José", ["Ärztin", "Évora", "José"]),
        (r"[^\W\d_]+", "Привет 東京 2024 naïve_x", ["Привет", "東京", "naïve", "x"]),
        (r"\d+", "٣ und 12, aber nicht ²", ["٣", "12"]),
        (r"“[^”]+”", "Er sagt “ja – …” und geht", ["“ja – …”"]),
        (r"a\sb", "a\u00a0b a\u2003b", ["a\u00a0b", "a\u2003b"]),
        (r"☺", "gut 👍 ☀ ok", ["👍", "☀"]),
        (r"x", "\ud800x\0x", ["x", "x"]),
    ],
)
def test_letters_of_other_languages_are_letters(pattern: str, text: str, found_there: list[str]) -> None:
    assert found_there == patterns.compile(pattern).findall(text)


def test_what_is_ignored_is_only_the_case() -> None:
    pattern = patterns.compile("(?P<who>wer|quem)( nunca)? MANTÉM", patterns.IGNORE_CASE)
    found = pattern.search("Quem mantém isto?")

    assert pattern.search("wer pflegt das?") is None
    assert found
    assert ("Quem", "Quem", "", False) == (found[1], found["who"], found[2], found.has(2))


@given(st.text(), st.sampled_from([r"\w+", r"\d+", r"[^\W\d_]+", r"\S+", r"[.!?]\s+", r"^\W*\w"]))
def test_places_are_those_of_pythons_engine_in_ascii(text: str, pattern: str) -> None:
    plain = "".join(letter for letter in text if letter.isascii() and letter not in "\v\x1c\x1d\x1e\x1f")

    assert [found.span() for found in re.finditer(pattern, plain)] == [
        found.span() for found in patterns.compile(pattern).finditer(plain)
    ]


def test_what_stands_around_is_looked_at_and_not_taken() -> None:
    year = patterns.compile(r"(?:^|\D)(?P<it>\d{4})(?:\D|$)")

    assert ["1999", "2024"] == year.findall("1999 2024 12345")
    assert "in , 2025" == year.sub("", "in 2024, 2025", count=1)
    assert ["a", "b", ""] == year.split("a1999b2024")
    found = year.search("in 2024.")
    assert found
    assert ("2024", (3, 7)) == (found[0], found.span())


def test_a_long_message_is_read_at_both_its_ends() -> None:
    assert "a\n\nb" == patterns.skimmed("a\n\nb")
    assert "a b" == patterns.skimmed("a" + "\n" * 39_000 + "b")
    assert 4_003 == len(patterns.skimmed("word " * 8_000))


@pytest.mark.parametrize("piece", ["\n", "a ", "?", "[a`", "xoxb-", "Ben, ", "not ", "(1", "\u00fc ", "x"])
def test_no_message_holds_the_rules(piece: str) -> None:
    passages = [passage(1, "The pay in Porto is 25 EUR.")]
    # Load the embedding first, because this takes as long as the rules may.
    understood(make_case(question="What is the pay?", passages=passages, facets=[]))
    number = count()

    def read(text: str) -> None:
        # Use a new text each time, because results are cached.
        text = f"{text}{next(number)}"
        calls_a_person(text)
        read_reply(text, question=text, options=[("a", "Porto"), ("b", "Lisbon")])
        is_closing(text)
        says_nothing(text)
        facets = find_facets(patterns.skimmed(text), passages)
        understood(make_case(question=patterns.skimmed(text), passages=passages, facets=facets))

    assert not growth(read, "", piece)


def test_to_go_on_in_a_long_text_takes_no_longer_than_in_a_short_one() -> None:
    letter = patterns.compile(r"(?P<it>a)(?:a|$)")

    def goes_on(text: str) -> None:
        for begins in range(1, 2_000):
            next(letter.finditer(text, begins))

    short, long = (seconds(goes_on, "a" * size, tries=3) for size in (4_000, 4_000_000))
    assert long < 10 * short
