"""Documents, and the code that generates their tables, diagrams and help texts."""
