"""The fence around what others wrote, so that a model can tell data from instructions.

A block opens with `<label mark>` and closes with `</label mark>`. The mark is taken from a digest of the very text it
encloses, so whoever writes the text cannot write its closing line: changing the text changes the mark.
"""

from hashlib import sha256


def fence(label: str, text: str) -> str:
    """Enclose `text`, which may say anything, in a block that it cannot close; `label` is ours."""
    mark = mark_of(text)
    return f"<{label} {mark}>\n{text}\n</{label} {mark}>"


def mark_of(text: str, *, length: int = 12) -> str:
    """Return `length` hexadecimal digits that do not occur in `text`."""
    mark = sha256(text.encode(errors="surrogatepass")).hexdigest()[:length]
    # Only a text that was searched for holds its own mark; growing by it, the text gets another.
    return mark_of(text + mark, length=length) if mark in text else mark
