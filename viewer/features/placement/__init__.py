"""Where the vertices stand."""
