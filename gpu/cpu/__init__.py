"""The engine `cpu`: baselines that really run on this computer's cores; times are measured.

Importing this package costs nothing. `host` knows the machine (name, cores, clock),
`atomics` gives compiled code what Numba leaves out (atomic minimum, barriers, a clock),
`dijkstra` and `delta_stepping` are the engine functions, their loops compiled code.
"""
