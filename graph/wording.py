"""The fixed sentences that people read, in one place (pure)."""


def small_talk(topics: list[str]) -> str:
    """Say what the bot does."""
    return f"I answer questions from the team's documents, with sources.{_covering(topics)}"


def out_of_scope(topics: list[str]) -> str:
    """Say that a question is not for this bot."""
    return f"That is outside what I can look up: I only answer from the team's documents.{_covering(topics)}"


def nothing_found(nearest: bool, has_reviewer: bool = False) -> str:  # noqa: FBT001, FBT002
    """Say that no document answers the question, and who may: nobody is promised where nobody can be asked."""
    may_know = "“Ask a human” brings it to a colleague." if has_reviewer else "A colleague may know more."
    nearby = " The nearest documents are below." if nearest else ""
    return f"I found nothing in the documents that answers this.{nearby} {may_know}"


def assumed(label: str) -> str:
    """Say which reading was taken without asking."""
    return f"I assumed you mean {label}."


def unread(names: list[str]) -> str:
    """Say which attachments were not read."""
    return f"I could not read {', '.join(names)}."


def not_confirmed(reason: str) -> str:
    """Say that a reviewer keeps an answer back, and why."""
    return f"A colleague looked at my answer and did not confirm it: {reason}"


UNREVIEWED = "No colleague could look at this in time."
CAVEAT = "I am not sure that the documents support all of this; please check the sources."


def _covering(topics: list[str]) -> str:
    return f" They cover {', '.join(topics)}." if topics else ""
