"""Checks blocks as Slack does, with Slack's errors."""

import secrets
from collections.abc import Generator, Sequence
from typing import Any

from playground.blocks import block_models
from playground.blocks.block_limits import (
    LONGEST,
    MARKDOWN_TOTAL,
    MESSAGE_BLOCKS,
    MESSAGE_TOTAL,
    MOST,
    PLAIN,
    REQUIRED,
    TEXTS,
    VIEW_BLOCKS,
)
from playground.errors import SlackError
from playground.wire import Json, is_array, is_object


def check_message(blocks: Any) -> None:
    """Check a message's blocks. Raises `invalid_blocks` or `msg_blocks_too_long`."""
    complaints = [*_complaints(blocks, MESSAGE_BLOCKS), *_markdown_complaints(blocks)]
    if complaints:
        raise SlackError("invalid_blocks", messages=[f"[ERROR] {complaint}" for complaint in complaints])
    if sum(len(text) for text in _texts(blocks)) > MESSAGE_TOTAL:
        raise SlackError("msg_blocks_too_long")


def completed(blocks: list[Json]) -> list[Json]:
    """Add the ids that Slack generates if the app gives none."""
    return [_with_ids(block) for block in blocks]


def check_view(view: Any) -> None:
    """Check a modal or Home view. Raises `invalid_arguments`."""
    if not is_object(view):
        raise SlackError("invalid_arguments", messages=["[ERROR] view is not an object"])
    complaints = [*_sized("/view", "modal", view), *_complaints(view.get("blocks"), VIEW_BLOCKS)]
    if view.get("type") not in {"modal", "home"}:
        complaints.append("unsupported type [json-pointer:/view/type]")
    if view.get("type") == "modal" and not view.get("title"):
        complaints.append("missing required field: title [json-pointer:/view]")
    if any(block.get("type") == "input" for block in view.get("blocks") or ()) and not view.get("submit"):
        complaints.append("missing required field: submit [json-pointer:/view]")
    if complaints:
        raise SlackError("invalid_arguments", messages=[f"[ERROR] {complaint}" for complaint in complaints])


def _complaints(blocks: Any, most: int) -> Generator[str]:
    if not is_array(blocks) or not all(is_object(block) for block in blocks):
        yield "must be an array of objects [json-pointer:/blocks]"
        return
    parts: list[Json] = blocks
    if len(parts) > most:
        yield f"no more than {most} items allowed [json-pointer:/blocks]"
    yield from _repeated([str(block["block_id"]) for block in parts if block.get("block_id")])
    for index, block in enumerate(parts):
        yield from _block(f"/blocks/{index}", block)


def _markdown_complaints(blocks: Any) -> Generator[str]:
    parts: list[Any] = blocks if is_array(blocks) else []
    texts = [str(part.get("text", "")) for part in parts if is_object(part) and part.get("type") == "markdown"]
    if sum(len(text) for text in texts) > MARKDOWN_TOTAL:
        yield f"markdown blocks must have less than {MARKDOWN_TOTAL + 1} characters in total"


def _block(path: str, block: Json) -> Generator[str]:
    kind = block.get("type")
    if kind not in REQUIRED:
        yield f"unsupported type: {kind} [json-pointer:{path}/type]"
        return
    yield from (
        f"missing required field: {name} [json-pointer:{path}]" for name in REQUIRED[kind] if not block.get(name)
    )
    if kind == "section" and not block.get("text") and not block.get("fields"):
        yield f"missing required field: text [json-pointer:{path}]"
    yield from _sized(path, kind, block)
    for field in block.get("fields") or ():
        yield from _long(path + "/fields", "field", field)
    yield from block_models.complaints(path, block)
    for index, element in enumerate(_elements(block)):
        yield from _element(f"{path}/elements/{index}", element)


def _element(path: str, element: Json) -> Generator[str]:
    yield from _sized(path, str(element.get("type")), element)
    for option in element.get("options") or ():
        yield from _long(path + "/options", "option", option)
    for button in (element.get("positive_button"), element.get("negative_button")):
        if button:
            yield from _long(path, "button", button)
    if element.get("confirm"):
        yield from _long(path + "/confirm", "confirm", element["confirm"])


def _with_ids(block: Json) -> Json:
    done: Json = {**block, "block_id": block.get("block_id") or secrets.token_urlsafe(4)}
    if "elements" in done and done["type"] == "actions":
        done["elements"] = [_with_action_id(element) for element in done["elements"]]
    for name in ("element", "accessory"):
        if name in done:
            done[name] = _with_action_id(done[name])
    return done


def _with_action_id(element: Json) -> Json:
    return {**element, "action_id": element.get("action_id") or secrets.token_urlsafe(4)}


def _sized(path: str, kind: str, part: Json) -> Generator[str]:
    yield from _long(path, kind, part)
    yield from _worded(path, kind, part)
    name, most = MOST.get(kind, ("", 0))
    if len(part.get(name) or ()) > most:
        yield f"no more than {most} items allowed [json-pointer:{path}/{name}]"


def _long(path: str, kind: str, part: Json) -> Generator[str]:
    for inner, most in LONGEST.get(kind, {}).items():
        value: Any = part
        for name in inner.split("."):
            value = value.get(name) if is_object(value) else None
        if isinstance(value, str) and len(value) > most:
            yield f"must be less than {most + 1} characters [json-pointer:{path}/{inner.replace('.', '/')}]"


def _worded(path: str, kind: str, part: Json) -> Generator[str]:
    for name in PLAIN.get(kind, ()):
        if name in part and part[name].get("type") != "plain_text":
            yield f"must be of type plain_text [json-pointer:{path}/{name}/type]"
    for name in {"text", *PLAIN.get(kind, ())}:
        text = part.get(name)
        if (text == "" and kind in TEXTS) or (is_object(text) and not text.get("text")):
            yield f"must be more than 0 characters [json-pointer:{path}/{name}]"


def _repeated(block_ids: Sequence[str]) -> Generator[str]:
    for block_id in {block_id for block_id in block_ids if block_ids.count(block_id) > 1}:
        yield f"block_id {block_id} already exists [json-pointer:/blocks]"


def _elements(block: Json) -> list[Json]:
    listed: list[Any] = block.get("elements", []) if block["type"] in {"actions", "context", "context_actions"} else []
    return [element for element in (*listed, block.get("element"), block.get("accessory")) if is_object(element)]


def _texts(value: Any) -> Generator[str]:
    if is_object(value):
        if isinstance(value.get("text"), str):
            yield value["text"]
        value = list(value.values())
    if is_array(value):
        for part in value:
            yield from _texts(part)
