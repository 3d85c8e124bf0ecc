"""Commands about a question that exists: edits, deletions, stops and drops."""
