"""Runs, graph and looks in one file."""
