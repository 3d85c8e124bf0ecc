"""Percentages that a sum adds or takes off: "200 − 10 %" takes 10 percent of the 200 (pure)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

SIGNS: Final = {"×": "*", "·": "*", "x": "*", "*": "*", "÷": "/", "/": "/", "+": "+", "-": "-", "−": "-", "–": "-"}
"""The signs of operations as people write them, and as Python does."""
_PLUS_OR_MINUS: Final = frozenset(sign for sign, written in SIGNS.items() if written in ("+", "-"))
_ENDS_A_SHARE: Final = frozenset({")", ",", "in", *_PLUS_OR_MINUS})
_PARTS_OF_A_SUM: Final = frozenset({"(", "%", *SIGNS})


class Token(NamedTuple):
    """A part of a sum: a number, a word or a sign."""

    text: str
    """Without spaces."""
    space: str = ""
    """The spaces behind it, which only matter to who shows the sum."""


_NOTHING: Final = Token("")


def with_surcharges(tokens: Sequence[Token]) -> list[Token]:
    """Write out what adds or takes off a percentage: "200 − 10 %" becomes "200 * (1 - 10%)".

    It is a percentage of all that stands before it in its parentheses, unless these are percentages only. In
    "100 + 10 % × 50" it is a factor, and stays as it is.
    """
    written: list[Token] = []
    levels = [0]
    """Where the open parentheses, or their last arguments, begin."""
    for token, behind in pairwise([*tokens, _NOTHING]):
        before, share = written[levels[-1] : -2], written[levels[-1] :][-2:]
        if token.text == "%" and _adds(share) and _is_whole(before) and _ends_a_share(behind):
            written[levels[-1] :] = [*_in_parentheses(before), *_factor(share, token.space)]
            continue
        written.append(token)
        match token.text:
            case "(":
                levels.append(len(written))
            case ")" if len(levels) > 1:
                levels.pop()
            case ",":
                levels[-1] = len(written)
            case _:
                pass
    return written


def _adds(share: Sequence[Token]) -> bool:
    return len(share) > 1 and share[0].text in _PLUS_OR_MINUS and share[1].text[0].isdigit()


def _is_whole(before: Sequence[Token]) -> bool:
    """Tell whether tokens are what a percentage may be one of: not a part of a sum, and not percentages only."""
    numbers = sum(_is_number(token) for token in before)
    # In "50 % 20" the sign asks for a remainder.
    percentages = sum(token.text == "%" and not _is_number(behind) for token, behind in pairwise([*before, _NOTHING]))
    return numbers > percentages and before[-1].text not in SIGNS


def _is_number(token: Token) -> bool:
    return token.text.lstrip(".")[:1].isdigit()


def _ends_a_share(behind: Token) -> bool:
    return not behind.text or behind.text in _ENDS_A_SHARE


def _in_parentheses(whole: Sequence[Token]) -> list[Token]:
    *first, last = whole
    is_sum = any(token.text in _PARTS_OF_A_SUM for token in whole)
    return [Token("("), *first, Token(last.text), Token(")", " ")] if is_sum else [*first, Token(last.text, " ")]


def _factor(share: Sequence[Token], space: str) -> list[Token]:
    sign, number = share
    added = [Token("1", " "), Token(SIGNS[sign.text], " "), Token(number.text), Token("%")]
    return [Token("*", " "), Token("("), *added, Token(")", space)]
