"""Who runs what: claims, the life of a process, its slots and runs."""
