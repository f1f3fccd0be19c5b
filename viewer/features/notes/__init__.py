"""Notes at moments and vertices: made, listed, changed."""
