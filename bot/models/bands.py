"""The bands "sure", "unsure" and "nothing", fitted again to what people think of answers.

The thresholds stay (`graph.answer.evidence`). The grades that they are compared with are mapped: their log odds get
another slope and offset (Platt 1999), so that a grade is the probability that people call the answer good.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from bot.errors import SettingsError
from bot.models.grading import log_odds, probability
from graph.context import Grader
from graph.passages import Passage


class Bands(BaseModel):
    """A map of grades, for one embedding."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    embedding: str
    """The id of the model with which the grades were given."""
    slope: float = Field(gt=0)
    offset: float
    fitted_at: str
    """ISO time; the grades of later runs are mapped already."""
    ratings: int
    """How many it was fitted to."""

    def of(self, grade: float) -> float:
        """Return the mapped grade (0–1). What is certain stays certain."""
        return grade if grade in (0.0, 1.0) else probability(self.slope * log_odds(grade) + self.offset)

    def before(self, grade: float) -> float:
        """Return the grade that is mapped to this one."""
        return probability((log_odds(grade) - self.offset) / self.slope)

    def as_json(self) -> str:
        """Return the file's text."""
        return f"{self.model_dump_json(indent=2)}\n"


class FittedGrader:
    """A grader whose grades are mapped."""

    def __init__(self, grader: Grader, bands: Bands) -> None:
        self._grader = grader
        self._bands = bands

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        """Return one probability (0–1) for each passage, in their order."""
        return [self._bands.of(grade) for grade in await self._grader.grade(question, passages)]


def banded(grader: Grader, bands: Bands | None) -> Grader:
    """Return a grader whose grades are mapped, if there are bands for it."""
    return FittedGrader(grader, bands) if bands else grader


def read_bands(file: Path) -> Bands:
    """Read a file of `askback calibrate`. Raises `SettingsError` if it cannot be read."""
    try:
        return Bands.model_validate_json(file.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"ASKBACK_BANDS: {file} cannot be opened: {error.strerror}.") from error
    except ValueError as error:
        raise SettingsError(f"ASKBACK_BANDS: {file} is no file of `askback calibrate`.") from error
