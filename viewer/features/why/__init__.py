"""Each decision about Δ with its numbers."""
