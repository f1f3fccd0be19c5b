"""Open a file with options."""
