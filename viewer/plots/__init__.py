"""Plots over time: buckets, Δ, parallelism, work, the timeline, and what they have in common."""
