"""Full screen at a projector."""
