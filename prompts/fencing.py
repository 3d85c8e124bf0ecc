"""Fences untrusted text in a prompt, so that a model can tell data from instructions.

A block opens with `<label mark>` and closes with `</label mark>`. The mark is a digest of the enclosed text, so the
author of the text cannot write its closing line: changing the text changes the mark.
"""

from hashlib import sha256


def fence(label: str, text: str) -> str:
    """Enclose untrusted text in a block that the text cannot close. `label` is our own."""
    mark = mark_of(text)
    return f"<{label} {mark}>\n{text}\n</{label} {mark}>"


def mark_of(text: str, *, length: int = 12) -> str:
    """Return `length` hexadecimal digits that do not occur in `text`."""
    mark = sha256(text.encode(errors="surrogatepass")).hexdigest()[:length]
    # Only a text made for it holds its own mark. With the mark appended, it gets another one.
    return mark_of(text + mark, length=length) if mark in text else mark
