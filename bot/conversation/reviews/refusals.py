"""Whether a gesture at a review counts (pure)."""

from bot.conversation.reviews.review import Review, ReviewRefused


def refusal(review: Review | None) -> ReviewRefused | None:
    """Say why nobody can decide a review; nothing, where somebody can."""
    if review is None or review.status == "offered":
        return ReviewRefused(reason="unknown")
    return None if review.status == "open" else ReviewRefused(reason=review.status, by=review.reviewer)


def refusal_to_ask(review: Review | None) -> ReviewRefused | None:
    """Say why an answer is not put before a person; nothing, where it can be."""
    if review is None:
        return ReviewRefused(reason="unknown")
    if review.status == "offered":
        return None
    by = review.requester if review.status == "open" else review.reviewer
    return ReviewRefused(reason=review.status, by=by)
