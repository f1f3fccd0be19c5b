"""Two runs on one clock, and the table of all runs."""
