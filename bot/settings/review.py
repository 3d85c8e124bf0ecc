"""Reviews, and the answers that people keep."""

from pydantic import Field

from bot.settings.variables import MOST_DAYS, MOST_SECONDS, Variables


class ReviewVariables(Variables):
    """The variables of reviews and verified answers."""

    review_channel: str | None = Field(
        default=None,
        pattern="^[CG][A-Z0-9]+$",
        description="The id of the Slack channel whose members review unsure answers. Without it, there is no review.",
    )
    reviewers: str = Field(
        default="",
        pattern="^([UWS][A-Z0-9]+(, *[UWS][A-Z0-9]+)*)?$",
        description="The ids of people and user groups who may decide a review, separated by commas; empty: everybody"
        " in the review channel.",
    )
    review_below: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="A draft with a lower score (0 to 1) is shown only after a review; 0: only “Ask a human” starts a"
        " review.",
    )
    review_expire_after_seconds: float = Field(
        default=24 * 3600,
        gt=0,
        le=MOST_SECONDS,
        description="How long a review waits before the answer is shown with a caveat.",
    )
    verified_days: float = Field(
        default=90,
        ge=0,
        le=MOST_DAYS,
        description="Days for which an answer that a person kept is told as verified; 0: nobody is asked to keep any.",
    )
