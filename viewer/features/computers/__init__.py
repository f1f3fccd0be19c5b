"""Runs on other computers: which there are, whether they answer."""
