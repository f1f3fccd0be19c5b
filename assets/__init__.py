"""Icons, lessons and style: data only, read through importlib.resources."""
