"""What people may choose by a setting (pure)."""

from typing import Literal, TypeAlias

MayAnswer: TypeAlias = Literal["anyone", "asker"]
"""Who may answer a question back, and stop an answer."""
MayAdd: TypeAlias = Literal["anyone", "reviewers", "nobody"]
"""Who may add a message to knowledge."""
InSharedChannels: TypeAlias = Literal["private", "silent"]
"""How people get answers in a channel that another company reads: in a direct message, or not at all."""
