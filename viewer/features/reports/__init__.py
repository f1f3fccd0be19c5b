"""What a person can hand on when something of ours broke."""
