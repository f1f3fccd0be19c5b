"""Back to where one looked before: zoom and place in plots and map, how two runs are seen."""
