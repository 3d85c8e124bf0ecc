"""The plain way to fill an index: cut after a number of characters, embed, insert each piece by itself.

It reads files as they are, as text. Whoever runs it again reads everything again.
"""

from pathlib import Path
from typing import Final

import psycopg
from langchain_text_splitters import RecursiveCharacterTextSplitter
from pgvector.psycopg import register_vector

from bot.knowledge.documents import Embedder

SCHEMA: Final = """
    CREATE EXTENSION IF NOT EXISTS vector;
    CREATE TABLE chunks (id bigserial PRIMARY KEY, source text NOT NULL, content text NOT NULL, embedding vector(384));
    CREATE INDEX ON chunks (source);
    CREATE INDEX ON chunks USING hnsw (embedding vector_cosine_ops)
"""
_SUFFIXES: Final = {".md", ".txt", ".html"}


def ingest(url: str, embedder: Embedder, folder: Path) -> None:
    """Replace the pieces of each file of a folder."""
    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200)
    files = sorted(file for file in folder.rglob("*") if file.suffix in _SUFFIXES)
    with psycopg.connect(url, autocommit=True) as connection:
        register_vector(connection)
        for file in files:
            source = file.relative_to(folder).as_posix()
            connection.execute("DELETE FROM chunks WHERE source = %s", (source,))
            pieces = splitter.split_text(file.read_text("utf-8"))
            for piece, vector in zip(pieces, embedder.embed_passages(pieces), strict=True):
                connection.execute(
                    "INSERT INTO chunks (source, content, embedding) VALUES (%s, %s, %s)", (source, piece, vector)
                )
