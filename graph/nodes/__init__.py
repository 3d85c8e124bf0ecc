"""One node is one file is one verb."""
