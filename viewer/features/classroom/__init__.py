"""For a teacher: the results of a class in one window."""
