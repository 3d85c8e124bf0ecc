"""Sources that are read again by themselves, each in a process of its own."""
