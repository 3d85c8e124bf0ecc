"""A connector that cannot be loaded, and that wants to take the place of one of ours."""

raise RuntimeError("It wants another machine.\nAnd another day.")
