"""The projector theme, and sizes that no stylesheet says."""
