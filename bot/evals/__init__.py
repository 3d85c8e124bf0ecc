"""Evaluations: measure search, answers and questions back on data files."""
