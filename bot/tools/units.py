"""Amounts with units for the calculator: exact, and unlike units are refused (pure).

pint was tried: it divides by inexact factors (1 day + 20 minutes is 1.0138… days), and has four packages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, localcontext
from typing import TypeAlias

from graph.text.quantities import MEASURES, SIZES
from graph.tools import ToolError


class UnlikeError(ToolError):
    """Two amounts measure different things."""


Number: TypeAlias = "Decimal | Quantity"


@dataclass(frozen=True)
class Quantity:
    """An amount, in the unit of its measure whose size is 1."""

    amount: Decimal
    units: tuple[str, ...]
    """The units in which it was said."""

    @classmethod
    def of(cls, amount: Decimal, unit: str) -> "Quantity":
        """Return so many of a unit."""
        return cls(amount * SIZES[unit], (unit,))

    def __add__(self, other: object) -> "Quantity":
        """Add what measures the same."""
        other = self._like(other)
        return Quantity(self.amount + other.amount, (*self.units, *other.units))

    def __sub__(self, other: object) -> "Quantity":
        """Subtract what measures the same."""
        return self + -self._like(other)

    def __neg__(self) -> "Quantity":
        """Return the opposite."""
        return Quantity(-self.amount, self.units)

    def __mul__(self, times: object) -> "Quantity":
        """Multiply by a number."""
        if not isinstance(times, Decimal):
            raise ToolError("Two amounts with units cannot be multiplied.")
        return Quantity(self.amount * times, self.units)

    __rmul__ = __mul__

    def __truediv__(self, by: object) -> Number:
        """Divide by a number, or compare with what measures the same."""
        if isinstance(by, Decimal):
            return Quantity(self.amount / by, self.units)
        return self.amount / self._like(by).amount

    def _like(self, other: object) -> "Quantity":
        unit = other.units[0] if isinstance(other, Quantity) else ""
        if not isinstance(other, Quantity) or MEASURES[unit] != MEASURES[self.units[0]]:
            raise UnlikeError(f"{self.units[0]} and {unit or 'a number without a unit'} are not alike.")
        return other

    def steps_to(self, unit: str) -> str:
        """Return the expression that converts the amount to another unit of what it measures."""
        self._like(Quantity.of(Decimal(1), unit))
        size = SIZES[self.units[0]] if len(set(self.units)) == 1 else Decimal(1)
        times = f" × {size:f}" if size != 1 else ""
        by = f" ÷ {SIZES[unit]:f}" if SIZES[unit] != 1 else ""
        return f"{self.amount / size:f}{times}{by}"

    def parts(self) -> list[tuple[Decimal, str]]:
        """Return the amount in the units in which it was said: times in all of them, as 4 h 15 min; others in one."""
        by_size = sorted(set(self.units), key=lambda unit: -SIZES[unit])
        if MEASURES[self.units[0]] == "time":
            return _divided(self.amount, by_size)
        unit = next((one for one in [self.units[0], *by_size] if _is_exact(self.amount, SIZES[one])), by_size[-1])
        return [(self.amount / SIZES[unit], unit)]


def _divided(amount: Decimal, by_size: Sequence[str]) -> list[tuple[Decimal, str]]:
    *larger, smallest = by_size
    parts, rest = list[tuple[Decimal, str]](), abs(amount)
    for unit in larger:
        whole, rest = divmod(rest, SIZES[unit])
        parts.append((whole.copy_sign(amount), unit))
    parts.append(((rest / SIZES[smallest]).copy_sign(amount), smallest))
    return [part for part in parts if part[0]] or parts[-1:]


def _is_exact(amount: Decimal, size: Decimal) -> bool:
    with localcontext(Context(prec=40)) as context:
        _ = amount / size
        return not context.flags[Inexact]
