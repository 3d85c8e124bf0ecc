"""Checks blocks against `slack_sdk`'s own models, element by element.

If a model drops or changes a part when it reads a block, then Slack does not know the part either.
"""

from collections.abc import Generator
from itertools import zip_longest
from typing import Any

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block

from playground.wire import Json, is_array, is_object


def complaints(path: str, block: Json) -> Generator[str]:
    """Return the errors that the models find in a block at this place."""
    try:
        read = _read(block)
    except (SlackObjectFormationError, TypeError, ValueError, AttributeError) as error:
        yield f"{error} [json-pointer:{path}]"
        return
    yield from _changed(path, block, read)
    for index, task in enumerate(block.get("tasks") or ()):  # The model of a plan does not check its tasks.
        yield from complaints(f"{path}/tasks/{index}", task)


def _read(block: Json) -> Any:
    # An unknown type of block has no model.
    read: Any = getattr(Block.parse(block), "to_dict", dict)
    return read()


def _changed(path: str, given: Any, read: Any) -> Generator[str]:
    if is_object(given):
        known: Json = read if is_object(read) else {}
        for name, value in given.items():
            yield from _changed(f"{path}/{name}", value, known.get(name))
    elif is_array(given):
        for index, (one, other) in enumerate(zip_longest(given, read if is_array(read) else [])):
            yield from _changed(f"{path}/{index}", one, other)
    elif given not in (None, "") and given != read:
        yield f"invalid additional property [json-pointer:{path}]"
