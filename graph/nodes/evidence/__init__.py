"""Nodes that gather what an answer may rest on, and judge whether it suffices."""
