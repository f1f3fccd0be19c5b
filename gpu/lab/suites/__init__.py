"""The shipped suites, and the facts of the paper's 226 graphs."""
