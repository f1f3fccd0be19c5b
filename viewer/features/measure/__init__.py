"""Two marks on the axis of time, and what lies between them."""
