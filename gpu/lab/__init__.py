"""Measurements, test vectors and tables: what stands beside the engines, not in them."""
