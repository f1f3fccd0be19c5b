"""The engine `cuda`: the real kernels, persistent, with live probes, through CuPy."""
