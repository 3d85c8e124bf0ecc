"""Months and weekdays by their names, and the dates in a text (pure)."""
