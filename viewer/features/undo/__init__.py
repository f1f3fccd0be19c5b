"""Undo and redo of what a person sets."""
