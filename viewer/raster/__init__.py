"""Millions of vertices as pixels: binning, colouring, matrices."""
