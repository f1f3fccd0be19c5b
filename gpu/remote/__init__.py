"""Engines on another computer, through the system's ssh: `Elsewhere`; see README.md."""

from gpu.remote.elsewhere import COMMAND, Elsewhere

__all__ = ["COMMAND", "Elsewhere"]
