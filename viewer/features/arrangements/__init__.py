"""Named arrangements of the docks."""
