"""A recorded run event by event: its state, one sentence an event, its pseudocode."""
