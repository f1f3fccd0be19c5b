"""Distances of all pairs as a picture."""
