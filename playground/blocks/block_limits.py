"""The limits and names of Block Kit, from docs.slack.dev/reference/block-kit."""

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
MARKDOWN_TOTAL = 12_000
MESSAGE_TOTAL = 13_200
"""Text in all blocks of a message; undocumented, observed between 13,172 and 13,297 (bolt-js issue 2509)."""

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
"""Every type of block, with its required fields."""

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
"""The most characters, by type of block, element or object, and path."""

TEXTS = {"mrkdwn", "plain_text"}
PLAIN = {
    "button": ("text",),
    "confirm": ("title", "confirm", "deny"),
    "header": ("text",),
    "input": ("label", "hint"),
    "modal": ("title", "submit", "close"),
    "plain_text_input": ("placeholder",),
    "static_select": ("placeholder",),
}
"""Texts that must be plain, by type of block, element or object."""

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
"""The most parts of a block or element."""
