"""For who does not see all of it: the moment in words, and no more movement than needed."""
