"""What the compiled loops of the modelled GPU and of the CPU share; see the README beside this.

Importing the package costs nothing; its modules import Numba.
"""
