"""Every action, by typing."""
