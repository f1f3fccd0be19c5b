"""The paper's evaluation, and how fast the program itself is; `load` returns RESULTS."""

from gpu.lab.records import load

__all__ = ["load"]
