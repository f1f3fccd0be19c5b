"""How fast the window is: measured from outside and from within."""
