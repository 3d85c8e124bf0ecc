"""The fixed sentences that people read, in one place (pure)."""


def small_talk(topics: list[str]) -> str:
    """Say what the bot does."""
    return f"I answer questions from the team's documents, with sources.{_covering(topics)}"


def out_of_scope(topics: list[str]) -> str:
    """Say that a question is not for this bot."""
    return f"That is outside what I can look up: I only answer from the team's documents.{_covering(topics)}"


def nothing_found(nearest: bool) -> str:  # noqa: FBT001
    """Say that no document answers the question."""
    return "I found nothing in the documents that answers this." + (
        " The nearest documents are below; a colleague may know more." if nearest else " A colleague may know more."
    )


def assumed(label: str) -> str:
    """Say which reading was taken without asking."""
    return f"I assumed you mean {label}."


def unread(names: list[str]) -> str:
    """Say which attachments were not read."""
    return f"I could not read {', '.join(names)}."


CAVEAT = "I am not sure that the documents support all of this; please check the sources."


def _covering(topics: list[str]) -> str:
    return f" They cover {', '.join(topics)}." if topics else ""
