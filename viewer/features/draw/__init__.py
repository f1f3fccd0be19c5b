"""Draw your own graph."""
