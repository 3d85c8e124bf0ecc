"""Human review: drafts that wait for a decision, and what a decision does."""
