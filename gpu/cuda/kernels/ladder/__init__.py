"""Near-Far in four steps, from the simplest kernel to the form of `near_far.cu` (data only)."""
