"""Readers of one format each: bytes become blocks and fields; nothing else is touched."""
