"""Child processes with limits, in which files of foreign formats are read."""
