"""Brings the stored passages of one source in line with what the source holds."""
