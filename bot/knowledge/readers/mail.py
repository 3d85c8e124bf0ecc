"""A mail: sender, recipient, subject, date and text. Forwarded text is a quotation."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, Final

from bot.errors import KnowledgeError
from bot.knowledge.blocks import Block, Parsed, paragraphs_in, quoted
from bot.knowledge.readers.encoding import decode
from bot.knowledge.readers.html import html_blocks, parse
from graph import patterns

_SHOWN: Final = ("From", "To", "Cc", "Date", "Subject")
_ANSWER: Final = patterns.compile(r"^(?:(?:re|aw|fwd?|wg|sv|tr)\s*:\s*)+", patterns.IGNORE_CASE)
_SIGNATURE: Final = "\n-- \n"


def read(content: bytes) -> Parsed:
    """Parse a mail. Raises `KnowledgeError` if it is none."""
    message = message_from_bytes(content, _class=EmailMessage, policy=policy.default)
    if not message["From"] and not message["Subject"]:
        raise KnowledgeError("The file holds no mail: save it again as .eml.")
    names = [part.get_filename("") for part in message.iter_attachments()]
    unread = [name for name in names if name]
    notices = [f"What is attached was not read: {', '.join(unread)}."] if unread else []
    sent = message["Date"].datetime if message["Date"] else None
    fields = {
        "title": _ANSWER.sub("", str(message["Subject"] or "")).strip(),
        "date": sent.date().isoformat() if sent else "",
    }
    return Parsed(blocks=list(_blocks(message)), fields=fields, notices=notices)


def _blocks(message: EmailMessage) -> Iterator[Block]:
    yield Block(text="\n".join(f"{name}: {message[name]}" for name in _SHOWN if message[name]))
    body = message.get_body(("plain", "html"))
    if isinstance(body, EmailMessage):
        # Some programs send an empty plain text with the HTML.
        page = message.get_body(("html",)) if not _text(body).strip() else None
        yield from _body(page if isinstance(page, EmailMessage) else body)
    for part in message.iter_attachments():
        inner: Any = part.get_content() if part.get_content_type() == "message/rfc822" else None
        if inner is not None:
            yield from (Block(text=quoted(block.text)) for block in _blocks(inner))


def _body(body: EmailMessage) -> list[Block]:
    text = _text(body)
    if body.get_content_type() == "text/html":
        return html_blocks(parse(text))
    written = text.replace("\r\n", "\n").partition(_SIGNATURE)[0]
    return [Block(text=part) for part in paragraphs_in(written)]


def _text(body: EmailMessage) -> str:
    payload = body.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    try:
        return raw.decode(body.get_content_charset() or "utf-8")
    except (LookupError, UnicodeError):
        return decode(raw)
