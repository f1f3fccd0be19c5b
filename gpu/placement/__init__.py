"""Where vertices stand in the picture: found with progress, kept in a cache."""
