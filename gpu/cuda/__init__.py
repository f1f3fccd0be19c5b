"""The engine `cuda`: the real kernels, persistent, with live probes, through CuPy.

Importing this package costs nothing and needs neither CuPy nor a GPU; `device.find_device`
says why there is none. `module` compiles, `records` holds the records that Python and the
kernels share, `ring` talks with a kernel that runs, `launch` puts a run together, `adds`,
`near_far`, `bellman_ford` and `delta_stepping` hold the engine functions; the last three are one
skeleton, `supersteps`.
"""
