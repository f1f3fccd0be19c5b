"""Runs, sweeps and lessons as web pages of one file; see README.md."""
