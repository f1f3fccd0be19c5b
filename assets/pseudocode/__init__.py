"""Pseudocode of each algorithm, as data: lines, the events that light them, where they stand."""
