"""Evaluations: how well questions are answered, asked back and searched, on data files."""
