"""The steps of a run: each node is one file, one function and one verb."""
