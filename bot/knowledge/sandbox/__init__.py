"""Sandboxed child processes that read untrusted files."""
