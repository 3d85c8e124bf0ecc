"""Verified answers: what people kept, who may read it, and what it rests on now."""
