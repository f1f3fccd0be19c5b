"""Opening a graph from an address: its size first, then progress, Cancel, a copy that is kept."""
