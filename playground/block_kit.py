"""What Slack accepts as blocks; the numbers are those of docs.slack.dev/reference/block-kit."""

import secrets
from collections.abc import Generator, Sequence
from typing import Any

from playground.errors import SlackError
from playground.wire import Json

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
MARKDOWN_TOTAL = 12_000
MESSAGE_TOTAL = 13_200
"""All text of a message's blocks together; undocumented, seen between 13,172 and 13,297 (bolt-js issue 2509)."""

REQUIRED = {
    "actions": ("elements",),
    "alert": ("text",),
    "call": ("call_id",),
    "card": (),
    "carousel": ("elements",),
    "container": (),
    "context": ("elements",),
    "context_actions": ("elements",),
    "data_table": (),
    "divider": (),
    "file": ("external_id", "source"),
    "header": ("text",),
    "image": ("alt_text",),
    "input": ("label", "element"),
    "markdown": ("text",),
    "plan": ("title",),
    "rich_text": ("elements",),
    "section": (),
    "table": ("rows",),
    "task_card": ("task_id", "title"),
    "video": ("alt_text", "title", "thumbnail_url", "video_url"),
}
"""Every type of block, with what it cannot do without."""

LONGEST = {
    "section": {"text.text": 3000, "block_id": 255},
    "field": {"text": 2000},
    "header": {"text.text": 150, "block_id": 255},
    "markdown": {"text": MARKDOWN_TOTAL},
    "input": {"label.text": 2000, "hint.text": 2000, "block_id": 255},
    "image": {"alt_text": 2000, "title.text": 2000, "image_url": 3000},
    "button": {"text.text": 75, "value": 2000, "url": 3000, "action_id": 255, "accessibility_label": 75},
    "static_select": {"placeholder.text": 150, "action_id": 255},
    "plain_text_input": {"placeholder.text": 150, "action_id": 255},
    "confirm": {"title.text": 100, "text.text": 300, "confirm.text": 30, "deny.text": 30},
    "option": {"text.text": 75, "value": 150, "description.text": 75},
    "modal": {
        "title.text": 24,
        "submit.text": 24,
        "close.text": 24,
        "private_metadata": 3000,
        "callback_id": 255,
    },
}
"""Characters, by the type of block, element or object, and the path in it."""

MOST = {
    "actions": ("elements", 25),
    "context": ("elements", 10),
    "context_actions": ("elements", 5),
    "section": ("fields", 10),
    "static_select": ("options", 100),
    "radio_buttons": ("options", 10),
    "checkboxes": ("options", 10),
    "overflow": ("options", 5),
    "carousel": ("elements", 10),
}
"""How many parts a block or element may have."""


def check_message(blocks: Any) -> None:
    """Raise `invalid_blocks` or `msg_blocks_too_long` where Slack would not take these blocks in a message."""
    complaints = [*_complaints(blocks, MESSAGE_BLOCKS)]
    if not complaints and sum(len(block["text"]) for block in blocks if block["type"] == "markdown") > MARKDOWN_TOTAL:
        complaints.append(f"markdown blocks must have less than {MARKDOWN_TOTAL + 1} characters in total")
    if complaints:
        raise SlackError("invalid_blocks", messages=[f"[ERROR] {complaint}" for complaint in complaints])
    if sum(len(text) for text in _texts(blocks)) > MESSAGE_TOTAL:
        raise SlackError("msg_blocks_too_long")


def completed(blocks: list[Json]) -> list[Json]:
    """Return the blocks with the ids that Slack makes up where the app gave none."""
    return [_with_ids(block) for block in blocks]


def check_view(view: Any) -> None:
    """Raise `invalid_arguments` where Slack would not take this modal or Home view."""
    if not isinstance(view, dict):
        raise SlackError("invalid_arguments", messages=["[ERROR] view is not an object"])
    complaints = [*_long("/view", "modal", view), *_complaints(view.get("blocks"), VIEW_BLOCKS)]
    if view.get("type") not in {"modal", "home"}:
        complaints.append("unsupported type [json-pointer:/view/type]")
    if view.get("type") == "modal" and not view.get("title"):
        complaints.append("missing required field: title [json-pointer:/view]")
    if any(block.get("type") == "input" for block in view.get("blocks") or ()) and not view.get("submit"):
        complaints.append("missing required field: submit [json-pointer:/view]")
    if complaints:
        raise SlackError("invalid_arguments", messages=[f"[ERROR] {complaint}" for complaint in complaints])


def _complaints(blocks: Any, most: int) -> Generator[str]:
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in _items(blocks)):
        yield "must be an array of objects [json-pointer:/blocks]"
        return
    parts = _items(blocks)
    if len(parts) > most:
        yield f"no more than {most} items allowed [json-pointer:/blocks]"
    yield from _repeated([str(block["block_id"]) for block in parts if block.get("block_id")])
    for index, block in enumerate(parts):
        yield from _block(f"/blocks/{index}", block)


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
    for index, element in enumerate(_elements(block)):
        yield from _element(f"{path}/elements/{index}", element)


def _element(path: str, element: Json) -> Generator[str]:
    yield from _sized(path, str(element.get("type")), element)
    if element.get("type") == "button" and not element.get("text", {}).get("text"):
        yield f"must be more than 0 characters [json-pointer:{path}/text/text]"
    for option in element.get("options") or ():
        yield from _long(path + "/options", "option", option)
    for button in (element.get("positive_button"), element.get("negative_button")):
        if button:
            yield from _long(path, "button", button)
    if element.get("confirm"):
        yield from _long(path + "/confirm", "confirm", element["confirm"])


def _with_ids(block: Json) -> Json:
    done = {**block, "block_id": block.get("block_id") or secrets.token_urlsafe(4)}
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
    name, most = MOST.get(kind, ("", 0))
    if len(part.get(name) or ()) > most:
        yield f"no more than {most} items allowed [json-pointer:{path}/{name}]"


def _long(path: str, kind: str, part: Json) -> Generator[str]:
    for inner, most in LONGEST.get(kind, {}).items():
        value: Any = part
        for name in inner.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, str) and len(value) > most:
            yield f"must be less than {most + 1} characters [json-pointer:{path}/{inner.replace('.', '/')}]"


def _repeated(block_ids: Sequence[str]) -> Generator[str]:
    for block_id in {block_id for block_id in block_ids if block_ids.count(block_id) > 1}:
        yield f"block_id {block_id} already exists [json-pointer:/blocks]"


def _elements(block: Json) -> list[Json]:
    listed = block.get("elements") if block["type"] in {"actions", "context", "context_actions"} else []
    single = [block[name] for name in ("element", "accessory") if isinstance(block.get(name), dict)]
    return [*(element for element in listed or () if isinstance(element, dict)), *single]


def _items(value: Any) -> list[Any]:
    return list(value)


def _texts(value: Any) -> Generator[str]:
    if isinstance(value, dict):
        text = value.get("text")
        if isinstance(text, str):
            yield text
        value = list(value.values())
    if isinstance(value, list):
        for part in _items(value):
            yield from _texts(part)
