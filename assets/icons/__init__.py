"""Icon drawings: SVG strokes in black, recoloured to the theme's text when loaded."""
