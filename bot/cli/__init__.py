"""The command line: one module for each command group; it parses, calls and prints."""
