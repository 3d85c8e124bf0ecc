"""CSV with any separator: one table, whose first row is its head."""

import csv
import io
from typing import Final

from bot.knowledge.blocks import Parsed
from bot.knowledge.readers.encoding import decode
from bot.knowledge.readers.rows import table_of

_SAMPLE: Final = 8_000
_SIGNS: Final = ",;\t|"


def read(content: bytes) -> Parsed:
    """Return the rows. Raises `KnowledgeError` if the content is no text."""
    text = decode(content)
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(text[:_SAMPLE], _SIGNS)
    except csv.Error:
        dialect = csv.excel
    return Parsed(blocks=table_of(list(csv.reader(io.StringIO(text, newline=""), dialect))))
