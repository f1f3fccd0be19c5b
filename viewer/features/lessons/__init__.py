"""Lessons: predictions before runs, answers computed."""
