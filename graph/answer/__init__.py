"""From passages to a checked answer: evidence, draft, guard, audit, review (pure)."""
