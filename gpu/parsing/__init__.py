"""From the bytes of a file to rows of numbers to the arrays of a graph; see README.md."""
