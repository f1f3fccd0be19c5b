"""What is asked of runs: two compared, a knob swept, all pairs written, a graph described."""
