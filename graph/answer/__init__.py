"""From passages to a checked answer: evidence, draft, guard, citations, review (pure)."""
