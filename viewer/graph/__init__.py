"""The graph in the middle: canvas, colours, scene, legend."""
